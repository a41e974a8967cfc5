"""What follows from people's answers: candidates, and rules that need not ask any more."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from hookd.gate.people.grants import GrantBook, Learned
from hookd.gate.record.repository import LearnedCandidate, LearnedRules
from hookd.gate.settings import Gate
from hookd.journal.age import too_old
from hookd.journal.entries import GateAnswer

if TYPE_CHECKING:
    from hookd.capability import Ingestion
    from hookd.store.engine import Store

CANDIDATE_DAYS = 180
_AUTOMATIC = frozenset({"low", "medium"})


def take(ingestion: Ingestion) -> None:
    """Takes answers in, and puts a rule in force by itself where the person has it so."""
    rules = LearnedRules(ingestion.db, ingestion.key)
    for answer in ingestion.records:
        if not isinstance(answer, GateAnswer):
            continue
        if answer.decision == "revoked":
            rules.revoke(answer.rule, answer.shape, answer.at)
            continue
        forget_before = too_old(ingestion.db, CANDIDATE_DAYS, time.time()) or 0
        found = rules.keep(answer, forget_before=forget_before)
        # What people on another machine approved is no reason not to ask here.
        if found is not None and answer.decision == "approved" and not ingestion.foreign:
            _promote(ingestion, found)


def _promote(ingestion: Ingestion, found: LearnedCandidate) -> None:
    """Puts a rule in force, if it was approved often enough and the decisions agree."""
    settings = ingestion.config.of(Gate)
    enough = 0 < settings.learn_after <= found.approvals
    if not enough or found.refusals or found.severity not in _AUTOMATIC:
        return
    book = GrantBook(ingestion.folders, ingestion.root)
    if any(known.id == found.id for known in book.read().learned):
        return
    try:
        put_in_force(book, found, settings.learned_days, "count", time.time())
    except OSError as error:
        ingestion.problem("gate", f"a learned rule could not be put in force: {error}")
        return
    about = f"{found.rule} does not ask about `{found.words}` any more"
    ingestion.problem("grant", f"learned.{found.id} is in force: {about}")


def put_in_force(
    book: GrantBook, candidate: LearnedCandidate, days: float, by: Literal["count", "person"], now: float
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


def revoke(
    store: Store, book: GrantBook, project: str, number: int, record: Callable[[GateAnswer], object]
) -> bool:
    """Has a rule ask again, and what was approved so far not count any more; whether it was in force."""
    with store.reading() as db:
        found = LearnedRules(db, project).candidate(number)
    if found is not None:
        now, name = time.time(), os.urandom(16).hex()
        record(GateAnswer(id=name, at=now, decision="revoked", rule=found.rule, shape=found.shape))
    return book.unlearn(number)
