"""What was learned from people's answers to the gate's questions."""

from typing import Literal

import msgspec

from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learned import candidate, candidates
from hookd.gate.record.verdicts import queries
from hookd.journal.ingest import open_store
from hookd.paths import Project
from hookd.runs.record import iso
from hookd.store.database import Database, Row
from hookd.store.engine import Store
from hookd.store.migrations import load_migrations


class Evidence(msgspec.Struct, frozen=True):
    """One answer of a person's."""

    at: str
    session: str
    decision: str


class LearnedRule(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one shape that a rule asks about, and what people said."""

    id: int
    state: Literal["in force", "revoked", "candidate"]
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
    """The store with the tables that this needs."""
    store = open_store(project.folders.database)
    store.adopt(load_migrations("hookd.gate"))
    return store


def learned_rules(db: Database, project: str, book: GrantBook) -> list[LearnedRule]:
    """Everything that was learned in a project, by its key, the latest first."""
    if not db.has_table("learned_rule"):
        return []
    return [_learned(db, row, book) for row in candidates(db, project)]


def learned_candidate(project: Project, number: int) -> Row | None:
    """What may be put in force or revoked under this number, as it is in the store."""
    with learned_store(project).reading() as db:
        return candidate(db, project.key, number)


def _learned(db: Database, row: Row, book: GrantBook) -> LearnedRule:
    grant = next((each for each in book.read().learned if each.id == row["id"]), None)
    evidence = db.rows(queries()["evidence"], {"learned": row["id"]})
    revoked = row["revoked_at"] >= row["last_at"]
    return LearnedRule(
        id=row["id"],
        state="in force" if grant else "revoked" if revoked else "candidate",
        rule=row["rule"],
        severity=row["severity"],
        words=row["words"],
        example=row["example"],
        approvals=row["approvals"],
        refusals=row["refusals"],
        first=iso(row["first_at"]),
        last=iso(row["last_at"]),
        by=grant.by if grant else None,
        until=iso(grant.until) if grant and grant.until else None,
        evidence=[Evidence(iso(each["at"]), each["session"], each["decision"]) for each in evidence],
    )
