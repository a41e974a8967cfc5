"""From the journal into the store: once per event, whoever does it and however often it is tried."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from hookd.journal.entries import Entry, Problem, Record, decode
from hookd.journal.kept import ingest_lock, keep
from hookd.journal.repository import Ingested, migrations
from hookd.journal.segments import read_tail, segments
from hookd.paths import is_private_folder
from hookd.store.database import Database
from hookd.store.engine import Store

# Told about new entries while their transaction is open; must bear being told twice.
Sink = Callable[[Database, list[Entry]], None]


def open_store(path: Path) -> Store:
    return Store(path, list(migrations()))


class ProjectRecord(NamedTuple):
    """Which project an ingestion is for, and where its journal lies."""

    key: str
    root: str
    folder: Path
    spool: Path | None = None
    """Where records go while the folder cannot be written: `RUNTIME/spool/KEY`."""

    def segments(self) -> list[Path]:
        """Both folders' segments in the order of writing."""
        found = list(segments(self.folder))
        # A runtime folder that others can write to has nothing to tell us.
        if self.spool is not None and is_private_folder(str(self.spool.parents[1])):
            found += segments(self.spool)
        return sorted(found, key=lambda path: path.name)


# Whoever else wants to write does not wait for longer than this many events take.
EVENTS_AT_ONCE = 5_000


def ingest(store: Store, project: ProjectRecord, run_name: Callable[[Entry], str], sink: Sink) -> int:
    """Brings everything that is in the journal now into the store; returns how many events were new."""
    new = 0
    # One at a time: a second ingester would wait for the first one's transaction anyway.
    with ingest_lock(project.folder, store.patience):
        while True:
            done = store.submit(lambda db: _ingest(db, project, run_name, sink)).result()
            new += done.new
            for path in done.finished:
                keep(project.folder, path)
            if not done.more:
                return new


class _Done(NamedTuple):
    new: int
    finished: list[Path]
    more: bool


def _ingest(db: Database, project: ProjectRecord, run_name: Callable[[Entry], str], sink: Sink) -> _Done:
    store = Ingested(db, project.key, project.root)
    paths = project.segments()
    positions = store.positions()
    for gone in positions.keys() - {path.name for path in paths}:
        store.drop_position(gone)
    entries: list[Entry] = []
    finished: list[Path] = []
    more = False
    for path in paths:
        if len(entries) > EVENTS_AT_ONCE:
            more = True
            break
        tail = read_tail(path, positions.get(path.name, 0))
        records = [
            _record(line, f"{path.name}:{tail.offset}:{number}", path)
            for number, line in enumerate(tail.lines)
        ]
        if tail.torn:
            records.append(_lost(path, f"{path.name}:torn", "a record was cut short"))
        if records:
            store.add_project(records[0].at)
        for record in records:
            if isinstance(record, Problem):
                store.add_problem(record)
            elif store.add_event(record, run_name):
                entries.append(record)
        if tail.lines or path.name not in positions:
            store.set_position(path.name, tail.offset)
        if tail.finished:
            finished.append(path)
    if entries:
        sink(db, entries)
    return _Done(len(entries), finished, more)


def _record(line: bytes, line_id: str, path: Path) -> Record:
    try:
        return decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _lost(path, line_id, "a record cannot be read")


def _lost(path: Path, line_id: str, what: str) -> Problem:
    return Problem(id=line_id, at=path.stat().st_mtime, kind="journal", what=f"{what}: one event may be lost")
