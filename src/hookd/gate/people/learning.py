"""What follows from people's answers: candidates, and rules that need not ask any more."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from hookd.gate.people.grants import GrantBook, Learned
from hookd.gate.record.repository import LearnedCandidate, LearnedRules
from hookd.gate.settings import Gate
from hookd.journal.age import surely_past, too_old
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
        # What people on another machine said is no reason not to ask here.
        if found is not None and not ingestion.foreign:
            _promote(ingestion, found)


def tendency(found: LearnedCandidate) -> Literal["allow", "deny", "unclear"]:
    """What people said to calls of one shape, where they all said the same."""
    if found.approvals and found.refusals:
        return "unclear"
    return "deny" if found.refusals else "allow"


def _promote(ingestion: Ingestion, found: LearnedCandidate) -> None:
    """Puts a rule in force if calls were approved, or refused, often enough and the answers agree."""
    settings = ingestion.config.of(Gate)
    verdict = tendency(found)
    book = GrantBook(ingestion.folders, ingestion.root)
    known = next((each for each in book.read().learned if each.id == found.id), None)
    if known is not None:
        if known.by == "count" and known.verdict != verdict:
            book.unlearn(found.id)  # an answer that does not agree: it is asked about again
        return
    enough = 0 < settings.learn_after <= max(found.approvals, found.refusals)
    # A yes without a person is for what matters little; a no takes nothing from anybody.
    if not enough or verdict == "unclear" or (verdict == "allow" and found.severity not in _AUTOMATIC):
        return
    try:
        book.forget_expired(surely_past(ingestion.db, time.time()) or 0)
        put_in_force(book, found, settings.learned_days, "count", time.time(), verdict)
    except OSError as error:
        ingestion.problem("gate", f"a learned rule could not be put in force: {error}")
        return
    what = "does not ask about such calls any more" if verdict == "allow" else "denies such calls from now on"
    about = f"{found.rule} {what} (`hookd rules learned`)"
    ingestion.problem("grant", f"learned.{found.id} is in force: {about}")


def put_in_force(
    book: GrantBook,
    candidate: LearnedCandidate,
    days: float,
    by: Literal["count", "person"],
    now: float,
    verdict: Literal["allow", "deny"],
) -> Learned:
    """Makes a candidate a rule."""
    learned = Learned(
        id=candidate.id,
        rule=candidate.rule,
        shape=candidate.shape,
        since=now,
        until=now + days * 86_400 if days else None,
        by=by,
        verdict=verdict,
    )
    book.learn(learned)
    return learned


def approve(
    store: Store,
    book: GrantBook,
    project: str,
    number: int,
    days: float,
    now: float,
    verdict: Literal["allow", "deny"],
) -> Learned | None:
    """Puts a candidate in force because a person says so; None if there is none of this number."""
    with store.reading() as db:
        candidate = LearnedRules(db, project).candidate(number)
        book.forget_expired(surely_past(db, now) or 0)
    if candidate is None:
        return None
    return put_in_force(book, candidate, days, "person", now, verdict)


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
