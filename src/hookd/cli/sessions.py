"""The sessions on record, as the commands about runs find them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from hookd.cli.common import bring_in
from hookd.errors import UsageError
from hookd.journal.ingest import open_store, queries
from hookd.paths import Project, project_key


@contextmanager
def reading(here: Project) -> Iterator[sqlite3.Connection]:
    """The store, with what is still in the journal brought in."""
    bring_in(here)
    with open_store(here.folders.database).reading() as db:
        yield db


def sessions_of(db: sqlite3.Connection, here: Project, limit: int) -> list[sqlite3.Row]:
    """The sessions on record, newest first."""
    values = {"project": project_key(here.root), "limit": limit}
    return db.execute(queries()["sessions"], values).fetchall()


def find_run(sessions: list[sqlite3.Row], name: str) -> sqlite3.Row:
    """The session that a person means by a name, the beginning of one, an id or `last`."""
    if not sessions:
        raise UsageError("no session is on record for this project", hint="work with an agent here first")
    if name == "last":
        return sessions[0]
    found = [row for row in sessions if name in (row["run"], row["id"])] or [
        row for row in sessions if row["run"].startswith(name) or row["id"].startswith(name)
    ]
    if not found:
        raise UsageError(f"no run is called {name}", hint="`hookd runs list` has the names")
    if len(found) > 1:
        names = ", ".join(row["run"] for row in found[:5])
        raise UsageError(f"{name} could be any of {names}", hint="write more of the name")
    return found[0]
