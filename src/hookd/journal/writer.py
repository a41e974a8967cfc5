"""Appending while the disk is full or the folder is out of reach: to the spool, else to memory.

Segments are read in the order of their names, and a writer that changes places begins a new one: so
the order of writing is the order of reading.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from hookd.errors import RuntimeFolderError
from hookd.journal.entries import numbered
from hookd.journal.segments import JournalWriter
from hookd.paths import ensure_runtime_folder

# While the journal's own folder cannot be written it is tried again this often.
RETRY_SECONDS = 1.0
MEMORY_RECORDS = 2000
MEMORY_BYTES = 8 * 1024 * 1024


class Journal:
    """This process's way to put records on disk, whatever the disk says."""

    def __init__(self, folder: Path, spool: Path | None, origin: Callable[[], bytes] = bytes) -> None:
        """`origin` makes what each segment begins with: whose records these are."""
        self._own = JournalWriter(folder, origin=origin)
        self._spool = _SpoolWriter(spool, origin=origin) if spool is not None else None
        self._count = 0
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._retry_at = 0.0
        self._lock = threading.Lock()
        self.trouble = ""
        """Why records do not go where they belong, if they do not."""
        self.lost = 0
        """Records that found no place at all."""

    def take_lost(self) -> int:
        """How many found no place since this was last asked."""
        with self._lock:
            lost, self.lost = self.lost, 0
        return lost

    def append(self, record: bytes) -> None:
        """Returns once the record is the kernel's or, when there is `trouble`, kept as well as can be."""
        with self._lock:
            self._count += 1
            record = numbered(record, self._count)
            if not self.trouble:
                try:
                    self._own.append(record)
                    return
                except OSError as error:
                    self._turn_away(error)
            self._hold(record)
            self._flush()

    def flush(self) -> None:
        """Puts what waits in memory where it belongs, if that works again."""
        with self._lock:
            if self._waiting:
                self._flush()

    def begin_segment(self) -> None:
        """Has the next record begin a segment, since whose records these are has changed."""
        with self._lock:
            self._own.close()
            if self._spool is not None:
                self._spool.close()

    def close(self) -> None:
        """A last try for what waits; what finds no place is lost with this process."""
        with self._lock:
            if self.trouble:
                self._retry_at = 0.0
                self._flush()
                self.lost += len(self._waiting)
                self._waiting.clear()
            self._own.close()
            if self._spool is not None:
                self._spool.close()

    def _flush(self) -> None:
        if time.monotonic() >= self._retry_at:
            try:
                self._write(self._own, self._spool)
                self.trouble = ""
                return
            except OSError as error:
                self._turn_away(error)
        if self._spool is not None:
            try:
                self._write(self._spool, self._own)
            except (OSError, RuntimeFolderError):
                self._spool.close()  # it stays in memory

    def _turn_away(self, error: OSError) -> None:
        self._own.close()
        self._retry_at = time.monotonic() + RETRY_SECONDS
        self.trouble = f"the journal cannot be written: {error.strerror or error}"

    def _hold(self, record: bytes) -> None:
        self._waiting.append(record)
        self._waiting_bytes += len(record)
        while len(self._waiting) > MEMORY_RECORDS or self._waiting_bytes > MEMORY_BYTES:
            self._waiting_bytes -= len(self._waiting.popleft())
            self.lost += 1

    def _write(self, writer: JournalWriter, other: JournalWriter | None) -> None:
        """Writes what waits; raises where it cannot, with the rest still waiting."""
        while self._waiting:
            writer.append(self._waiting[0])
            self._waiting_bytes -= len(self._waiting.popleft())
            if other is not None:
                other.close()


class _SpoolWriter(JournalWriter):
    """Writes to `RUNTIME/spool/KEY`, if the runtime folder is safely ours."""

    def open(self) -> None:
        ensure_runtime_folder(str(self.folder.parents[1]))
        super().open()
