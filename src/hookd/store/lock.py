"""The lock beside the database: a process that has it alone knows that no other has the database open.

SQLite finds the files beside a database by name. Replacing a database that another process has open would
pair one database with the other's write-ahead log, so every connection holds this lock while it is open.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from hookd.errors import StoreError
from hookd.private_files import take_lock

_MARK = b"a database was here\n"


class StoreLock:
    """Held shared by every connection, alone by the process that replaces the database."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}.lock")

    def shared(self, patience: float) -> AbstractContextManager[None]:
        return self._held(fcntl.LOCK_SH, patience, "the database is being replaced")

    def alone(self, patience: float) -> AbstractContextManager[None]:
        return self._held(fcntl.LOCK_EX, patience, "the database is in use")

    @contextmanager
    def _held(self, kind: int, patience: float, otherwise: str) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open {self.path}: {error.strerror}") from error
        try:
            if not take_lock(descriptor, kind, patience):
                raise StoreError(f"{otherwise} by another process", hint="it is tried again later")
            yield
        finally:
            os.close(descriptor)

    @property
    def marked(self) -> bool:
        """Whether a database was made here: then an empty or missing one is a loss, not a beginning."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def mark(self) -> None:
        self.path.write_bytes(_MARK)

    def unmark(self) -> None:
        self.path.write_bytes(b"")
