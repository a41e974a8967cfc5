"""Learned rules: what a person keeps approving need not be asked for ever.

A question of ours that was shown to a person and followed by the call is an approval; one that was not is a
refusal. Where nobody is watching, or the agent decides by itself, there is nothing to learn. What was
learned lifts only the question of the very rule that asked, in that project, for calls of that shape, and
never a deny.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Literal, NamedTuple

from hookd.gate.case.fold import fold
from hookd.gate.case.model import Case, Judged, Opinion
from hookd.gate.people.grants import GrantBook, Learned
from hookd.gate.people.shapes import shape_of
from hookd.gate.record.repository import Candidate, LearnedRules, migrations
from hookd.paths import project_key

if TYPE_CHECKING:
    from hookd.events.types import Event, ToolEvent
    from hookd.gate.settings import Gate
    from hookd.hooks.api import Context
    from hookd.redact.redactor import Redactor
    from hookd.store.engine import Store

MOST_OPEN = 500
CANDIDATE_DAYS = 180
_ASKING_MODES = frozenset({None, "", "default", "acceptEdits", "plan"})
"""In the agent's other modes a question is answered by a program or not asked."""
_AUTOMATIC = frozenset({"low", "medium"})


def lift(judged: Judged, case: Case, book: GrantBook, locked: frozenset[str]) -> Judged:
    """The judgement without the questions that a person has answered for good."""
    if judged.verdict != "ask":
        return judged
    asked = {o.rule for o in judged.trace if o.verdict == "ask" and o.severity != "critical"} - locked
    known = [learned for learned in book.read().learned if learned.rule in asked]
    if not known or (shape := shape_of(case)) is None:
        return judged
    digest = book.digest(shape.parts)
    lifted = [_opinion(learned) for learned in known if learned.shape == digest]
    return fold((*judged.trace, *lifted)) if lifted else judged


def _opinion(learned: Learned) -> Opinion:
    who = "a person approved this rule" if learned.by == "person" else "it was approved again and again"
    return Opinion(
        layer="learned",
        verdict="allow",
        rule=f"learned.{learned.id}",
        severity="low",
        reason=f"{learned.rule} does not ask about this any more: {who}.",
        evidence=learned.words,
        lifts=learned.rule,
    )


class Asked(NamedTuple):
    """A question that is open."""

    rule: str
    severity: str
    shape: str
    words: str
    example: str
    session: str
    subagent: str
    at: float


class Teacher:
    """Watches what becomes of the gate's questions, and keeps it as evidence."""

    def __init__(
        self,
        settings: Gate,
        book: GrantBook,
        store: Store,
        redactor: Redactor,
        root: str,
        *,
        tell: Callable[[str], object] = lambda _what: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._book = book
        self._store = store
        self._redactor = redactor
        self._project = project_key(root)
        self._tell = tell
        self._clock = clock
        self._open: dict[str, Asked] = {}
        self._refused: dict[str, Asked] = {}
        store.adopt(list(migrations()))

    def asked(self, judged: Judged, case: Case, event: ToolEvent, ctx: Context) -> None:
        """Our question reaches the agent now; whether it teaches anything depends on who answers."""
        unattended = not ctx.attended or event.permission_mode not in _ASKING_MODES
        if unattended or not event.tool_use_id or judged.severity == "critical":
            return
        shape = shape_of(case)
        if shape is None or judged.rule is None:
            return
        self._put(
            self._open,
            f"{event.session_id} {event.tool_use_id}",
            Asked(
                rule=judged.rule,
                severity=judged.severity or "medium",
                shape=self._book.digest(shape.parts),
                words=self._redactor.text(shape.words),
                example=self._redactor.text(case.command or shape.words)[:1000],
                session=event.session_id,
                subagent=event.agent_id or "",
                at=self._clock(),
            ),
        )

    def ran(self, event: ToolEvent) -> None:
        """A call was made: if we had asked, a person approved."""
        key = f"{event.session_id} {event.tool_use_id}"
        asked = self._open.pop(key, None) or self._refused.pop(key, None)
        if asked is not None:
            self._keep(key, asked, "approved")

    def refused(self, event: ToolEvent) -> None:
        """A call was refused by name."""
        self._settle(f"{event.session_id} {event.tool_use_id}")

    def ended(self, event: Event, *, everything: bool = False) -> None:
        """A turn is over: what has not run by now was refused."""
        for key, asked in list(self._open.items()):
            mine = asked.session == event.session_id
            if mine and (everything or asked.subagent == (event.agent_id or "")):
                self._settle(key)

    def _settle(self, key: str) -> None:
        asked = self._open.pop(key, None)
        if asked is not None:
            # It may still run, if it was only slow: then the approval takes the refusal's place.
            self._put(self._refused, key, asked)
            self._keep(key, asked, "refused")

    def _put(self, memory: dict[str, Asked], key: str, asked: Asked) -> None:
        while len(memory) >= MOST_OPEN:
            memory.pop(next(iter(memory)))
        memory[key] = asked

    def _keep(self, key: str, asked: Asked, decision: str) -> None:
        """Nobody waits for it."""
        answer = asked._asdict() | {"decision": decision, "call": self._book.digest(key)}

        def done(future: Future[Candidate | None]) -> None:
            if (error := future.exception()) is not None:
                self._tell(f"what was {decision} could not be kept: {error}")
            elif (found := future.result()) is not None and decision == "approved":
                self._promote(found)

        old = self._clock() - CANDIDATE_DAYS * 86_400
        self._store.submit(
            lambda db: LearnedRules(db, self._project).keep(answer, forget_before=old)
        ).add_done_callback(done)

    def _promote(self, found: Candidate) -> None:
        """Puts a rule in force by itself, if the person has it so and the decisions agree."""
        enough = 0 < self._settings.learn_after <= found.approvals
        if not enough or found.refusals or found.severity not in _AUTOMATIC:
            return
        try:
            put_in_force(self._book, found, self._settings.learned_days, "count", self._clock())
        except OSError as error:
            self._tell(f"a learned rule could not be put in force: {error}")
            return
        self._tell(
            f"learned.{found.id} is in force: {found.rule} does not ask about `{found.words}` any more"
        )


def put_in_force(
    book: GrantBook, candidate: Candidate, days: float, by: Literal["count", "person"], now: float
) -> Learned:
    """Makes a candidate a rule."""
    learned = Learned(
        id=candidate.id,
        rule=candidate.rule,
        shape=candidate.shape,
        words=candidate.words,
        since=now,
        until=now + days * 86_400 if days else None,
        by=by,
    )
    book.learn(learned)
    return learned


def approve(
    store: Store, book: GrantBook, project: str, number: int, days: float, now: float
) -> Learned | None:
    """Puts a candidate in force because a person says so; None if there is none of this number."""
    with store.reading() as db:
        candidate = LearnedRules(db, project).candidate(number)
    return put_in_force(book, candidate, days, "person", now) if candidate is not None else None


def revoke(store: Store, book: GrantBook, project: str, number: int, now: float) -> bool:
    """Has a rule ask again, and what was approved so far not count any more; whether it was in force."""
    was_in_force = book.unlearn(number)
    store.submit(lambda db: LearnedRules(db, project).revoke(number, now)).result()
    return was_in_force
