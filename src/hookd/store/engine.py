"""SQLite with one writer thread per process, group commit and as many readers as wanted."""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hookd.errors import StatementError, StoreError, UpgradingStoreError
from hookd.store.database import (
    BUSY_SECONDS,
    Database,
    connect,
    damaged,
    in_our_words,
    inode_of,
    is_damage,
)
from hookd.store.lock import StoreLock
from hookd.store.migrations import Migration, migrate, upgrade, upgrading

Result = TypeVar("Result")
Job = Callable[[Database], Any]
Batch = list[tuple[Job, Future[Any]]]
Jobs = queue.SimpleQueue[tuple[Job, Future[Any]] | None]

# An idle writer lets go of the database, so that a damaged one can be replaced under running daemons.
IDLE_SECONDS = 1.0
# A store beyond this size takes longer to copy and to bring up to date than an agent or a reader should wait.
LARGE_BYTES = 32 * 1024 * 1024


class Store:
    """The database as the rest of hookd sees it: `submit` to write, `reading` to read."""

    def __init__(self, path: Path, migrations: list[Migration]) -> None:
        self.path = path
        self.lock = StoreLock(path)
        self.patience = BUSY_SECONDS
        """How long to wait for other processes, in seconds."""
        self._migrations = migrations
        self._jobs: Jobs = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start_lock = threading.Lock()

    def submit(self, job: Callable[[Database], Result]) -> Future[Result]:
        """Runs `job` in the writer thread; the future is done once its transaction is on disk."""
        future: Future[Result] = Future()
        with self._start_lock:
            if self._thread is None:
                # A queue of its own: a writer that is just being closed must not take this one's jobs.
                self._jobs = queue.SimpleQueue()
                self._thread = threading.Thread(
                    target=self._write, args=(self._jobs,), name="hookd-writer", daemon=True
                )
                self._thread.start()
            self._jobs.put((job, future))
        return future

    def adopt(self, migrations: list[Migration]) -> None:
        """Has one more owner's tables from now on; who needs none of them neither waits nor has them made."""
        with self._start_lock:
            more = [step for step in migrations if step not in self._migrations]
            if more:  # a writer that has them already stays connected
                self._migrations = [*self._migrations, *more]

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """A connection of one's own, closed afterwards."""
        with self._opened(has_time=False) as database:
            yield database

    @contextmanager
    def _opened(self, *, has_time: bool) -> Iterator[Database]:
        """`has_time` is for a thread that nobody waits for: it may bring a large store up to date."""
        with ExitStack() as held:
            connection = self._connected(held, has_time=has_time)
            try:
                yield Database(connection, inode_of(self.path))
            except (sqlite3.Error, StatementError) as error:
                if (said := in_our_words(self.path, error)) is error:
                    raise
                raise said from error
            finally:
                connection.close()

    def _connected(self, held: ExitStack, *, has_time: bool) -> sqlite3.Connection:
        has_time = has_time and self.patience >= BUSY_SECONDS
        try:
            held.enter_context(self.lock.shared(self.patience))
            return self._migrated(has_time=has_time)
        except UpgradingStoreError as error:
            if self._is_large() and not has_time:
                raise
            held.close()
            if not error.progress:
                # A hookd of before cannot open the store any more; one that has it open would write on.
                with self.lock.alone(self.patience):
                    pass
        self._upgrade()
        held.enter_context(self.lock.shared(self.patience))
        return self._migrated(has_time=has_time)

    def _migrated(self, *, has_time: bool) -> sqlite3.Connection:
        if self.lock.marked and self._is_empty():
            raise damaged(self.path, "it is empty or gone")
        connection = connect(self.path, self.patience)
        try:
            migrate(connection, self._migrations, lambda: self._before_migration(has_time=has_time))
            if not self.lock.marked:
                self.lock.mark()
        except BaseException as error:
            connection.close()  # the next one tries again from the beginning
            if is_damage(error):
                raise damaged(self.path, error) from error
            raise
        return connection

    def _upgrade(self) -> None:
        """Goes on with a migration in steps, for as long as the patience lasts."""
        began = time.monotonic()
        with self.lock.shared(self.patience), closing(connect(self.path, self.patience)) as connection:
            upgrade(connection, self._migrations, lambda: time.monotonic() - began < self.patience)

    def _is_large(self) -> bool:
        return self.path.stat().st_size > LARGE_BYTES

    def _is_empty(self) -> bool:
        try:
            return self.path.stat().st_size == 0
        except FileNotFoundError:
            return True

    def _before_migration(self, *, has_time: bool) -> None:
        from hookd.store import backups  # seldom needed

        if self._is_large() and not has_time:
            raise upgrading(0.0)
        with closing(connect(self.path)) as source:  # the lock is held already
            backups.make(Database(source), backups.folder_of(self.path), "migration")

    def close(self) -> None:
        """Waits until everything submitted is on disk."""
        with self._start_lock:
            thread, self._thread = self._thread, None
            self._jobs.put(None)
        if thread is not None:
            thread.join()

    def _write(self, jobs: Jobs) -> None:
        database: Database | None = None
        opened = ExitStack()
        ended = False
        made_for = self._migrations
        while not ended:
            batch, ended = _next_batch(jobs, IDLE_SECONDS if database else None)
            if not batch or made_for is not self._migrations:
                opened.close()
                database = None
            if not batch:
                continue
            try:
                for last in (False, True):
                    if database is None:
                        made_for = self._migrations
                        database = opened.enter_context(self._opened(has_time=True))
                    done = _commit(database, batch)
                    if database.is_at(self.path):
                        break
                    # It was deleted under us, and what was committed with it: there is no file that has it.
                    opened.close()
                    database = None
                    if last:
                        raise StoreError(f"{self.path} is deleted again and again", hint="who does that?")
                for future, result, failed in done:
                    if failed is None:
                        future.set_result(result)
                    else:
                        future.set_exception(failed)
            except Exception as error:  # noqa: BLE001 - a writer that dies leaves everybody waiting
                # Whoever hears of damage replaces the file, so it is let go of before anybody hears.
                opened.close()
                database = None
                told = in_our_words(self.path, error)
                for _, future in batch:
                    if not future.done():
                        future.set_exception(told)
        opened.close()


def _next_batch(jobs: Jobs, patience: float | None) -> tuple[Batch, bool]:
    """Everything that waits, once something does, and whether that is all there will be."""
    batch: Batch = []
    try:
        item = jobs.get(timeout=patience)
    except queue.Empty:
        return batch, False
    while item is not None:
        if item[1].set_running_or_notify_cancel():  # from here on nobody can take it back
            batch.append(item)
        if jobs.empty():
            return batch, False
        item = jobs.get()
    return batch, True


def _commit(database: Database, batch: Batch) -> list[tuple[Future[Any], Any, Exception | None]]:
    """All jobs in one transaction; a job that fails is undone alone. Returns what came of each."""
    connection = database.connection
    results: list[tuple[Future[Any], Any, Exception | None]] = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for job, future in batch:
            connection.execute("SAVEPOINT job")
            try:
                results.append((future, job(database), None))
            except Exception as error:
                if is_damage(error):
                    raise
                connection.execute("ROLLBACK TO job")
                results.append((future, None, error))
            connection.execute("RELEASE job")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return results
