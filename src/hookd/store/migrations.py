"""Numbered migrations, kept by the room that owns the tables and run once under a lock."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from hookd.errors import StoreError, UpgradingStoreError
from hookd.store.database import Database, is_damage
from hookd.store.statements import folder_of

# hookd 0.1 does not look whether the store is newer than itself and would write on in tables that mean
# something else by now. It reads this table; without it, it fails at its first migration and changes nothing.
_OLDER_NAME = "migration"
_TABLE = """
CREATE TABLE IF NOT EXISTS applied_migration (
    owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, applied_at REAL NOT NULL,
    PRIMARY KEY (owner, number)
) WITHOUT ROWID
"""


class Migration(NamedTuple):
    """One change of one owner's tables."""

    owner: str
    number: int
    name: str
    sql: str


def load_migrations(package: str) -> list[Migration]:
    """The files `migrations/NNNN_name.sql` of a package, in order."""
    owner = package.rpartition(".")[2]
    found = []
    for file in (folder_of(package) / "migrations").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        if file.name.endswith(".sql"):
            found.append(Migration(owner, int(number), name, file.read_text("utf-8")))
    return sorted(found)


def migrate(
    connection: sqlite3.Connection, migrations: list[Migration], before: Callable[[], object] | None = None
) -> None:
    """Brings the tables up to date; cheap when they already are.

    `before` is called when tables that hold something are about to change, while nobody else can write. A
    migration in steps is only begun here, if its tables may hold something: then, and while it is under way,
    this raises UpgradingStoreError, and `upgrade` has to be called until it is done.
    """
    done = applied(connection)
    _refuse_newer(done, migrations)
    if done.issuperset((each.owner, each.number) for each in migrations):
        return
    from hookd.store import steps  # seldom needed

    if _under_way(connection, migrations) is not None:
        raise _upgrading(connection, migrations)
    with _transaction(connection):
        _make_table(connection)
        done = applied(connection)
        waiting = [each for each in migrations if (each.owner, each.number) not in done]
        begun = _under_way(connection, migrations) is not None  # by a process that was faster
        owners = {owner for owner, _ in done}
        if before is not None and not begun and any(each.owner in owners for each in waiting):
            before()
        while waiting and not begun:
            migration = waiting.pop(0)
            if migration.owner in owners and steps.steps_of(migration.sql):
                steps.begin(connection, migration)
                begun = True
            else:
                for statement in steps.statements_of(migration.sql):
                    connection.execute(statement)
                _note(connection, migration)
    if begun:
        raise _upgrading(connection, migrations)


def upgrade(connection: sqlite3.Connection, migrations: list[Migration], go_on: Callable[[], bool]) -> None:
    """Goes on with a migration in steps, by one step at least.

    Raises UpgradingStoreError if more is left when `go_on`, which is asked after each step, says no.
    """
    from hookd.store import steps

    while (migration := _under_way(connection, migrations)) is not None:
        with _transaction(connection):
            if _under_way(connection, [migration]) and steps.advance(connection, migration):
                _note(connection, migration)
        if _under_way(connection, migrations) and not go_on():
            raise _upgrading(connection, migrations)


def upgrade_progress(db: Database) -> float | None:
    """How far a migration in steps is, from 0 to 1; None if none is under way."""
    from hookd.store import steps

    return steps.progress(db.connection)


def applied(connection: sqlite3.Connection) -> set[tuple[str, int]]:
    """The owner and number of each migration that the database has seen to its end."""
    found = _listed(connection, "applied_migration")
    return (_listed(connection, _OLDER_NAME) or set()) if found is None else found


def _listed(connection: sqlite3.Connection, table: str) -> set[tuple[str, int]] | None:
    try:
        return {(row[0], row[1]) for row in connection.execute(f"SELECT owner, number FROM {table}")}
    except sqlite3.OperationalError:
        return None  # there never was such a table


def _refuse_newer(done: set[tuple[str, int]], migrations: list[Migration]) -> None:
    """Tables that a later hookd has changed mean what this one does not know."""
    newest: dict[str, int] = {}
    for each in migrations:
        newest[each.owner] = max(newest.get(each.owner, 0), each.number)
    if any(number > newest.get(owner, number) for owner, number in done):
        raise StoreError(
            "the store is of a newer hookd", hint="update this one; events stay in the journal meanwhile"
        )


def _make_table(connection: sqlite3.Connection) -> None:
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if _OLDER_NAME in names and "applied_migration" not in names:
        connection.execute(f"ALTER TABLE {_OLDER_NAME} RENAME TO applied_migration")
    connection.execute(_TABLE)


def _under_way(connection: sqlite3.Connection, migrations: list[Migration]) -> Migration | None:
    begun = _listed(connection, "migration_under_way") or ()
    return next((each for each in migrations if (each.owner, each.number) in begun), None)


def upgrading(progress: float) -> UpgradingStoreError:
    """The error that says how far a migration in steps is, from 0 to 1."""
    error = UpgradingStoreError(
        f"the store is being brought up to date: {progress * 100:.0f} %",
        hint="events stay in the journal meanwhile; `hookd status` says how far it is",
    )
    error.progress = progress
    return error


def _upgrading(connection: sqlite3.Connection, migrations: list[Migration]) -> UpgradingStoreError:
    from hookd.store import steps

    return upgrading(steps.progress(connection, {each.owner for each in migrations}) or 0.0)


def _note(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute(
        "INSERT INTO applied_migration VALUES (?, ?, ?, ?)",
        (migration.owner, migration.number, migration.name, time.time()),
    )


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # A table is made anew under the eyes of those that refer to it, as SQLite's own instructions have it.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error | sqlite3.Warning) and not is_damage(error):
            raise StoreError(f"a migration of the database failed and was undone: {error}") from error
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
