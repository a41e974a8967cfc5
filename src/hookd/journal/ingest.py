"""From the journal into the store: once per event, whoever does it and however often it is tried."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hookd.journal.entries import Entry, Problem, Record, decode
from hookd.journal.hook_calls import HookNumbers
from hookd.journal.kept import ingest_lock, keep
from hookd.journal.segments import read_tail, segments
from hookd.paths import as_text, is_private_folder
from hookd.store.database import Database
from hookd.store.engine import Store
from hookd.store.migrations import load_migrations
from hookd.store.statements import load_statements

# Told about new entries while their transaction is open; must bear being told twice.
Sink = Callable[[Database, list[Entry]], None]


@cache
def queries() -> dict[str, str]:
    return load_statements("hookd.journal")


def open_store(path: Path) -> Store:
    return Store(path, load_migrations("hookd.journal"))


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
    sql = queries()
    paths = project.segments()
    names = {path.name for path in paths}
    for (name,) in db.rows(sql["positions"], {"project": project.key}):
        if name not in names:
            db.run(sql["drop_position"], {"project": project.key, "name": name})
    numbers = _hook_numbers(db, project.key)
    entries: list[Entry] = []
    finished: list[Path] = []
    more = False
    for path in paths:
        if len(entries) > EVENTS_AT_ONCE:
            more = True
            break
        place: dict[str, Any] = {"project": project.key, "name": path.name}
        row = db.row(sql["position"], place)
        tail = read_tail(path, row[0] if row else 0)
        records = [
            _record(line, f"{path.name}:{tail.offset}:{number}", path)
            for number, line in enumerate(tail.lines)
        ]
        if tail.torn:
            records.append(_lost(path, f"{path.name}:torn", "a record was cut short"))
        if records:
            seen = {"key": project.key, "root": as_text(project.root), "at": records[0].at}
            db.run(sql["add_project"], seen)
        for record in records:
            entries += _add(db, project, run_name, numbers, record)
        if tail.lines or row is None:
            db.run(sql["set_position"], place | {"position": tail.offset})
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


def hook_names(db: Database, project: str) -> dict[int, str]:
    """The project's hooks by the numbers that stand for them in its events."""
    return {row["number"]: row["name"] for row in db.rows(queries()["hooks"], {"project": project})}


def _hook_numbers(db: Database, project: str) -> HookNumbers:
    """Good for one transaction: if it is undone, so are the numbers that were given in it."""

    def add(name: str, number: int) -> None:
        db.run(queries()["add_hook"], {"project": project, "number": number, "name": name})

    return HookNumbers({name: number for number, name in hook_names(db, project).items()}, add)


def _add(
    db: Database,
    project: ProjectRecord,
    run_name: Callable[[Entry], str],
    numbers: HookNumbers,
    record: Record,
) -> list[Entry]:
    sql = queries()
    values = _columns(record) | {"project": project.key}
    if isinstance(record, Problem):
        db.run(sql["add_problem"], values)
        return []
    values["hook_calls"] = numbers.column(record.hook_calls)
    values["hooks"] = len(record.hook_calls) or record.hooks
    if db.run(sql["add_event"], values) == 0:
        return []
    for number, fact in enumerate(record.facts):
        about = {"event": record.id, "number": number, "kind": fact.kind, "data": _json(fact.data)}
        db.run(sql["add_fact"], about)
    if record.session:
        db.run(sql["touch_session"], values | {"run": run_name(record)})
        if record.event == "SessionEnd":
            db.run(sql["end_session"], values)
    return [record]


def _columns(record: Record) -> dict[str, Any]:
    """The record's fields as a row holds them."""
    values = msgspec.structs.asdict(record)
    if isinstance(record, Entry):
        values |= {"input": _json(record.input), "told": _json(record.told)}
        del values["facts"]
    return values


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
