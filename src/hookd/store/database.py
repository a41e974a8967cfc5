"""How the database's file is opened, and one connection as the rooms' repositories use it.

Statements go in, rows and hookd's errors come out. Nobody else knows that the database is SQLite. A
repository gives its callers structs, not rows.
"""

import os
import sqlite3
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hookd.errors import DamagedStoreError, StatementError, StoreError

BUSY_SECONDS = 10.0
_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
Row = sqlite3.Row
Values = Mapping[str, Any] | Sequence[Any]


def connect(path: Path, patience: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection with the settings that every user of the database needs."""
    connection: sqlite3.Connection | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is deleted is overwritten: a project that was purged must not live on in free pages.
        connection.execute("PRAGMA secure_delete = ON")
    except (OSError, sqlite3.Error) as error:
        if connection is not None:
            connection.close()
        if is_damage(error) or any(file.is_dir() for file in files_of(path)):
            raise damaged(path, error) from error
        raise StoreError(
            f"cannot open the database {path}: {error}",
            hint="`hookd doctor` checks the file; events stay in the journal meanwhile",
        ) from error
    return connection


def is_damage(error: BaseException | None) -> bool:
    """Whether the file is broken, as opposed to full, locked or out of reach."""
    if isinstance(error, StatementError):
        error = error.__cause__
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _CODES


def damaged(path: Path, why: object) -> DamagedStoreError:
    return DamagedStoreError(
        f"cannot open the database {path}: {why}",
        hint="the next event restores it from its backup, or `hookd store restore` does",
    )


def in_our_words(path: Path, error: Exception) -> Exception:
    """An error that SQLite raised as one of hookd's: damage, or a statement that failed."""
    if is_damage(error):
        return damaged(path, error)
    return StatementError(str(error)) if isinstance(error, sqlite3.Error) else error


def inode_of(path: Path) -> int:
    """The number of the file of that name; 0 if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def files_of(path: Path) -> list[Path]:
    """The database's file and those that SQLite keeps beside it."""
    return [path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")]


class Database:
    """What a transaction is done with; `Store.reading` and `Store.submit` hand it out."""

    __slots__ = ("_inode", "connection")

    def __init__(self, connection: sqlite3.Connection, inode: int = 0) -> None:
        """`inode` is that of the file, for who asks later whether it is still there."""
        self.connection = connection
        self._inode = inode

    def is_at(self, path: Path) -> bool:
        """Whether this is still the file of that name: SQLite writes on into one that was deleted."""
        return inode_of(path) == self._inode

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        try:
            return self.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise StatementError(str(error)) from error

    def each(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """The rows one at a time: all of them might not fit into memory."""
        try:
            yield from self.connection.execute(sql, values)
        except sqlite3.Error as error:
            raise StatementError(str(error)) from error

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row, if there is one."""
        try:
            found: Row | None = self.connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise StatementError(str(error)) from error
        return found

    def only(self, sql: str, values: Values = ()) -> Row:
        """The row of a statement that always has one, such as a count."""
        found = self.row(sql, values)
        assert found is not None
        return found

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first row's first column; None if there is no row."""
        found = self.row(sql, values)
        return None if found is None else found[0]

    def run(self, sql: str, values: Values = ()) -> int:
        """Changes something and returns how many rows."""
        try:
            return self.connection.execute(sql, values).rowcount
        except sqlite3.Error as error:
            raise StatementError(str(error)) from error

    def run_many(self, sql: str, values: Iterable[Values]) -> None:
        try:
            self.connection.executemany(sql, values)
        except sqlite3.Error as error:
            raise StatementError(str(error)) from error

    def has_table(self, name: str) -> bool:
        """Whether its room has made the table already: rooms make theirs when they first need them."""
        return self.row("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)) is not None

    def make_room(self, kilobytes: int) -> None:
        """Keeps more of the file in memory, for work that touches all of it in no order."""
        self.connection.execute(f"PRAGMA cache_size = -{kilobytes}")

    def apart(self, work: Callable[[], None], tell: Callable[[str], None]) -> None:
        """Undoes the work if it fails, and only it: a bug in it must not keep events out of the store."""
        self.connection.execute("SAVEPOINT apart")
        try:
            work()
        except Exception as error:
            if is_damage(error) or not self.connection.in_transaction:
                raise  # the transaction's business
            self.connection.execute("ROLLBACK TO apart")
            place = [each for each in traceback.extract_tb(error.__traceback__) if each.filename != __file__][
                -1
            ]
            tell(f"{type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}")
        self.connection.execute("RELEASE apart")
