"""A part of a transaction that may fail by itself."""

import os
import sqlite3
import traceback
from collections.abc import Callable

from hookd.store.damage import is_damage


def apart(db: sqlite3.Connection, work: Callable[[], None], tell: Callable[[str], None]) -> None:
    """Undoes the work if it fails, and only it: a bug in it must not keep events out of the store."""
    db.execute("SAVEPOINT apart")
    try:
        work()
    except Exception as error:
        if is_damage(error) or not db.in_transaction:
            raise  # the transaction's business
        db.execute("ROLLBACK TO apart")
        place = traceback.extract_tb(error.__traceback__)[-1]
        tell(f"{type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}")
    db.execute("RELEASE apart")
