"""Whether a database's file is what SQLite wrote, the room that it takes, and giving that back."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from hookd.errors import DamagedStoreError
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.database import Database, connect, is_damage

if TYPE_CHECKING:
    from hookd.store.engine import Store

SHOWN = 5
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"


def check(db: Database, stop: Cancellation = NEVER, *, thorough: bool = False) -> list[str]:
    """What is wrong, in SQLite's words; `thorough` compares every index and reference too."""
    connection = db.connection
    pragma = "integrity_check" if thorough else "quick_check"
    with stop.lent(connection):
        try:
            rows = [row[0] for row in connection.execute(f"PRAGMA {pragma}({SHOWN})")]
            found = [] if rows == ["ok"] else rows
            if thorough and not found:
                broken = connection.execute("PRAGMA foreign_key_check").fetchmany(SHOWN)
                found = [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in broken]
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            found = [str(error)]
    return found


def check_file(path: Path) -> list[str]:
    """The same for a file that nobody has open; an empty or missing one is no damage here."""
    try:
        with closing(connect(path)) as connection:
            return check(Database(connection))
    except DamagedStoreError as error:
        return [str(error.__cause__ or error)]


def page_counts(store: "Store") -> tuple[int, int, int]:
    """How many pages the file has, how many of them are free, and their size."""
    with store.reading() as db:
        pages, free, size = (
            int(db.value(f"PRAGMA {name}")) for name in ("page_count", "freelist_count", "page_size")
        )
    return pages, free, size


def row_counts(store: "Store") -> dict[str, int]:
    """How many rows each table has."""
    with store.reading() as db:
        return {row[0]: db.value(f'SELECT count(*) FROM "{row[0]}"') for row in db.rows(_TABLES)}


def compact(store: "Store", stop: Cancellation = NEVER) -> None:
    """Rewrites the file without its free pages; readers go on meanwhile, writers wait."""
    with store.reading() as db, stop.lent(db.connection):
        db.connection.execute("VACUUM")
        db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def empty_log(store: "Store") -> None:
    """Nothing that was deleted is left in the log beside the file."""
    with store.reading() as db:
        db.run("PRAGMA wal_checkpoint(TRUNCATE)")
