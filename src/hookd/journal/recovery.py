"""Backups of the store, and what happens when it is damaged: the journal's part and the database's."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from hookd.errors import StoreError
from hookd.journal import archive
from hookd.journal.readers import awaited
from hookd.private_files import take_lock
from hookd.store import backups, incidents, restore
from hookd.store.backups import Backup
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.database_file import check, check_file, empty_log
from hookd.store.engine import Store
from hookd.store.incidents import Incident

# Another process may be making a backup just now.
SWEEP_PATIENCE = 30.0


class Keeper:
    """Keeps one store safe."""

    def __init__(self, store: Store, journals: Path) -> None:
        self.store = store
        self.journals = journals
        """The folder that has every project's journal folder."""

    def projects(self) -> list[Path]:
        try:
            return sorted(path for path in self.journals.iterdir() if path.is_dir())
        except OSError:
            return []

    def keeps_anything(self) -> bool:
        """Whether there is something to restore a database from."""
        return any(map(archive.kept_files, self.projects())) or bool(
            backups.listed(backups.folder_of(self.store.path))
        )

    @contextmanager
    def one_at_a_time(self, patience: float = 0.0) -> Iterator[bool]:
        """For work that would be wasted if two processes did it; False if another one is at it."""
        path = self.store.path.with_name(f"{self.store.path.name}.upkeep")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield take_lock(descriptor, fcntl.LOCK_EX, patience)
        finally:
            os.close(descriptor)

    def backup(self, why: str, keep: int, stop: Cancellation = NEVER) -> Backup:
        """A new backup, all but the newest `keep` of them gone."""
        folder = backups.folder_of(self.store.path)
        numbers = [each.number for each in backups.listed(folder)]
        for project in self.projects():
            numbers += archive.rolled(project)
        number = max(numbers, default=0) + 1
        for project in self.projects():
            stop.look()
            with archive.ingest_lock(project, self.store.patience):
                archive.roll(project, number)
        with self.store.reading() as db:
            made = backups.make(db, folder, why, number, stop)
        backups.prune(folder, keep)
        # The newest backup may turn out bad when it is needed; the one before it needs its records too.
        known = backups.listed(folder)
        if len(known) >= min(keep, 2):
            for project in self.projects():
                archive.drop(project, known[-min(keep, 2)].number, partial(awaited, project))
        return made

    def sweep(self, why: str) -> None:
        """Nothing that was deleted is left in the log, the backups or the damaged copies."""
        self.store.close()
        empty_log(self.store)
        with self.one_at_a_time(SWEEP_PATIENCE) as alone:
            if not alone:
                raise StoreError(
                    "it is forgotten here, but another process is making a backup that may still have it",
                    hint="run the same command again in a moment: it replaces the backups",
                )
            self.backup(why, keep=1)
        folder = backups.folder_of(self.store.path)
        for path in (*folder.glob(".hookd-*"), *restore.aside_folder(self.store.path).glob("*.db*")):
            restore.remove(path)

    def check(self, stop: Cancellation = NEVER) -> list[str]:
        """What is wrong with the database; raises DamagedStoreError if it cannot even be opened."""
        with self.store.reading() as db:
            return check(db, stop)

    def mend(self) -> Incident | None:
        """Replaces the database if it is damaged, by its newest good backup or by a new one."""
        with self._to_ourselves():
            found = self._damage()  # the process that had the lock before us may have mended it
            if not found:
                return None
            return self._replace("; ".join(found), restore.newest_good(self.store.path))

    def restore(self, copy: Backup) -> Incident:
        """Puts a copy in the database's place, because a person wants it."""
        with self._to_ourselves():
            return self._replace("by hand", copy, name="replaced")

    def _damage(self) -> list[str]:
        path = self.store.path
        if not os.path.lexists(path) or (path.is_file() and path.stat().st_size == 0):
            return ["the file was empty or gone"] if self.store.lock.marked else []
        return [f"the file was damaged ({found})" for found in check_file(path)[:1]]

    def _replace(self, why: str, copy: Backup | None, name: str = "hookd") -> Incident:
        # First the journal, which nothing can double: dying after this costs nothing.
        records = sum(archive.bring_back(project) for project in self.projects())
        aside = restore.replace(self.store.path, self.store.lock, copy.path if copy else None, name=name)
        incident = Incident(
            at=time.time(),
            why=why,
            backup=copy.path.name if copy else "",
            backup_at=copy.at if copy else 0.0,
            records=records,
            kept=str(aside or ""),
        )
        incidents.add(self.store.path, incident)
        return incident

    @contextmanager
    def _to_ourselves(self) -> Iterator[None]:
        """Nobody has the database open and nobody is about to: an ingester waits with its lock held."""
        patience = self.store.patience
        while True:
            with ExitStack() as held:
                locked = self.projects()
                for project in locked:
                    held.enter_context(archive.ingest_lock(project, patience))
                held.enter_context(self.store.lock.alone(patience))
                if self.projects() == locked:
                    yield
                    return
