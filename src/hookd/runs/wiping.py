"""Taking what is forgotten out of the run folders as well."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from hookd.journal.wiping import wipe_lines
from hookd.runs.folder import run_folders


class _Line(msgspec.Struct):
    event: str = ""


_event_of = msgspec.json.Decoder(_Line).decode


def wipe_runs(hookd_folder: Path, events: Iterable[str]) -> int:
    """Overwrites these events' lines in a project's run folders; returns how many there were.

    A folder that had one loses its snapshots too: they tell of many events and do not say of which.
    """
    wanted = frozenset(events)
    if not wanted:
        return 0
    wiped = 0
    for folder in run_folders(hookd_folder):
        files = [path for path in folder.glob("*.jsonl") if not path.is_symlink()]
        found = sum(wipe_lines(path, lambda line: _event_of(line).event in wanted) for path in files)
        wiped += found
        if found:
            for snapshot in folder.glob("snapshot-*.json"):
                snapshot.unlink(missing_ok=True)
    return wiped
