"""Appending while the disk is full or the folder is out of reach: to the spool, else to memory.

Segments are read in the order of their names, and a writer that changes places begins a new one: so
the order of writing is the order of reading. A folder that is deleted takes along what the store does not
have yet, so that is kept in memory until it does, and written again.
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

    def __init__(
        self,
        folder: Path,
        spool: Path | None,
        origin: Callable[[], bytes] = bytes,
        begun_anew: Callable[[], None] = lambda: None,
    ) -> None:
        """`origin` makes what each segment begins with: whose records these are.

        `begun_anew` is told that the segment at hand was deleted, before the next one is begun.
        """
        self._own = JournalWriter(folder, origin=origin)
        self._spool = _SpoolWriter(spool, origin=origin) if spool is not None else None
        self._begun_anew = begun_anew
        self._count = 0
        self._waiting = _Held()
        self._recent = _Held()
        """What is in the segment and, for all that is known here, not in the store yet."""
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
                    self._recent.add(record)
                    # Asked afterwards: what is deleted before the record was in it is noticed now.
                    self._begin_anew_if_gone()
                    return
                except OSError as error:
                    self._turn_away(error)
            self.lost += self._waiting.add(record)
            self._flush()

    def flush(self) -> int:
        """Puts what waits in memory where it belongs, if that works again, and what was deleted there again.

        Returns by what `taken` knows what was written until now.
        """
        with self._lock:
            if self._waiting.records:
                self._flush()
            elif self.trouble and time.monotonic() >= self._retry_at:
                self._try_again()
            self._begin_anew_if_gone()
            return self._recent.end

    def taken(self, until: int) -> None:
        """The store has what was written until then, unless the segment was deleted before it was read."""
        with self._lock:
            if not self._own.is_gone:
                self._recent.drop(until)

    @property
    def is_gone(self) -> bool:
        """Whether the segment at hand was deleted, asked without waiting for anybody."""
        return self._own.is_gone

    def _begin_anew_if_gone(self) -> None:
        if not self._own.is_gone:
            return
        self._own.close()
        self._begun_anew()
        # Nothing else waits: there is a segment at hand only while there is no trouble.
        self._waiting, self._recent = self._recent, _Held(self._recent.end)
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
            self._begin_anew_if_gone()
            if self.trouble:
                self._retry_at = 0.0
                self._flush()
                self.lost += len(self._waiting.records)
                self._waiting = _Held()
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

    def _try_again(self) -> None:
        """Ends the trouble if a segment can be begun: all that came meanwhile is in the spool."""
        try:
            self._own.open()
        except OSError as error:
            self._turn_away(error)
            return
        self.trouble = ""
        if self._spool is not None:
            self._spool.close()

    def _turn_away(self, error: OSError) -> None:
        self._own.close()
        self._retry_at = time.monotonic() + RETRY_SECONDS
        self.trouble = f"the journal cannot be written: {error.strerror or error}"

    def _write(self, writer: JournalWriter, other: JournalWriter | None) -> None:
        """Writes what waits; raises where it cannot, with the rest still waiting."""
        while self._waiting.records:
            writer.append(self._waiting.records[0])
            record = self._waiting.popleft()
            if writer is self._own:
                self._recent.add(record)
            if other is not None:
                other.close()


class _Held:
    """Records in memory, the oldest of which go when they become too many."""

    def __init__(self, gone: int = 0) -> None:
        self.records: deque[bytes] = deque()
        self._bytes = 0
        self._gone = gone

    @property
    def end(self) -> int:
        """How many there ever were, those included that others had before."""
        return self._gone + len(self.records)

    def add(self, record: bytes) -> int:
        """Returns how many had to go for it."""
        self.records.append(record)
        self._bytes += len(record)
        before = self._gone
        while len(self.records) > MEMORY_RECORDS or self._bytes > MEMORY_BYTES:
            self.popleft()
        return self._gone - before

    def popleft(self) -> bytes:
        record = self.records.popleft()
        self._bytes -= len(record)
        self._gone += 1
        return record

    def drop(self, until: int) -> None:
        """Lets go of those that there were when `end` was that."""
        while self._gone < until and self.records:
            self.popleft()


class _SpoolWriter(JournalWriter):
    """Writes to `RUNTIME/spool/KEY`, if the runtime folder is safely ours."""

    def open(self) -> None:
        ensure_runtime_folder(str(self.folder.parents[1]))
        super().open()
