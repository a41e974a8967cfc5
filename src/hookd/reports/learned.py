"""What was learned from people's answers to the gate's questions."""

from typing import Literal

import msgspec

from hookd.gate.people.grants import GrantBook, Learned
from hookd.gate.people.learning import tendency
from hookd.gate.record.repository import LearnedCandidate, LearnedRules, migrations
from hookd.journal.ingest import open_store
from hookd.paths import Project
from hookd.reports.record import bring_in
from hookd.runs.record import iso
from hookd.store.database import Database
from hookd.store.engine import Store


class Evidence(msgspec.Struct, frozen=True):
    """One answer of a person's."""

    at: str
    session: str
    decision: str


class LearnedRule(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one shape that a rule asks about, and what people said."""

    id: int
    state: Literal["in force", "expired", "revoked", "candidate"]
    verdict: Literal["allow", "deny", "unclear"]
    """What it says, or would say: what people answered, where they all answered the same."""
    rule: str
    severity: str
    words: str
    """The shape, as a person reads it."""
    example: str
    approvals: int
    refusals: int
    first: str
    last: str
    by: str | None
    """Who put it in force, if it is."""
    until: str | None
    evidence: list[Evidence]


def learned_store(project: Project) -> Store:
    """The store with the tables that this needs, and what the journal has brought into it."""
    bring_in(project)
    store = open_store(project.folders.database)
    store.adopt(list(migrations()))
    return store


def learned_rules(db: Database, project: Project) -> list[LearnedRule]:
    """Everything that was learned in a project, the latest first."""
    rules = LearnedRules(db, project.key)
    book = GrantBook(project.folders, project.root)
    granted = {each.id: each for each in book.read().learned}
    expired = {each.id for each in book.learned_ever()} - granted.keys()
    return [
        _learned(rules, each, granted.get(each.id), expired=each.id in expired) for each in rules.candidates()
    ]


def _learned(
    rules: LearnedRules, found: LearnedCandidate, grant: Learned | None, *, expired: bool
) -> LearnedRule:
    revoked = found.revoked_at >= found.last_at
    return LearnedRule(
        id=found.id,
        state="in force" if grant else "expired" if expired else "revoked" if revoked else "candidate",
        verdict=grant.verdict if grant else tendency(found),
        rule=found.rule,
        severity=found.severity,
        words=found.words,
        example=found.example,
        approvals=found.approvals,
        refusals=found.refusals,
        first=iso(found.first_at),
        last=iso(found.last_at),
        by=grant.by if grant else None,
        until=iso(grant.until) if grant and grant.until else None,
        evidence=[Evidence(iso(at), session, said) for at, session, said in rules.answers(found.id)],
    )
