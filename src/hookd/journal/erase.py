"""Taking records, or parts of them, out of files of JSON lines for good, also while one is being written.

What goes is overwritten, a record with line ends and a part with blanks: the file keeps its length, so that
nobody's place in it moves, and readers skip empty lines. A writer appends, so it never touches what is
overwritten here.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from hookd.journal.archive import kept_files
from hookd.journal.segments import segments

Change = Callable[[bytes], bytes | None]
"""What becomes of a line: another one, no longer than it was; b"" for nothing; None to leave it."""


class _Record(msgspec.Struct):
    id: str = ""


_id_of = msgspec.json.Decoder(_Record).decode


def id_of(line: bytes) -> str:
    """A record's id, read without the rest of it."""
    return _id_of(line).id


def journal_files(folders: Iterable[Path]) -> list[Path]:
    """Every segment in these journal folders, those that the store has as well."""
    return [path for folder in folders for path in (*segments(folder), *kept_files(folder))]


def change_lines(path: Path, change: Change) -> int:
    """Overwrites the lines that are to change and returns how many; one that cannot be decoded stays."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:  # an ingester has moved it; it is found again in its next place, or is gone
        return 0
    changed = 0
    with os.fdopen(descriptor, "r+b") as file:
        place = 0
        for line in file.read().splitlines(keepends=True):
            text = line.rstrip(b"\n")
            new = _changed(change, text) if text.strip() else None
            if new is not None:
                # What does not fit would be torn; then the record goes.
                fits = 0 < len(new) <= len(text)
                os.pwrite(descriptor, new.ljust(len(text)) if fits else b"\n" * len(text), place)
                changed += 1
            place += len(line)
        if changed:
            os.fsync(descriptor)
    return changed


def _changed(change: Change, line: bytes) -> bytes | None:
    try:
        return change(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
