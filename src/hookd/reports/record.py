"""The record as it stands, the journal brought in; hookd's own problems on it, and replaced databases."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import msgspec

from hookd.daemon.recorder import Recorder
from hookd.journal.ingest import open_store, origin_of
from hookd.journal.repository import Events
from hookd.journal.segments import read_tail, segments
from hookd.paths import Project, UserFolders
from hookd.store.database import Database
from hookd.store.migrations import upgrade_progress, upgrading

if TYPE_CHECKING:
    from hookd.store.incidents import Incident

RECENT_SECONDS = 7 * 86_400.0


class Problem(TypedDict):
    """A problem as `hookd status --json` has it; the same one again is counted."""

    kind: str
    what: str
    first_at: float
    last_at: float
    count: int


def bring_in(project: Project) -> list[str]:
    """Brings what daemons, running or dead, have left in the journal into the store; says what cannot be."""
    recorder = Recorder(project.root, project.folders)
    recorder.close()
    return list(recorder.failures.values())


def bring_in_all(folders: UserFolders) -> None:
    """Brings in what daemons of any project have left: something is about to be forgotten everywhere."""
    for folder in folders.journals.glob("*"):
        for path in segments(folder):
            origin = origin_of(read_tail(path, 0).first)
            if origin is not None:
                Recorder(origin.root, folders).close()
                break


@contextmanager
def reading(project: Project) -> Iterator[Database]:
    """The store to read from, up to date for this project."""
    bring_in(project)
    with open_store(project.folders.database).reading() as db:
        yield db


def recorded_problems(db: Database, project: str, since: float, limit: int) -> list[Problem]:
    """The problems that a project had since a moment, the latest first."""
    found = Events(db, project).problems(since, limit)
    return [Problem(**msgspec.structs.asdict(each)) for each in found]  # type: ignore[typeddict-item]


def store_incidents(database: Path, since: float) -> "list[Incident]":
    """What happened to the database since a moment, oldest first; it concerns every project."""
    from hookd.store import incidents  # with all that restores a database, and most look at the record only

    return [each for each in incidents.known(database) if each.at > since]


def store_upgrade(db: Database) -> list[Problem]:
    """That the store is being brought up to date, and how far that is."""
    found = upgrade_progress(db)
    now = time.time()
    return [store_problem(str(upgrading(found)), now, now)] if found is not None else []


def store_problem(what: str, first_at: float, last_at: float) -> Problem:
    """Something about the store, told as a problem."""
    return {"kind": "store", "what": what, "count": 1, "first_at": first_at, "last_at": last_at}
