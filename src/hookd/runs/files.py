"""Files that a crash between two lines leaves readable, and that being told twice leaves unchanged.

What is forgotten is taken out of them as well.
"""

import os
from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.runs.folder import run_folders

if TYPE_CHECKING:
    from hookd.journal.erase import Change

# Sessions that are written to at the same time; the keys of others are read again from their files.
MAX_REMEMBERED = 64

Key = tuple[str, int]


class LineFiles:
    """Appends JSON lines; each carries the id of its event, and no line is written twice."""

    def __init__(self) -> None:
        self._known: OrderedDict[Path, tuple[int, set[Key]]] = OrderedDict()

    def append(self, path: Path, records: list[dict[str, Any]]) -> None:
        """Adds what is not in the file yet; a record has `event` and, beside others of its event, `n`."""
        if not records:
            return
        size, keys = self._read(path)
        fresh = [record for record in records if (record["event"], record.get("n", 0)) not in keys]
        data = b"".join(msgspec.json.encode(record) + b"\n" for record in fresh)
        self._known.pop(path, None)  # until the write has gone well, what we know of the file is in doubt
        if data:
            with path.open("ab") as file:
                file.write(data)
        keys.update((record["event"], record.get("n", 0)) for record in fresh)
        self._known[path] = (size + len(data), keys)
        if len(self._known) > MAX_REMEMBERED:
            self._known.popitem(last=False)

    def _read(self, path: Path) -> tuple[int, set[Key]]:
        """The file's size and keys; a torn last line is taken off, since it counts as not written."""
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            return 0, set()
        if path in self._known and self._known[path][0] == size:
            return self._known[path]
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            os.truncate(path, end)
        return end, {key for line in data[:end].splitlines() if (key := _key(line)) is not None}


class _Line(msgspec.Struct):
    event: str = ""
    n: int = 0


_line = msgspec.json.Decoder(_Line).decode


def event_of(line: bytes) -> str:
    """The id of the event that a line is about, read without the rest of it."""
    return _line(line).event


def _key(line: bytes) -> Key | None:
    """The line's key, or nothing where another program has written into the file."""
    try:
        found = _line(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found.event, found.n


def write_document(path: Path, value: Any) -> None:
    """Puts a whole JSON document in place at once: a reader sees the last one or this one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    temporary.replace(path)


def change_runs(hookd_folder: Path, change: "Change", runs: Collection[str] = ()) -> int:
    """Overwrites lines in a project's run folders; returns how many.

    A folder that had one loses its snapshots too, and so do those of these names: a snapshot tells of many
    events and does not say of which.
    """
    from hookd.journal.erase import change_lines  # not for an event to wait for

    changed = 0
    for folder in run_folders(hookd_folder):
        files = [path for path in folder.glob("*.jsonl") if not path.is_symlink()]
        found = sum(change_lines(path, change) for path in files)
        changed += found
        if found or folder.name in runs:
            for snapshot in folder.glob("snapshot-*.json"):
                snapshot.unlink(missing_ok=True)
    return changed
