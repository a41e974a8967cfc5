"""What counts as damage: the file is broken, as opposed to full, locked or out of reach."""

import sqlite3
from pathlib import Path

from hookd.errors import DamagedStoreError, StatementError

_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


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
