"""Memory's tables and statements: `queries.sql`, and what only SQLite understands in `queries.sqlite.sql`."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

from hookd.store.database import Database, Row
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements

T = TypeVar("T")


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.memory"))


@cache
def statements() -> dict[str, str]:
    return load_statements("hookd.memory.repository")


class Repository:
    """Statements by their names, with values that all of them have in common."""

    def __init__(self, db: Database, /, **common: Any) -> None:
        self._db = db
        self._common = common

    def _rows(self, which: str, /, **values: Any) -> list[Row]:
        return self._db.rows(statements()[which], self._common | values)

    def _all(self, made: Callable[..., T], which: str, /, **values: Any) -> list[T]:
        """Each row as one of these, its columns in order."""
        return [made(*row) for row in self._rows(which, **values)]

    def _column(self, which: str, /, **values: Any) -> list[Any]:
        return [row[0] for row in self._rows(which, **values)]

    def _value(self, which: str, /, **values: Any) -> Any:
        """The first row's first column; None if there is no row."""
        return self._db.value(statements()[which], self._common | values)

    def _run(self, which: str, /, **values: Any) -> int:
        return self._db.run(statements()[which], self._common | values)


def as_json(value: Any) -> str:
    """A list for a statement that goes through it, or what a column holds as JSON."""
    return msgspec.json.encode(value).decode()
