"""Git's index: what it has of each tracked file, and whether the file is still like that.

Only an index with paths that git itself would write counts.
"""

import hashlib
import os
import stat
import struct
from collections.abc import Iterator

import msgspec

from hookd.bounded_reads import Budget

MOST_ENTRIES = 20_000
LARGEST = 8 << 20
_LARGEST_COMPARED = 1 << 20
_ENTRY = struct.Struct(">8xI24xI20sH")
"""Seconds, size, hash and flags."""
_ODD = tuple(b"\0/ // \0./ \0../ /./ /../ \0.\0 \0..\0 /.\0 /..\0".split(b" "))
"""What paths between zero bytes have if one is absolute, or has a part that is a dot, two, or nothing. A
slash at the end is a folder that a sparse index has as a whole."""


class Index(msgspec.Struct, frozen=True):
    """What git has of each tracked file, as seconds, size and hash, and the tree of all of them."""

    entries: dict[bytes, tuple[int, int, bytes]]
    tree: str | None


class TrackedFiles:
    """The files of an index, held against those of a work tree within a budget; OverBudgetError ends it."""

    def __init__(self, index: Index, work_tree: str, budget: Budget) -> None:
        self.index = index
        self._work_tree = work_tree
        self._start = os.fsencode(os.path.join(work_tree, ""))
        self._budget = budget
        self._folders: dict[bytes, bool] = {b"": True}

    def is_unchanged(self, path: str) -> bool | None:
        """Whether a file is as the index has it; None if it does not have it at all."""
        name = os.fsencode(os.path.relpath(path, self._work_tree))
        if name not in self.index.entries:
            return None
        looks = self._looks_unchanged(name)
        return self._has_content(name) if looks is None else looks

    def changes(self) -> Iterator[bytes]:
        """The files that are not as the index has them; what takes no reading comes first."""
        doubtful: list[bytes] = []
        for name in self.index.entries:
            looks = self._looks_unchanged(name)
            if looks is None:
                doubtful.append(name)
            elif not looks:
                yield name
        yield from (name for name in doubtful if not self._has_content(name))

    def _looks_unchanged(self, name: bytes) -> bool | None:
        """What time and size say; None if only the content tells."""
        self._budget.spend()
        if not self._is_own(name.rpartition(b"/")[0]):
            return False
        seconds, size, _ = self.index.entries[name]
        try:
            found = os.lstat(self._start + name)
        except OSError:
            return False
        if found.st_size & 0xFFFFFFFF == size and (found.st_mtime_ns // 10**9 & 0xFFFFFFFF) == seconds:
            return True
        # git notes no size of a file that changed in the second it was looked at.
        return None if size in (0, found.st_size) else False

    def _has_content(self, name: bytes) -> bool:
        content = self._budget.read(self._start + name, _LARGEST_COMPARED)
        digest = self.index.entries[name][2]
        return content is not None and digest == hashlib.sha1(b"blob %d\0" % len(content) + content).digest()

    def _is_own(self, folder: bytes) -> bool:
        """Whether a folder of the work tree is there itself: git takes files behind a link for gone."""
        known = self._folders.get(folder)
        if known is not None:
            return known
        end = 0
        while end >= 0:
            self._budget.spend()
            end = folder.find(b"/", end + 1)
            part = folder if end < 0 else folder[:end]
            if part not in self._folders:
                self._folders[part] = _is_folder(self._start + part)
            if not self._folders[part]:
                self._folders[folder] = False
                return False
        return True


def _is_folder(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def parsed(data: bytes, budget: Budget) -> Index | None:
    """The entries of an index file, and the tree it was made of if nothing was staged since.

    None if it is not one that this reads, or has what git would not write.
    """
    try:
        return _parsed(data, budget)
    except (ValueError, struct.error, IndexError):
        return None


def _parsed(data: bytes, budget: Budget) -> Index:
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3) or count > MOST_ENTRIES:
        raise ValueError("not an index this reads")
    budget.spend(entries=count)
    entries: dict[bytes, tuple[int, int, bytes]] = {}
    position = 12
    last = b""
    for _ in range(count):
        seconds, size, digest, flags = _ENTRY.unpack_from(data, position)
        if flags & 0x3000:
            raise ValueError("a merge is under way")
        start = position + (64 if flags & 0x4000 else 62)
        end = data.index(b"\0", start)
        path = data[start:end]
        if path <= last:
            raise ValueError("paths that are not in order")
        entries[path] = (seconds, size, digest)
        last = path
        position += (end - position) // 8 * 8 + 8
    paths = b"\0%b\0" % b"\0".join(entries)
    if any(odd in paths for odd in _ODD):
        raise ValueError("a path that is not one way to write a place in the work tree")
    while position + 8 <= len(data) - 20:
        budget.spend()
        name, length = struct.unpack_from(">4sI", data, position)
        if name == b"TREE":
            return Index(entries, _cached_tree(data[position + 8 : position + 8 + length]))
        position += 8 + length
    return Index(entries, None)


def _cached_tree(extension: bytes) -> str | None:
    """The root's tree; a count of -1 says that something was staged since, which leaves none."""
    end = extension.index(b"\0")
    line_end = extension.index(b"\n", end)
    count = int(extension[end + 1 : line_end].split(b" ")[0])
    return extension[line_end + 1 : line_end + 21].hex() if count >= 0 else ""
