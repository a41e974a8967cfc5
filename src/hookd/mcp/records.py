"""lessons and incidents: what is on record now; whoever learns more adds observations of those kinds."""

import sqlite3
from collections.abc import Iterator

from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learned import candidates
from hookd.gate.record.verdicts import Stop, stops
from hookd.journal.ingest import queries
from hookd.mcp.here import Here
from hookd.mcp.inputs import Incidents, Lessons
from hookd.mcp.reading import since
from hookd.mcp.wording import index_line, one_line
from hookd.memory.exchange import iso
from hookd.memory.fencing import enclosed
from hookd.memory.recall.searching import Filters
from hookd.store.incidents import known

_SAID = {"deny": "denied", "ask": "asked about"}


def lessons(here: Here, given: Lessons) -> str:
    """What was learned from sessions, and which questions of the gate people have answered for good."""
    at_hand = here.opened()
    with at_hand.memory.store.reading() as db:
        found = at_hand.memory.search(
            db, "", Filters(project=here.place.key, kind="lesson"), limit=given.limit
        )
        learned = list(_learned(db, here))[: given.limit]
    parts = {
        "lessons": [index_line(each, here=here.place.key) for each in found],
        "answers of people to the gate's questions": learned,
    }
    return _shown(parts, "No lessons yet: none is remembered, and the gate's questions have taught nothing.")


def _learned(db: sqlite3.Connection, here: Here) -> Iterator[str]:
    if not _has(db, "learned_rule"):
        return
    in_force = {each.id for each in GrantBook(here.folders, here.root).read().learned}
    for row in candidates(db, here.place.key):
        state = "not asked any more" if row["id"] in in_force else "still asked"
        yield (
            f"{iso(row['last_at'])[:10]} {one_line(row['rule'])}, {state}:"
            f" approved {row['approvals']}, refused {row['refusals']}: {one_line(row['words'], 100)}"
        )


def incidents(here: Here, given: Incidents) -> str:
    """What the gate stopped, what failed in hookd itself, and what is remembered as an incident."""
    at_hand = here.opened()
    begin = since(given.since) or 0.0
    values = {"project": here.place.key, "since": begin, "limit": given.limit}
    with at_hand.memory.store.reading() as db:
        found = at_hand.memory.search(
            db, "", Filters(project=here.place.key, kind="incident", since=begin), limit=given.limit
        )
        stopped = stops(db, here.place.key, since=begin, limit=given.limit)
        problems = db.execute(queries()["problems"], values).fetchall()
    replaced = [each for each in known(here.folders.database) if each.at > begin]
    parts = {
        "incidents": [index_line(each, here=here.place.key) for each in found],
        "stopped by the gate, newest first": [_stopped(each) for each in stopped],
        "trouble of hookd's own": [
            *(f"{iso(each.at)[:16]} {one_line(each.says(), 300)}" for each in reversed(replaced)),
            *(f"{iso(row['last_at'])[:16]} {row['kind']}: {one_line(row['what'])}" for row in problems),
        ],
    }
    return _shown(parts, "No incidents are on record: nothing was stopped and nothing went wrong.")


def _stopped(stop: Stop) -> str:
    said = _SAID.get(stop.verdict.get("verdict", ""), "stopped")
    rule = one_line(str(stop.verdict.get("rule") or "a hook"), 60)
    return f"{iso(stop.at)[:16]} {said} by {rule}: {one_line(stop.subject, 100)}"


def _has(db: sqlite3.Connection, table: str) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None


def _shown(parts: dict[str, list[str]], nothing: str) -> str:
    """The parts that have something, each in a fence: commands and names in them are whoever's."""
    shown = [enclosed("\n".join(lines), what) for what, lines in parts.items() if lines]
    return "\n".join(shown) or nothing
