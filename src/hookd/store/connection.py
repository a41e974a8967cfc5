"""How the database's file is opened, and what counts as damage: broken, not full, locked or out of reach."""

import sqlite3
from pathlib import Path

from hookd.errors import DamagedStoreError, StatementError, StoreError

BUSY_SECONDS = 10.0
_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


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


def files_of(path: Path) -> list[Path]:
    """The database's file and those that SQLite keeps beside it."""
    return [path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")]
