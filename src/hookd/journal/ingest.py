"""From the journal into the store: once per event, whichever process does it and however often."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from hookd.journal.archive import ingest_lock, keep
from hookd.journal.entries import (
    SCHEMA,
    Cost,
    Entry,
    Forgotten,
    Kept,
    Origin,
    Problem,
    Record,
    Writer,
    decode,
)
from hookd.journal.repository import Ingested, Tombstones, migrations
from hookd.journal.segments import Tail, read_tail, segments
from hookd.paths import is_private_folder
from hookd.store.database import Database
from hookd.store.engine import Store

NEWER = "records of a newer hookd wait in the journal: run that one, or update"

# Told about new records of one writer while their transaction is open; must bear being told twice.
Sink = Callable[[Database, Writer, list[Kept]], None]


def open_store(path: Path) -> Store:
    return Store(path, list(migrations()))


class ProjectRecord(NamedTuple):
    """Which project an ingestion is for, and where its journal lies."""

    key: str
    root: str
    folder: Path
    spool: Path | None = None
    """Where records go while the folder cannot be written: `RUNTIME/spool/KEY`."""
    machine: str = ""
    """Whose records they are, if not this machine's."""
    foreign: Sequence[Path] = ()
    """The segments that another machine has sent; they are read and stay where they are."""

    def segments(self) -> list[Path]:
        """Both folders' segments in the order of writing."""
        if self.machine:
            return list(self.foreign)
        found = list(segments(self.folder))
        # A runtime folder that others can write to has nothing to tell us.
        if self.spool is not None and is_private_folder(str(self.spool.parents[1])):
            found += segments(self.spool)
        return sorted(found, key=lambda path: path.name)

    def put_away(self, segment: Path) -> None:
        """The store has all of it."""
        if not self.machine:
            keep(self.folder, segment)


# Whoever else wants to write does not wait for longer than this many events take.
EVENTS_AT_ONCE = 5_000


def ingest(store: Store, project: ProjectRecord, run_name: Callable[[Entry], str], sink: Sink) -> int:
    """Brings everything that is in the journal now into the store; returns how many events were new."""
    new = 0
    # One at a time: a second ingester would wait for the first one's transaction anyway.
    with ingest_lock(project.folder, store.patience):
        while True:
            job = store.submit(lambda db: _ingest(db, project, run_name, sink))
            count, finished, more = job.result()
            new += count
            for path in finished:
                project.put_away(path)
            if not more:
                return new


def _ingest(
    db: Database, project: ProjectRecord, run_name: Callable[[Entry], str], sink: Sink
) -> tuple[int, list[Path], bool]:
    """How many events were new, the segments that are read to their end, and whether there is more."""
    store = Ingested(db, project.key, project.root)
    paths = project.segments()
    positions = store.positions()
    for gone in positions.keys() - {path.name for path in paths}:
        store.drop_position(gone)
    read, more = _read(paths, positions)
    left_out = _left_out(Tombstones(db, project.machine), [each for part in read for each in part.records])
    batches: list[tuple[Writer, list[Kept]]] = []  # in order, as few as there are changes of writers
    for part in read:
        if part.is_newer:
            _leave_alone(store, part.path)
            continue
        if part.records:
            store.add_project(part.records[0].at)
            writer = store.written_by(part.origin)
            if not batches or batches[-1][0] != writer:
                batches.append((writer, []))
        for record in part.records:
            if record.id in left_out:
                continue
            if isinstance(record, Problem):
                store.add_problem(record)
                continue
            if isinstance(record, Cost):
                store.add_cost(record)
            if not isinstance(record, Entry) or store.add_event(record, run_name):
                batches[-1][1].append(record)
        if part.tail.lines or part.path.name not in positions:
            store.set_position(part.path.name, part.tail.offset)
    for writer, batch in batches:
        if batch:
            sink(db, writer, batch)
    finished = [part.path for part in read if part.tail.finished and not part.is_newer]
    return sum(isinstance(each, Entry) for _, batch in batches for each in batch), finished, more


class _Part(NamedTuple):
    """What a segment has that was not read before."""

    path: Path
    tail: Tail
    origin: Origin | None
    records: list[Record]

    @property
    def is_newer(self) -> bool:
        return self.origin is not None and self.origin.v > SCHEMA


def _read(paths: list[Path], positions: dict[str, int]) -> tuple[list[_Part], bool]:
    """About as much as one transaction takes, and whether there is more."""
    read: list[_Part] = []
    count = 0
    for path in paths:
        if count > EVENTS_AT_ONCE:
            return read, True
        tail = read_tail(path, positions.get(path.name, 0))
        part = _Part(path, tail, origin_of(tail.first), [])
        if not part.is_newer:
            part.records.extend(_records(tail, path))
        read.append(part)
        count += len(part.records)
    return read, False


def _left_out(tombstones: Tombstones, records: list[Record]) -> frozenset[str]:
    """What is not to be taken in (again): the record that forgets it may stand before it or after it."""
    new = {each.id for each in records if isinstance(each, Forgotten) and tombstones.add(each)}
    return tombstones.among([each.id for each in records]) - new


def origin_of(first: bytes) -> Origin | None:
    """Whose records a segment has; a segment of 0.1 does not say."""
    try:
        found = decode(first)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, Origin) else None


def _leave_alone(store: Ingested, path: Path) -> None:
    """A later hookd takes it in: read by this one, what is new in it would be lost."""
    at = path.stat().st_mtime
    store.add_project(at)
    store.add_problem(Problem(id=f"{path.name}:newer", at=at, kind="record", what=NEWER))


def newer_waits(folder: Path) -> bool:
    """Whether a journal has records that only a newer hookd can read."""
    origins = (origin_of(read_tail(path, 0).first) for path in segments(folder))
    return any(origin is not None and origin.v > SCHEMA for origin in origins)


def _records(tail: Tail, path: Path) -> Iterator[Record]:
    for number, line in enumerate(tail.lines):
        try:
            found = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            found = _lost(path, f"{path.name}:{tail.offset}:{number}", "a record cannot be read")
        if not isinstance(found, Origin):
            yield found
    if tail.torn:
        yield _lost(path, f"{path.name}:torn", "a record was cut short")


def _lost(path: Path, line_id: str, what: str) -> Problem:
    return Problem(id=line_id, at=path.stat().st_mtime, kind="journal", what=f"{what}: one event may be lost")
