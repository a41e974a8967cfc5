"""What is remembered: one row per thing that was seen, done or decided."""

import secrets
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from hookd.memory.likeness import likeness
from hookd.memory.words import VERSION, tokens
from hookd.paths import as_text
from hookd.store.database import Database, Row
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements

Provenance = Literal["person", "hookd", "agent", "tool", "file", "web"]
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)

# What a stranger may have written: it is shown as data and never put in front of a model by itself.
FOREIGN = frozenset({"tool", "file", "web"})
# What may be put there without another look; of an agent's words, only those that passed one.
TRUSTED = frozenset({"person", "hookd"})

LONGEST_TEXT = 100_000
MOST_PATHS = 50


class Place(NamedTuple):
    """The project that observations belong to."""

    key: str
    root: str


class Observation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing worth remembering, redacted by whoever hands it in."""

    text: str
    id: str = ""
    """A name of its own, unique in the project; one is made up where it is empty."""
    kind: str = "note"
    """What it is: note, decision, failure, edit, command, summary; any short word."""
    provenance: Provenance = "person"
    """Who wrote the text."""
    at: float = 0.0
    """When, in seconds since 1970; 0 is now."""
    tool: str = ""
    paths: tuple[str, ...] = ()
    """The files it is about, the most important first."""
    session: str = ""
    task: str = ""
    prompt: str = ""
    """The journal's id of the prompt that led to it."""
    event: str = ""
    """The journal's id of the event that it was made from; forgetting it forgets that event's record too."""
    tool_use: str = ""
    """The agent's id of the call: stored once per session."""
    importance: float = 0.5
    """From 0 to 1; it moves a result up or down among those that fit about as well."""
    detail: str = ""
    """What a tool said, beside a text in hookd's words: found by search, and a stranger's."""
    repeatable: bool | None = None
    """Whether the text may be put in front of a model unasked; None goes by who wrote it."""


@cache
def queries() -> dict[str, str]:
    return load_statements("hookd.memory")


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.memory"))


def remember(db: Database, place: Place, rows: Iterable[Observation]) -> list[str]:
    """Writes what is not there yet and returns the ids of what was written.

    A row is there already if its id is, or its tool call in its session. The journal's table of projects must
    be in the store.
    """
    sql = queries()
    ensure_current_index(db)
    number = place_number(db, place)
    now = time.time()
    written, words, paths = [], [], []
    for row in rows:
        values = _columns(row, number, now)
        found = db.row(sql["add"], values)
        if found is None:
            continue
        words.append((found[0], _words(values["text"], values["detail"], row.paths)))
        paths += [(as_text(path), found[0]) for path in row.paths[:MOST_PATHS]]
        written.append(values["id"])
    db.run_many(sql["add_words"], words)
    db.run_many(sql["add_path"], paths)
    return written


def supersede(db: Database, place: Place, older: Iterable[str], newer: str) -> int:
    """Has the newer observation stand for the older ones, which search leaves out; returns how many."""
    sql = queries()
    number = place_number(db, place)
    seq = db.row(sql["seq_of"], {"id": newer, "place": number})
    if seq is None:
        return 0
    return sum(db.run(sql["supersede"], {"id": each, "place": number, "by": seq[0]}) for each in older)


def delete(db: Database, numbers: Iterable[int]) -> None:
    """Takes rows out of the table and the index.

    What is left of their words in the index goes when it is merged: see `hookd.memory.forgetting`.
    """
    sql = queries()
    ensure_current_index(db)
    for seq in numbers:
        row = db.row(sql["by_seq"], (seq,))
        if row is not None:
            db.run(sql["remove_words"], (seq, _words(row["text"], row["detail"], _paths_of(db, row))))
            db.run(sql["delete"], (seq,))


def place_number(db: Database, place: Place) -> int:
    """The project's number here, given to it if it has none."""
    sql = queries()
    row = db.row(sql["place"], (place.key,))
    if row is None:
        db.run(sql["add_project"], {"key": place.key, "root": as_text(place.root), "at": time.time()})
        db.run(sql["add_place"], (place.key,))
        row = db.only(sql["place"], (place.key,))
    number: int = row[0]
    return number


def ensure_current_index(db: Database) -> None:
    """Makes the index anew if it was made by other rules for words than those in force."""
    sql = queries()
    if db.value(sql["state"], ("words",)) == str(VERSION):
        return
    db.run(sql["remove_all_words"])
    for row in every(db):
        db.run(sql["add_words"], (row["seq"], _words(row["text"], row["detail"], _paths_of(db, row))))
    db.run(sql["set_state"], ("words", str(VERSION)))


def _paths_of(db: Database, row: Row) -> tuple[str, ...]:
    """The observation's files, the most important first."""
    paths = [each[0] for each in db.rows(queries()["paths_of"], (row["seq"],))]
    return tuple(sorted(paths, key=lambda path: path != row["path"]))


def _words(text: str, detail: str, paths: tuple[str, ...]) -> str:
    """What the index has of an observation; it is found by its files' names as well."""
    more = (path for path in paths[:MOST_PATHS] if path not in text)
    return " ".join(tokens("\n".join((text, *filter(None, (detail,)), *more))))


def _columns(row: Observation, place: int, now: float) -> dict[str, Any]:
    text = as_text(row.text[:LONGEST_TEXT])
    return {
        "id": as_text(row.id) or f"o{secrets.token_hex(5)}",
        "place": place,
        "at": row.at or now,
        "kind": as_text(row.kind),
        "provenance": row.provenance,
        "text": text,
        "tool": as_text(row.tool),
        "path": as_text(row.paths[0]) if row.paths else "",
        "session": as_text(row.session),
        "task": as_text(row.task),
        "prompt": row.prompt,
        "event": row.event,
        "tool_use": as_text(row.tool_use),
        "importance": min(1.0, max(0.0, row.importance)),
        "likeness": likeness(text),
        "detail": as_text(row.detail[:LONGEST_TEXT]),
        "repeatable": _may_be_repeated(row),
    }


def _may_be_repeated(row: Observation) -> bool:
    """A stranger's words never are, whoever says so."""
    if row.provenance in FOREIGN:
        return False
    return row.provenance in TRUSTED if row.repeatable is None else row.repeatable


def every(db: Database, place: int | None = None) -> Iterator[Row]:
    """All rows in the order of writing, of one project's number or of all."""
    yield from db.each(queries()["every"], {"place": place})
