"""Puts a good copy in a damaged database's place; the damaged file is kept beside it."""

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from hookd.errors import StoreError
from hookd.store.backups import Backup, folder_of, listed, sync
from hookd.store.database import Database, files_of, is_damage
from hookd.store.database_file import check
from hookd.store.lock import StoreLock
from hookd.store.migrations import applied

# Of the damaged ones, enough to look into what happened. A sound one that a person replaced is never deleted.
KEEP_ASIDE = 2


def aside_folder(database: Path) -> Path:
    return database.with_name("damaged")


def newest_good(database: Path) -> Backup | None:
    """The newest backup that passes its check."""
    return next((each for each in reversed(listed(folder_of(database))) if not problems_of(each.path)), None)


def problems_of(copy: Path) -> list[str]:
    """What is wrong with a copy, which is read and not changed."""
    try:
        connection = _read_only(copy)
    except sqlite3.Error as error:
        return [str(error)]
    with closing(connection):
        try:
            found = check(Database(connection))
            return found or ([] if applied(connection) else ["it is no database of hookd's"])
        except sqlite3.DatabaseError as error:
            return [str(error) if is_damage(error) else f"it is no database of hookd's: {error}"]


def holds_tables_of(copy: Path, owner: str) -> bool:
    """Whether this owner's tables are in a sound copy."""
    with closing(_read_only(copy)) as db:
        return any(each == owner for each, _ in applied(db))


def _read_only(copy: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(copy))}?mode=ro", uri=True)


def replace(database: Path, lock: StoreLock, copy: Path | None, *, name: str = "hookd") -> Path | None:
    """Puts `copy`, or nothing, where the database is; returns where that one is now, under `name`.

    The caller holds the lock alone. The copy is whole before the database is moved: a full disk changes
    nothing, and a process that dies in between leaves a database that is gone, which is damage again.
    """
    draft = database.with_name(f".{database.name}.restoring")
    try:
        if copy is not None:
            shutil.copyfile(copy, draft)
            draft.chmod(0o600)
            sync(draft)
        aside = _set_aside(database, name)
        if copy is not None:
            draft.rename(database)
            lock.mark()
        else:
            lock.unmark()
        sync(database.parent)
    except OSError as error:
        raise StoreError(
            f"the database cannot be restored: {error}", hint="is the disk full, the folder writable?"
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return aside


def _set_aside(database: Path, name: str) -> Path | None:
    folder = aside_folder(database)
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}"
    moved = None
    for file in files_of(database):
        if os.path.lexists(file):
            target = folder / f"{name}-{stamp}{file.name.removeprefix(database.stem)}"
            file.rename(target)
            moved = moved or target
    _forget_older(folder)
    return moved


def _forget_older(folder: Path) -> None:
    copies = sorted(folder.glob("hookd-*.db"), key=lambda path: path.lstat().st_ctime_ns)
    for old in copies[:-KEEP_ASIDE]:
        for file in files_of(old):
            remove(file)


def remove(path: Path) -> None:
    """Deletes whatever is there; in a damaged database's place there may be a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
