"""Numbered migrations, kept by whoever owns the tables and run once under a lock."""

import sqlite3
import time
from collections.abc import Callable
from typing import NamedTuple

from hookd.errors import StoreError
from hookd.store.damage import is_damage
from hookd.store.statements import folder_of

_TABLE = """
CREATE TABLE IF NOT EXISTS migration (
    owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, applied_at REAL NOT NULL,
    PRIMARY KEY (owner, number)
) WITHOUT ROWID
"""


class Migration(NamedTuple):
    """One step of one owner's tables."""

    owner: str
    number: int
    name: str
    sql: str


def load_migrations(package: str) -> list[Migration]:
    """The files `migrations/NNNN_name.sql` of a package, in order."""
    owner = package.rpartition(".")[2]
    steps = []
    for file in (folder_of(package) / "migrations").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        if file.name.endswith(".sql"):
            steps.append(Migration(owner, int(number), name, file.read_text("utf-8")))
    return sorted(steps)


def migrate(
    connection: sqlite3.Connection, migrations: list[Migration], before: Callable[[], object] | None = None
) -> None:
    """Brings the tables up to date; cheap when they already are.

    `before` is called when tables that hold something are about to change, while nobody else can write.
    """
    if _applied(connection).issuperset((step.owner, step.number) for step in migrations):
        return
    # A table is made anew under the eyes of those that refer to it, as SQLite's own instructions have it.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        _migrate(connection, migrations, before)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def _migrate(
    connection: sqlite3.Connection, migrations: list[Migration], before: Callable[[], object] | None
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_TABLE)
        done = _applied(connection)
        steps = [step for step in migrations if (step.owner, step.number) not in done]
        if before is not None and done and steps:
            before()
        for step in steps:
            for statement in _statements(step.sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?, ?, ?)",
                (step.owner, step.number, step.name, time.time()),
            )
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error | sqlite3.Warning) and not is_damage(error):
            raise StoreError(f"a migration of the database failed and was undone: {error}") from error
        raise


def _applied(connection: sqlite3.Connection) -> set[tuple[str, int]]:
    try:
        rows = connection.execute("SELECT owner, number FROM migration").fetchall()
    except sqlite3.OperationalError:
        return set()
    return {(row[0], row[1]) for row in rows}


def _statements(script: str) -> list[str]:
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
