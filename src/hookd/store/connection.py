"""How the database's file is opened."""

import sqlite3
from pathlib import Path

from hookd.errors import StoreError
from hookd.store.damage import damaged, files_of, is_damage

BUSY_SECONDS = 10.0


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
