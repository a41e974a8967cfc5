"""Learned rules: what a person keeps approving, or refusing, need not be asked for ever.

A question of ours that was shown to a person and followed by the call is an approval; one that was not is a
refusal. Where nobody is watching, or the agent decides by itself, there is nothing to learn. What was
learned answers only the question of the very rule that asked, in that project, for calls of that shape, and
never lifts a deny.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from hookd.gate.case.model import Case, Judged, Opinion, fold
from hookd.gate.people.call_shape import shape_of
from hookd.gate.people.grants import GrantBook, Learned
from hookd.journal.entries import LONGEST_EXAMPLE, GateAnswer

if TYPE_CHECKING:
    from hookd.events.types import Event, ToolEvent
    from hookd.hooks.api import Context
    from hookd.redact.redactor import Redactor

MOST_OPEN = 500
_ASKING_MODES = frozenset({None, "", "default", "acceptEdits", "plan"})
"""In the agent's other modes a question is answered by a program or not asked."""


def lift(judged: Judged, case: Case, book: GrantBook, locked: frozenset[str]) -> Judged:
    """The judgement without the questions that a person has answered for good."""
    if judged.verdict != "ask":
        return judged
    asked = {o.rule for o in judged.trace if o.verdict == "ask" and o.severity != "critical"} - locked
    known = [learned for learned in book.read().learned if learned.rule in asked]
    if not known or (shape := shape_of(case)) is None:
        return judged
    digest = book.digest(shape.parts)
    lifted = [_opinion(learned, shape.words) for learned in known if learned.shape == digest]
    return fold((*judged.trace, *lifted)) if lifted else judged


def _opinion(learned: Learned, words: str) -> Opinion:
    if learned.verdict == "deny":
        who = (
            "a person has refused it for good" if learned.by == "person" else "it was refused again and again"
        )
        return Opinion(
            layer="learned",
            verdict="deny",
            rule=f"learned.{learned.id}",
            severity="medium",
            reason=f"{learned.rule} asks about this, and {who}.",
            instead=f"ask the person, who can have it asked again: hookd rules revoke {learned.id}",
            evidence=words,
        )
    who = "a person approved this rule" if learned.by == "person" else "it was approved again and again"
    return Opinion(
        layer="learned",
        verdict="allow",
        rule=f"learned.{learned.id}",
        severity="low",
        reason=f"{learned.rule} does not ask about this any more: {who}.",
        evidence=words,
        lifts=learned.rule,
    )


class OpenQuestion(NamedTuple):
    """A question that is open."""

    answer: GateAnswer
    """What is put on record when it is answered; an id and a decision of its own come with each record."""
    subagent: str


class Teacher:
    """Watches what becomes of the gate's questions, and puts it on record as evidence."""

    def __init__(self, book: GrantBook, redactor: Redactor, record: Callable[[GateAnswer], object]) -> None:
        """`record` puts an answer on record; what follows from it is decided as the record is taken in."""
        self._book = book
        self._redactor = redactor
        self._record = record
        self._open: dict[str, OpenQuestion] = {}
        self._refused: dict[str, OpenQuestion] = {}

    def asked(self, judged: Judged, case: Case, event: ToolEvent, ctx: Context) -> None:
        """Our question reaches the agent now; whether it teaches anything depends on who answers."""
        unattended = not ctx.attended or event.permission_mode not in _ASKING_MODES
        if unattended or not event.tool_use_id or judged.severity == "critical":
            return
        shape = shape_of(case)
        if shape is None or judged.rule is None:
            return
        key = _key(event)
        answer = GateAnswer(
            id="",
            at=time.time(),
            decision="refused",
            rule=judged.rule,
            shape=self._book.digest(shape.parts),
            call=self._book.digest(key),
            severity=judged.severity or "medium",
            words=self._redactor.text(shape.words),
            example=self._redactor.text(case.command or shape.words)[:LONGEST_EXAMPLE],
            session=event.session_id,
        )
        self._put(self._open, key, OpenQuestion(answer, event.agent_id or ""))

    def ran(self, event: ToolEvent) -> None:
        """A call was made: if we had asked, a person approved."""
        key = _key(event)
        asked = self._open.pop(key, None) or self._refused.pop(key, None)
        if asked is not None:
            self._keep(asked, "approved")

    def refused(self, event: ToolEvent) -> None:
        """A call was refused by name."""
        self._settle(_key(event))

    def ended(self, event: Event, *, everything: bool = False) -> None:
        """A turn is over: what has not run by now was refused."""
        for key, asked in list(self._open.items()):
            mine = asked.answer.session == event.session_id
            if mine and (everything or asked.subagent == (event.agent_id or "")):
                self._settle(key)

    def _settle(self, key: str) -> None:
        asked = self._open.pop(key, None)
        if asked is not None:
            # It may still run, if it was only slow: then the approval takes the refusal's place.
            self._put(self._refused, key, asked)
            self._keep(asked, "refused")

    def _put(self, memory: dict[str, OpenQuestion], key: str, asked: OpenQuestion) -> None:
        while len(memory) >= MOST_OPEN:
            memory.pop(next(iter(memory)))
        memory[key] = asked

    def _keep(self, asked: OpenQuestion, decision: Literal["approved", "refused"]) -> None:
        self._record(replace(asked.answer, id=os.urandom(16).hex(), decision=decision))


def _key(event: ToolEvent) -> str:
    return f"{event.session_id} {event.tool_use_id}"
