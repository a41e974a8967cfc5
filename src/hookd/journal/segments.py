"""The journal's files: one folder per project, one append-only segment per writing process.

A writer holds a lock on its segment for life, so a reader that can lock it knows that no more
will come. Nobody shares a file for writing, so no lock stands between an event and its answer.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROTATE_BYTES = 4 * 1024 * 1024
SUFFIX = ".jsonl"


class JournalWriter:
    """Appends records to this process's segment; one `write` per record."""

    def __init__(
        self, folder: Path, rotate_bytes: int = ROTATE_BYTES, origin: Callable[[], bytes] = bytes
    ) -> None:
        """`origin` makes the first line of each segment."""
        self.folder = folder
        self._origin = origin
        self._rotate_bytes = rotate_bytes
        self._descriptor = -1
        self._size = 0
        self._path = ""
        self._inode = (0, 0)

    def append(self, record: bytes) -> None:
        """Returns once the record is the kernel's: a killed process loses nothing after this."""
        if self._descriptor < 0 or self._size > self._rotate_bytes:
            self.open()
        line = record + b"\n"
        written = os.write(self._descriptor, line)
        if written < len(line):
            # What was cut short is taken back: readers take whole lines, and the next one begins afresh.
            os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - written)
            raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes fitted into the journal")
        self._size += written

    def open(self) -> None:
        """Begins a new segment."""
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{_stamp():020d}-{os.getpid()}-{os.urandom(4).hex()}{SUFFIX}"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        # The lock comes before the name that readers look for: nobody sees an unlocked new segment.
        hidden = self.folder / f".{name}"
        descriptor = os.open(hidden, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            first = self._origin()
            if first and os.write(descriptor, first + b"\n") <= len(first):
                raise OSError(errno.ENOSPC, "a segment's first line did not fit into the journal")
            hidden.rename(self.folder / name)
            self._inode = _inode(os.fstat(descriptor))
        except OSError:
            os.close(descriptor)
            hidden.unlink(missing_ok=True)
            raise
        self._descriptor, self._size = descriptor, 0
        self._path = str(self.folder / name)

    @property
    def is_gone(self) -> bool:
        """Whether the segment was deleted or moved under this process: then nobody reads what it gets."""
        if self._descriptor < 0:
            return False
        try:
            return _inode(os.stat(self._path)) != self._inode
        except OSError:
            return True

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


_last_stamp = 0


def _stamp() -> int:
    """The time, or a little after this process's last one where the clock was set back."""
    global _last_stamp
    _last_stamp = max(time.time_ns(), _last_stamp + 1)
    return _last_stamp


class Tail(NamedTuple):
    """What a segment holds after an offset."""

    lines: list[bytes]
    offset: int
    torn: bool
    finished: bool
    first: bytes
    """The segment's first line, wherever the others begin."""


def segments(folder: Path) -> Iterator[Path]:
    """The project's segments, oldest first."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX) and name[0] != ".")
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        yield folder / name


def read_tail(path: Path, offset: int) -> Tail:
    """The complete lines after `offset`; `finished` if the writer is gone and nothing is left."""
    with path.open("rb") as file:
        # Whether the writer is gone is asked before reading: what it wrote until then is read.
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            abandoned = True
        except BlockingIOError:
            abandoned = False
        if offset > os.fstat(file.fileno()).st_size:
            offset = 0  # not the file it was; what is known already does no harm
        first = file.readline() if offset else b""
        file.seek(offset)
        data = file.read()
    end = data.rfind(b"\n") + 1
    lines = [line for line in data[:end].split(b"\n") if line]
    return Tail(
        lines=lines,
        offset=offset + end,
        torn=abandoned and end < len(data),
        finished=abandoned,
        first=first or (lines[0] if lines else b""),
    )
