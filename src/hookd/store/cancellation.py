"""Ending long work in another thread, also in the middle of one statement."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StoppedError(Exception):
    """The work was told to end."""


class Cancellation:
    """Told once; the worker looks at it between steps and lends it the connection of long ones."""

    def __init__(self) -> None:
        self._told = threading.Event()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def tell(self) -> None:
        """Ends the work that is under way; it raises StoppedError where it is."""
        with self._lock:
            self._told.set()
            for connection in self._connections:
                connection.interrupt()

    def look(self) -> None:
        if self._told.is_set():
            raise StoppedError

    def wait(self, seconds: float) -> bool:
        """Whether it was told within the time."""
        return self._told.wait(seconds)

    @contextmanager
    def lent(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Statements of this connection are interrupted when the work is told to end."""
        with self._lock:
            self.look()
            self._connections.append(connection)
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise StoppedError from None
            raise
        finally:
            with self._lock:
                self._connections.remove(connection)


NEVER = Cancellation()
"""For work that nobody ends."""
