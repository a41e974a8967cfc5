"""Copies of the database, made while others use it and checked before they count."""

import contextlib
import os
import re
import sqlite3
import time
from calendar import timegm
from pathlib import Path
from typing import NamedTuple

from hookd.errors import DamagedStoreError, StoreError
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.database import Database, is_damage
from hookd.store.database_file import check

# Small enough to stop soon, large enough that asking costs nothing.
PAGES_AT_ONCE = 1000
_NAME = re.compile(r"hookd-(\d{6,})-(\d{8}T\d{6}Z)-([a-z]+)\.db")
_TIME = "%Y%m%dT%H%M%SZ"


class Backup(NamedTuple):
    """One copy. The number tells the order: the clock may have jumped."""

    number: int
    at: float
    why: str
    path: Path


def folder_of(database: Path) -> Path:
    return database.with_name("backups")


def listed(folder: Path) -> list[Backup]:
    """All copies, oldest first."""
    found = []
    for path in folder.glob("hookd-*.db"):
        if match := _NAME.fullmatch(path.name):
            at = float(timegm(time.strptime(match[2], _TIME)))
            found.append(Backup(int(match[1]), at, match[3], path))
    return sorted(found)


def make(
    source: Database, folder: Path, why: str, number: int | None = None, stop: Cancellation = NEVER
) -> Backup:
    """A copy of what is committed now, under the next number; raises DamagedStoreError if it is broken."""
    known = listed(folder)
    number = max(number or 0, known[-1].number + 1 if known else 1)
    now = time.time()
    path = folder / f"hookd-{number:06d}-{time.strftime(_TIME, time.gmtime(now))}-{why}.db"
    write_copy(source, path, stop)
    return Backup(number, now, why, path)


def write_copy(source: Database, path: Path, stop: Cancellation = NEVER) -> None:
    """Writes the database to `path`, which is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy(source.connection, draft, stop)
        sync(draft)
        draft.rename(path)
        sync(path.parent)
    except (OSError, sqlite3.Error) as error:
        if is_damage(error):
            raise DamagedStoreError(f"the database cannot be copied: {error}") from error
        raise StoreError(
            f"no backup could be written to {path}: {error}", hint="is the disk full, the folder writable?"
        ) from error
    finally:
        with contextlib.suppress(OSError):  # gone already, or what kept it from being written is still there
            draft.unlink()


def _copy(source: sqlite3.Connection, draft: Path, stop: Cancellation) -> None:
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as target:
        # One transaction for all of it: writers beside it neither wait nor make it begin again.
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(target, pages=PAGES_AT_ONCE, progress=lambda *_: stop.look())
        finally:
            source.execute("ROLLBACK")
        # A file of its own, which needs no log beside it.
        target.execute("PRAGMA journal_mode = DELETE")
        found = check(Database(target), stop)
    if found:
        raise DamagedStoreError(f"the database is damaged: {'; '.join(found)}")


def sync(path: Path) -> None:
    """Returns once the file or folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def prune(folder: Path, keep: int) -> None:
    """Deletes all but the newest copies, and drafts that a killed process left."""
    for old in listed(folder)[:-keep]:
        old.path.unlink(missing_ok=True)
    for draft in folder.glob(".hookd-*"):
        if time.time() - draft.stat().st_mtime > 3600:
            draft.unlink(missing_ok=True)
