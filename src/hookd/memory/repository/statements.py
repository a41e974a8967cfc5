"""Memory's tables and statements: `queries.sql`, and what only SQLite understands in `queries.sqlite.sql`."""

from functools import cache

from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.memory"))


@cache
def statements() -> dict[str, str]:
    return load_statements("hookd.memory.repository")
