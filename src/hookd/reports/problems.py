"""What went wrong in hookd itself: the problems on record, and databases that had to be replaced."""

import time
from pathlib import Path
from typing import TypedDict

import msgspec

from hookd.journal.repository import Events
from hookd.store import incidents
from hookd.store.database import Database
from hookd.store.incidents import Incident
from hookd.store.migrations import upgrade_progress, upgrading

RECENT_SECONDS = 7 * 86_400.0


class Problem(TypedDict):
    """A problem as `hookd status --json` has it; the same one again is counted."""

    kind: str
    what: str
    first_at: float
    last_at: float
    count: int


def recorded_problems(db: Database, project: str, since: float, limit: int) -> list[Problem]:
    """The problems that a project had since a moment, the latest first."""
    found = Events(db, project).problems(since, limit)
    return [Problem(**msgspec.structs.asdict(each)) for each in found]  # type: ignore[typeddict-item]


def store_incidents(database: Path, since: float) -> list[Incident]:
    """What happened to the database since a moment, oldest first; it concerns every project."""
    return [each for each in incidents.known(database) if each.at > since]


def store_upgrade(db: Database) -> list[Problem]:
    """That the store is being brought up to date, and how far that is."""
    found = upgrade_progress(db)
    now = time.time()
    return [store_problem(str(upgrading(found)), now, now)] if found is not None else []


def store_problem(what: str, first_at: float, last_at: float) -> Problem:
    """Something about the store, told as a problem."""
    return {"kind": "store", "what": what, "count": 1, "first_at": first_at, "last_at": last_at}
