"""Migrations in steps: for tables that may be large, each step and each batch is a transaction of its own.

The file of such a migration is divided by lines `-- step` and `-- step, repeated while SELECT ...`. A
repeated step is a batch that is done again until it changes nothing; its query counts what is left.
How far a migration is stands in the database: after a process that was killed the next one goes on from
there, and two processes at once take turns.
"""

import re
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hookd.store.migrations import Migration

_TABLE = """
CREATE TABLE IF NOT EXISTS migration_under_way (
    owner TEXT NOT NULL, number INTEGER NOT NULL, step INTEGER NOT NULL, rows INTEGER, progress REAL NOT NULL,
    PRIMARY KEY (owner, number)
) WITHOUT ROWID
"""
_DIVIDER = re.compile(r"^-- step(?:, repeated while (SELECT .+))?$", re.MULTILINE)


class Step(NamedTuple):
    """A part of a migration that is committed by itself."""

    statements: list[str]
    left: str | None = None
    """For a step that is repeated: the query that counts what it has still to do."""


def steps_of(script: str) -> list[Step]:
    """The steps of a migration; none if it is to be run as a whole."""
    _, *parts = _DIVIDER.split(script)  # what the divider says, then what stands below it
    return [Step(statements_of(text), left) for left, text in zip(parts[::2], parts[1::2], strict=True)]


def statements_of(script: str) -> list[str]:
    """The script's statements one by one: executescript would commit the transaction we are in."""
    statements: list[str] = []
    *pieces, last = script.split(";")
    begun = ""
    for piece in pieces:
        begun += f"{piece};"
        if sqlite3.complete_statement(begun):
            statements.append(begun)
            begun = ""
    rest = begun + last
    return [*statements, rest] if rest.strip() else statements


def begin(connection: sqlite3.Connection, migration: "Migration") -> None:
    """Notes, within a transaction, that the first step is next."""
    connection.execute(_TABLE)
    connection.execute(
        "INSERT INTO migration_under_way VALUES (?, ?, 0, NULL, 0)", (migration.owner, migration.number)
    )


def progress(connection: sqlite3.Connection, owners: set[str] | None = None) -> float | None:
    """How far a migration is, from 0 to 1; None if none is under way, of these owners or of any."""
    try:
        rows = connection.execute("SELECT owner, progress FROM migration_under_way").fetchall()
    except sqlite3.OperationalError:
        return None  # there never was one
    return min((row[1] for row in rows if owners is None or row[0] in owners), default=None)


def advance(connection: sqlite3.Connection, migration: "Migration") -> bool:
    """Does the next step, or the next batch of it, within a transaction; whether it was the last one."""
    key = (migration.owner, migration.number)
    number, rows = connection.execute(
        "SELECT step, rows FROM migration_under_way WHERE owner = ? AND number = ?", key
    ).fetchone()
    steps = steps_of(migration.sql)
    step = steps[number]
    if step.left is not None and rows is None:
        rows = connection.execute(step.left).fetchone()[0]
    before = connection.total_changes
    for statement in step.statements:
        connection.execute(statement)
    part = 0.0
    if step.left is None or connection.total_changes == before:
        number, rows = number + 1, None
    else:
        left = connection.execute(step.left).fetchone()[0]
        part = 1 - min(left, rows) / rows if rows else 0.0
    if number == len(steps):
        connection.execute("DELETE FROM migration_under_way WHERE owner = ? AND number = ?", key)
        return True
    connection.execute(
        "UPDATE migration_under_way SET step = ?, rows = ?, progress = ? WHERE owner = ? AND number = ?",
        (number, rows, (number + part) / len(steps), *key),
    )
    return False
