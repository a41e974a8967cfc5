"""SQLite with one writer thread per process, group commit and as many readers as wanted."""

import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from hookd.errors import StoreError
from hookd.store.migrations import Migration, migrate

Result = TypeVar("Result")
Job = Callable[[sqlite3.Connection], Any]
Jobs = queue.SimpleQueue[tuple[Job, Future[Any]] | None]

BUSY_SECONDS = 10.0


def connect(path: Path) -> sqlite3.Connection:
    """A connection with the settings that every user of the database needs."""
    connection: sqlite3.Connection | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except (OSError, sqlite3.Error) as error:
        if connection is not None:
            connection.close()
        raise StoreError(
            f"cannot open the database {path}: {error}",
            hint="`hookd doctor` checks the file; events stay in the journal meanwhile",
        ) from error
    return connection


class Store:
    """The database as the rest of hookd sees it: `submit` to write, `reading` to read."""

    def __init__(self, path: Path, migrations: list[Migration]) -> None:
        self.path = path
        self._migrations = migrations
        self._jobs: Jobs = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start_lock = threading.Lock()

    def submit(self, job: Callable[[sqlite3.Connection], Result]) -> Future[Result]:
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

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries, closed afterwards."""
        connection = self._migrated()
        try:
            yield connection
        finally:
            connection.close()

    def _migrated(self) -> sqlite3.Connection:
        connection = connect(self.path)
        try:
            migrate(connection, self._migrations)
        except BaseException:
            connection.close()  # the next one tries again from the beginning
            raise
        return connection

    def close(self) -> None:
        """Waits until everything submitted is on disk."""
        with self._start_lock:
            thread, self._thread = self._thread, None
            self._jobs.put(None)
        if thread is not None:
            thread.join()

    def _write(self, jobs: Jobs) -> None:
        connection: sqlite3.Connection | None = None
        ended = False
        while not ended:
            batch: list[tuple[Job, Future[Any]]] = []
            item = jobs.get()
            while item is not None:
                if item[1].set_running_or_notify_cancel():  # from here on nobody can take it back
                    batch.append(item)
                if jobs.empty():
                    break
                item = jobs.get()
            ended = item is None
            if not batch:
                continue
            try:
                if connection is None:
                    connection = self._migrated()
                _commit(connection, batch)
            except Exception as error:  # noqa: BLE001 - a writer that dies leaves everybody waiting
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
        if connection is not None:
            connection.close()


def _commit(connection: sqlite3.Connection, batch: list[tuple[Job, Future[Any]]]) -> None:
    """All jobs in one transaction; a job that fails is undone alone."""
    results: list[tuple[Future[Any], Any]] = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for job, future in batch:
            connection.execute("SAVEPOINT job")
            try:
                results.append((future, job(connection)))
            except Exception as error:  # noqa: BLE001 - handed to whoever submitted the job
                connection.execute("ROLLBACK TO job")
                future.set_exception(error)
            connection.execute("RELEASE job")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    for future, result in results:
        future.set_result(result)
