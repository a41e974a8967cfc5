"""Files and folders that a stranger may have made, read while an event waits.

Whatever lies there, a question about it costs no more than its budget: links, pipes and devices are left
alone, and bytes, entries and time are counted in one place for everything that one question looks at.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import AnyStr

from hookd.errors import OverBudgetError

MOST_BYTES = 64 << 20
MOST_ENTRIES = 200_000
MOST_SECONDS = 0.25
"""A client takes a daemon that gives no sign for 0.3 s for frozen, whichever session keeps it busy."""
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Budget:
    """What one question may still cost; once it is spent, everything that is asked of it raises.

    The time runs from the first thing that is looked at.
    """

    def __init__(
        self,
        size: int = MOST_BYTES,
        entries: int = MOST_ENTRIES,
        seconds: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = size
        self.entries = entries
        self._seconds = seconds
        self._clock = clock
        self._until: float | None = None
        self.is_spent = False

    def spend(self, size: int = 0, entries: int = 1) -> None:
        """Takes bytes and entries off, before they are read; raises OverBudgetError if they are not left."""
        now = self._clock()
        if self._until is None:
            self._until = now + self._seconds
        self.size -= size
        self.entries -= entries
        if self.size < 0 or self.entries < 0 or now > self._until:
            self.is_spent = True
            raise OverBudgetError

    def read(self, path: str | bytes, most: int, *, part: bool = False) -> bytes | None:
        """A plain file as `read_bytes` reads it."""
        self.spend()
        return read_bytes(path, most, part=part, spend=lambda size: self.spend(size, 0))

    def files(self, folder: AnyStr, *, hidden: bool = True) -> Iterator[AnyStr]:
        """Everything below a folder that is no folder, as paths; links below it are not followed.

        Without `hidden`, nothing whose name begins with a dot. Raises OSError for a folder that is there and
        cannot be read.
        """
        folders = [folder]
        while folders:
            try:
                found = os.scandir(folders.pop())
            except (FileNotFoundError, NotADirectoryError):
                continue
            with found:
                for entry in found:
                    self.spend()
                    if not hidden and os.fsencode(entry.name)[:1] == b".":
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        yield entry.path


def read_bytes(
    path: str | bytes,
    most: int,
    *,
    part: bool = False,
    follow: bool = False,
    spend: Callable[[int], None] | None = None,
) -> bytes | None:
    """A plain file of at most so many bytes, or its first ones if a part will do; None for anything else.

    A named pipe is not waited for, and a link followed only where the file's owner may well have made it one.
    One that has more than it says is not read: half of it would mislead. `spend` is told how much will be.
    """
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or (found.st_size > most and not part):
                return None
            size = min(found.st_size, most)
            if spend is not None:
                spend(size)
            content = _read(descriptor, size if part else size + 1)
            return content if len(content) <= size else None
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None


def _read(descriptor: int, most: int) -> bytes:
    """Up to so many bytes: one call may give fewer than there are, as on a network's file system."""
    parts = []
    while most > 0 and (part := os.read(descriptor, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def read_text(path: str, most: int, *, part: bool = False, follow: bool = False) -> str:
    """A plain file as text; empty if there is none that `read_bytes` reads."""
    return (read_bytes(path, most, part=part, follow=follow) or b"").decode("utf-8", "replace")
