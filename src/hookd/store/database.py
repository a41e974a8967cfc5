"""One connection as the repositories of the rooms use it: statements in, rows out, and hookd's errors.

Nobody else knows that the database is SQLite. A repository gives its callers structs, not rows.
"""

import os
import sqlite3
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hookd.errors import StatementError
from hookd.store.connection import is_damage

Row = sqlite3.Row
Values = Mapping[str, Any] | Sequence[Any]


class Database:
    """What a transaction is done with; `Store.reading` and `Store.submit` hand it out."""

    __slots__ = ("connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

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
