"""Records of another machine, taken in from its segments: its memory and events, under a key of their own.

Nothing is looked up where they were written, and nothing of theirs comes into force here: no file is written
into a project, no answer to the gate becomes a rule.
"""

import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from hookd.capabilities import migrations, sources
from hookd.capability import Ingestion
from hookd.daemon.ingest_steps import take
from hookd.identity.ids import machine_id
from hookd.journal.entries import Entry, Forgotten, Kept, Origin, Writer
from hookd.journal.ingest import ProjectRecord, Sink, ingest, open_store, origin_of
from hookd.journal.segments import read_tail
from hookd.paths import UserFolders, foreign_root
from hookd.store.database import Database


class TakenIn(NamedTuple):
    """What came of it."""

    events: int
    problems: list[str]


def take_in(folders: UserFolders, segments: Iterable[Path]) -> TakenIn:
    """Takes the segments in; what is known already is left out."""
    own = machine_id(folders)
    found: dict[str, tuple[Origin, list[Path]]] = {}
    done = TakenIn(0, [])
    for path in sorted(segments, key=lambda each: each.name):
        origin = origin_of(read_tail(path, 0).first)
        if origin is None or not origin.machine:
            done.problems.append(f"{path.name} does not say whose records it has")
        elif origin.machine == own:
            done.problems.append(f"{path.name} is of this machine, whose journal has it")
        else:
            # Two machines may have folders of one path.
            key = _of(origin.machine, "folder", origin.checkout)
            found.setdefault(key, (origin, []))[1].append(path)
    store = open_store(folders.database)
    store.adopt(migrations())
    events = 0
    for key, (origin, paths) in found.items():
        root = foreign_root(origin.machine, origin.root)
        record = ProjectRecord(key, root, folders.journal(key), None, origin.machine, paths)
        events += ingest(store, record, lambda _entry: "", _sink(folders, key, origin, done.problems))
    store.close()
    return done._replace(events=events)


def _of(machine: str, what: str, name: str) -> str:
    """A name of another machine as one that nothing here can have, whatever its segments claim."""
    return hashlib.sha256(f"hookd {what} of {machine}: {name}".encode()).hexdigest() if name else ""


def _sink(folders: UserFolders, key: str, origin: Origin, problems: list[str]) -> Sink:
    # The person's own settings: a project's file at that path would be another project's.
    config = sources(str(folders.data), folders).read().config
    tree = partial(_of, origin.machine, "work tree")

    def theirs(record: Kept) -> Kept:
        """The record with the name that its work tree has here."""
        if isinstance(record, Forgotten) and record.tree:
            return replace(record, tree=tree(record.tree))
        return record

    def sink(db: Database, writer: Writer, records: list[Kept]) -> None:
        project = _of(origin.machine, "project", writer.project)
        take(
            Ingestion(
                db,
                [record for record in records if isinstance(record, Entry)],
                [theirs(record) for record in records],
                key,
                origin.root,
                Writer(writer.number, project, tree(writer.tree), tree(writer.alone)),
                folders,
                config,
                lambda kind, what: problems.append(f"{kind}: {what}"),
                lambda what, why: problems.append(f"{what}: {why}") if why else None,
                machine=origin.machine,
            )
        )

    return sink
