"""Taking single records out of files of JSON lines for good, also out of one that is being written.

A record is overwritten with line ends: the file keeps its length, so that nobody's place in it moves, and
readers skip empty lines. A writer appends, so it never touches what is overwritten here.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from hookd.journal.kept import kept_files
from hookd.journal.segments import segments


class _Record(msgspec.Struct):
    id: str = ""


_id_of = msgspec.json.Decoder(_Record).decode


def wipe(folders: Iterable[Path], ids: Iterable[str]) -> int:
    """Overwrites the records of these events in these journal folders; returns how many there were."""
    wanted = frozenset(ids)
    if not wanted:
        return 0
    paths = [path for folder in folders for path in (*segments(folder), *kept_files(folder))]
    return sum(wipe_lines(path, lambda line: _id_of(line).id in wanted) for path in paths)


def wipe_lines(path: Path, is_wanted: Callable[[bytes], bool]) -> int:
    """Overwrites the lines that are wanted; one that cannot be decoded is none of them."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:  # an ingester has moved it; it is found again in its next place, or is gone
        return 0
    wiped = 0
    with os.fdopen(descriptor, "r+b") as file:
        place = 0
        for line in file.read().splitlines(keepends=True):
            if line.strip() and _holds(is_wanted, line):
                os.pwrite(descriptor, b"\n" * len(line), place)
                wiped += 1
            place += len(line)
        if wiped:
            os.fsync(descriptor)
    return wiped


def _holds(is_wanted: Callable[[bytes], bool], line: bytes) -> bool:
    try:
        return is_wanted(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
