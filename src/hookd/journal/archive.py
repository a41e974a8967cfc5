"""Segments that are in the store and not yet in a backup of it: a destroyed database comes back from them.

A project's journal folder has `kept/` with the segments since the last backup. A backup first renames
it to `kept-NUMBER/`, the backup's own number, and deletes those that older backups cover as well.
"""

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hookd.errors import StoreError
from hookd.journal.segments import SUFFIX
from hookd.private_files import take_lock


@contextmanager
def ingest_lock(folder: Path, patience: float) -> Iterator[None]:
    """One process at a time brings a project's journal into the store, or moves its files."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "ingest.lock").open("a") as lock:
        if not take_lock(lock.fileno(), fcntl.LOCK_EX, patience):
            raise StoreError(
                f"another process has been busy with {folder} for {patience:g} s",
                hint="its events stay in the journal; it is tried again later",
            )
        yield


def keep(folder: Path, segment: Path) -> None:
    """Moves a segment that the store has; the caller holds the ingest lock."""
    kept = folder / "kept"
    kept.mkdir(exist_ok=True, mode=0o700)
    if segment.parent == folder:
        segment.rename(kept / segment.name)
        return
    import shutil  # here and below: an event should not wait for it

    # A spooled one may lie on another file system.
    draft = kept / f".{segment.name}"
    shutil.copyfile(segment, draft)
    draft.rename(kept / segment.name)
    segment.unlink()


def roll(folder: Path, number: int) -> None:
    """What is kept until now belongs to this backup; the caller holds the ingest lock."""
    if (folder / "kept").is_dir():
        (folder / "kept").rename(folder / f"kept-{number:06d}")


def rolled(folder: Path) -> dict[int, Path]:
    """The rolled ones by their backup's number."""
    return {int(path.name[5:]): path for path in folder.glob("kept-*") if path.name[5:].isdigit()}


def drop(folder: Path, number: int, awaited: Callable[[set[str]], set[str]]) -> None:
    """Deletes what the backup of this number has, except those of its segments that are awaited."""
    for its, path in rolled(folder).items():
        if its > number:
            continue
        names = {each.name for each in path.iterdir()}
        for name in names - awaited(names):
            (path / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something is awaited
            path.rmdir()


def kept_files(folder: Path) -> list[Path]:
    return [path for path in folder.glob(f"kept*/*{SUFFIX}") if path.name[0] != "."]


def bring_back(folder: Path) -> int:
    """Makes them ordinary segments again and counts their records; the caller holds the ingest lock."""
    import shutil

    records = 0
    for path in kept_files(folder):
        records += sum(b'"t":"segment"' not in line for line in path.read_bytes().splitlines() if line)
        path.rename(folder / path.name)
    for path in folder.glob("kept*"):
        shutil.rmtree(path)
    return records
