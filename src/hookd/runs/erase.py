"""Taking what is forgotten out of the run folders as well."""

from collections.abc import Collection
from pathlib import Path

import msgspec

from hookd.journal.erase import Change, change_lines
from hookd.runs.folder import run_folders


class _Line(msgspec.Struct):
    event: str = ""


_event_of = msgspec.json.Decoder(_Line).decode


def event_of(line: bytes) -> str:
    """The id of the event that a line is about, read without the rest of it."""
    return _event_of(line).event


def change_runs(hookd_folder: Path, change: Change, runs: Collection[str] = ()) -> int:
    """Overwrites lines in a project's run folders; returns how many.

    A folder that had one loses its snapshots too, and so do those of these names: a snapshot tells of many
    events and does not say of which.
    """
    changed = 0
    for folder in run_folders(hookd_folder):
        files = [path for path in folder.glob("*.jsonl") if not path.is_symlink()]
        found = sum(change_lines(path, change) for path in files)
        changed += found
        if found or folder.name in runs:
            for snapshot in folder.glob("snapshot-*.json"):
                snapshot.unlink(missing_ok=True)
    return changed
