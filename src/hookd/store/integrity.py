"""Whether a database's file is what SQLite wrote."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hookd.errors import DamagedStoreError
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.connection import connect, is_damage
from hookd.store.database import Database

SHOWN = 5


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
