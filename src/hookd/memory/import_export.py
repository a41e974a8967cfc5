"""Observations as JSON lines, for other tools and other machines."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from hookd.errors import UsageError
from hookd.journal.entries import ObservationAdded, Record, Superseded
from hookd.memory.observations import FOREIGN, PROVENANCES, Place, new_observation_id
from hookd.memory.repository.memories import Memories
from hookd.patterns import late
from hookd.printable import one_line
from hookd.store.database import Database
from hookd.store.engine import Store

ROWS_AT_ONCE = 10_000
SHOWN_BAD_LINES = 20
_AGO = late(r"(\d{1,6})([hdw])")
_SECONDS = {"h": 3_600, "d": 86_400, "w": 604_800}


class BadLine(NamedTuple):
    """A line that was skipped, and why."""

    number: int
    why: str


class Imported(NamedTuple):
    """What became of a file."""

    added: int
    known: int
    """Rows that were there already, by their id or their tool call."""
    bad: int
    first_bad: tuple[BadLine, ...]


class ImportReader:
    """Reads lines and counts those that are no observation."""

    def __init__(self, clean: Callable[[str], str], *, keep_provenance: bool = False) -> None:
        self._clean = clean
        self.keep_provenance = keep_provenance
        self._now = time.time()
        self.bad = 0
        self.first_bad: list[BadLine] = []
        self.replaced: dict[str, str] = {}
        """What the lines say was superseded, and by what."""

    def read(self, lines: Iterable[bytes]) -> Iterator[ObservationAdded]:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield self._record(line)
            except (ValueError, RecursionError) as error:
                self.bad += 1
                if len(self.first_bad) < SHOWN_BAD_LINES:
                    self.first_bad.append(BadLine(number, str(error)[:200]))

    def _record(self, line: bytes) -> ObservationAdded:
        values = _decoded(line)
        text = values.get("text")
        if not isinstance(text, str) or not text.strip():
            raise ValueError('it has no "text"')
        row = ObservationAdded(
            id=new_observation_id(),
            text=self._clean(text),
            kind=_text(values, "kind", "note"),
            tool=_text(values, "tool"),
            session=_text(values, "session"),
            task=_text(values, "task"),
            importance=_importance(values),
            name=(name := _name(values, "id")),
            at=moment(values.get("time")) or self._now,
            paths=_paths(values),
            tool_use=_text(values, "tool_use"),
            detail=self._clean(_text(values, "detail")),
            provenance=self._provenance(values.get("provenance")),
        )
        newer = _name(values, "superseded_by")
        if name and newer:
            self.replaced[name] = newer
        return row

    def _provenance(self, given: Any) -> Any:
        """A file may say that its text is foreign; that it is yours it may only say if you say so too."""
        if given is not None and given not in PROVENANCES:
            raise ValueError(f'"provenance" is none of {", ".join(PROVENANCES)}')
        return given if given and (self.keep_provenance or given in FOREIGN) else "file"


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        values = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        try:
            values = json.loads(line)  # it also takes the halves of characters that others leave
        except UnicodeDecodeError:
            raise ValueError("it is not UTF-8") from None
        except ValueError as error:
            raise ValueError(f"it is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise ValueError("it is no JSON object")
    return values


def _text(values: dict[str, Any], key: str, default: str = "") -> str:
    value = values.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise ValueError(f'"{key}" is no text')
    return value[:1_000]


def _importance(values: dict[str, Any]) -> float:
    given = values.get("importance", 0.5)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ValueError('"importance" is no number')
    return given


def _name(values: dict[str, Any], key: str) -> str:
    given = values.get(key)
    if given is None:
        return ""
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise ValueError(f'"{key}" is neither a text nor a number')
    return str(given)[:200]


def _paths(values: dict[str, Any]) -> tuple[str, ...]:
    given = values.get("paths") or ([values["path"]] if values.get("path") else [])
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ValueError('"path" is no text')
    return tuple(path[:4_096] for path in given)


def moment(given: Any) -> float:
    """Seconds since 1970 of a number, a date or a moment in ISO 8601; 0 of nothing."""
    if given is None or given == "":
        return 0.0
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < 1e11:
        return float(given)
    try:
        found = datetime.fromisoformat(given)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f'"time" is neither seconds since 1970 nor a date: {given!r}'[:120]) from None


def moment_or_ago(given: str) -> float:
    """What a person types for a moment: as above, or how long ago it was, such as 12h, 7d, 2w."""
    given = given.strip()
    if ago := _AGO.fullmatch(given):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return moment(float(given) if given.replace(".", "", 1).isdigit() else given)
    except ValueError:
        raise UsageError(
            f"{one_line(given, 40)!r} is no moment", hint="write 2026-03-01, 2026-03-01T14:00:00Z or 7d"
        ) from None


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def import_lines(
    store: Store,
    place: Place,
    lines: Iterable[bytes],
    reader: ImportReader,
    record: Callable[[list[Record]], object],
    tell: Callable[[int], object] = lambda _: None,
) -> Imported:
    """Takes the lines in, a batch at a time; `tell` hears how many rows each batch had.

    `record` puts records into the journal and brings them into the store.
    """
    rows = reader.read(lines)
    added = seen = 0
    now = time.time()
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        names = [each.name or each.id for each in batch]
        known = _known(store, place, names)
        new = {name: each for name, each in zip(names, batch, strict=True) if name not in known}
        replaced = [
            Superseded(id=os.urandom(16).hex(), at=now, older=older, newer=newer, own=reader.keep_provenance)
            for older, newer in reader.replaced.items()
        ]
        reader.replaced = {}
        record([*new.values(), *replaced])
        added += len(_known(store, place, new))
        seen += len(batch)
        tell(len(batch))
    return Imported(added, seen - added, reader.bad, tuple(reader.first_bad))


def _known(store: Store, place: Place, names: Iterable[str]) -> set[str]:
    """Those of the names that the place has already."""
    with store.reading() as db:
        return Memories(db).names_in(place, list(names))


def exported(db: Database, place: Place | None) -> Iterator[dict[str, Any]]:
    """Every observation that a checkout has a part in, or of all, in the order of writing."""
    memories = Memories(db, place)
    for it in memories.all():
        yield {
            "id": it.id,
            "text": it.text,
            "kind": it.kind,
            "tool": it.tool,
            "path": it.path,
            "paths": memories.paths_in_order(it.seq, it.path),
            "session": it.session,
            "task": it.task,
            "tool_use": it.tool_use,
            "time": iso(it.at),
            "importance": it.importance,
            "provenance": it.provenance,
            "detail": it.detail,
            "superseded_by": it.superseded_by,
            "project": it.root,
        }
