"""Taking single records out of the journal's files for good, also out of one that is being written.

A record is overwritten with line ends: the file keeps its length, so that nobody's place in it moves, and
readers skip empty lines. A writer appends, so it never touches what is overwritten here.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hookd.journal.kept import kept_files
from hookd.journal.segments import segments


class _Named(msgspec.Struct):
    id: str = ""


_decode = msgspec.json.Decoder(_Named).decode


def wipe(folders: Iterable[Path], ids: Iterable[str]) -> int:
    """Overwrites the records of these events in these journal folders; returns how many there were."""
    wanted = frozenset(ids)
    if not wanted:
        return 0
    return sum(_wipe(path, wanted) for folder in folders for path in (*segments(folder), *kept_files(folder)))


def _wipe(path: Path, wanted: frozenset[str]) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # an ingester has moved it; it is found again in its next place, or is gone
        return 0
    wiped = 0
    with os.fdopen(descriptor, "r+b") as file:
        place = 0
        for line in file.read().splitlines(keepends=True):
            if line.strip() and _id_of(line) in wanted:
                os.pwrite(descriptor, b"\n" * len(line), place)
                wiped += 1
            place += len(line)
        if wiped:
            os.fsync(descriptor)
    return wiped


def _id_of(line: bytes) -> str:
    try:
        return _decode(line).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
