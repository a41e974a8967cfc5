"""What matters now: the last summary, what is open, what fails, what was decided, what the person noted.

Only rows that may be repeated and that nothing has superseded are looked at; the query says so, and nobody
here asks another way.
"""

import os
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import msgspec

from hookd.journal.entries import Told
from hookd.memory.context.composing import Line
from hookd.memory.handover.keeping import last_summaries, summary_of_session
from hookd.memory.handover.telling import ASKED, OPEN, headline, is_unfinished, lines_of
from hookd.memory.observations import Place
from hookd.memory.observations import queries as memory_queries
from hookd.store.database import Database, Row
from hookd.store.statements import load_statements

DAY = 86_400.0
SUMMARIES = 8
SUMMARY_DAYS, OPEN_DAYS, FAILURE_DAYS, DECISION_DAYS = 60, 7, 21, 120
MOST_OPEN, MOST_FAILURES, MOST_DECISIONS, MOST_NOTES = 6, 6, 8, 4
IMPORTANT = 0.7
LOOKED_AT = 60
# A session that goes on after a pause or a compaction is told of itself, any other of the last one.
OF_ITSELF = frozenset({"resume", "compact", "fork"})


class Moment(NamedTuple):
    """The session that begins, how, when, and which files are being worked on."""

    session: str
    source: str
    now: float
    changed: frozenset[str] = frozenset()
    """Files that differ from what git has, from the project's root."""


@cache
def _queries() -> dict[str, str]:
    return load_statements("hookd.memory.context")


def choose(db: Database, place: Place, moment: Moment) -> list[list[Line]]:
    """The lines in groups, the best of each first."""
    summaries = [
        row
        for row in last_summaries(db, place, SUMMARIES)
        if row["at"] > moment.now - SUMMARY_DAYS * DAY and headline(row["text"])
    ]
    last = _last(db, place, summaries, moment)
    at_hand = moment.changed | _paths(db, place, [last] if last is not None else [])
    failures = _failures(db, place, moment, last["session"] if last is not None else "", at_hand)
    return [
        _headline(last, moment),
        _open(summaries, last, moment),
        [Line(row["text"], row) for row in failures],
        [Line(row["text"], row) for row in _decisions(db, place, moment, at_hand)],
        [Line(row["text"], row) for row in _notes(db, place)],
    ]


def told_before(db: Database, place: Place, moment: Moment) -> frozenset[str]:
    """The lines that this session has been told and the model still has in mind."""
    if moment.source == "compact":
        return frozenset()
    rows = db.rows(_queries()["told"], {"project": place.key, "session": moment.session})
    said = (told for row in rows for told in msgspec.json.decode(row[0], type=list[Told]))
    texts = (told.text for told in said if told.what == "context")
    return frozenset(line for text in texts for line in text.splitlines())


def _last(db: Database, place: Place, summaries: list[Row], moment: Moment) -> Row | None:
    if moment.source in OF_ITSELF:
        own = next((row for row in summaries if row["session"] == moment.session), None)
        own = own or summary_of_session(db, place, moment.session)
        if own is not None and headline(own["text"]):
            return own
    return next((row for row in summaries if row["session"] != moment.session), None)


def _headline(last: Row | None, moment: Moment) -> list[Line]:
    if last is None:
        return []
    whose = "This session so far" if last["session"] == moment.session else "The last session"
    return [Line(f"{whose}: {headline(last['text'])}", last)]


def _open(summaries: list[Row], last: Row | None, moment: Moment) -> list[Line]:
    """What the last sessions left undone, the last one's first.

    A command that failed is told as a failure, which knows whether it works since.
    """
    rows = [row for row in summaries if row is last or row["at"] > moment.now - OPEN_DAYS * DAY]
    rows.sort(key=lambda row: row is not last)
    found = []
    for row in rows:
        for what, said in lines_of(row["text"]):
            if what == ASKED and row is not last and is_unfinished(said):
                found.append(Line(f"Open: asked for {said}", row))
            elif what == OPEN and not said.startswith("`"):
                found.append(Line(f"Open: {said}", row))
    return found[:MOST_OPEN]


def _failures(db: Database, place: Place, moment: Moment, session: str, at_hand: frozenset[str]) -> list[Row]:
    """What failed in the last session or on the files at hand, and was not seen to work since."""
    rows = _standing(db, place, "failure", moment.now - FAILURE_DAYS * DAY)
    near = [(row, _is_about(db, place, row, at_hand), row["session"] == session != "") for row in rows]
    chosen = [each for each in near if each[1] or each[2]]
    chosen.sort(key=lambda each: (-each[1] - each[2], -each[0]["seq"]))
    return [row for row, _, _ in chosen[:MOST_FAILURES]]


def _decisions(db: Database, place: Place, moment: Moment, at_hand: frozenset[str]) -> list[Row]:
    """The newest, moved up by how important they are and by being about the files at hand."""
    rows = _standing(db, place, "decision", moment.now - DECISION_DAYS * DAY)

    def worth(row: Row) -> float:
        age: float = max(0.0, moment.now - row["at"]) / (30 * DAY)
        near = 0.3 if _is_about(db, place, row, at_hand) else 0.0
        return float(row["importance"]) - 0.5 * age + near

    return sorted(rows, key=lambda row: (-worth(row), -row["seq"]))[:MOST_DECISIONS]


def _notes(db: Database, place: Place) -> list[Row]:
    """What the person has noted as important, however long ago."""
    rows = [row for row in _standing(db, place, "note", 0.0, IMPORTANT) if row["provenance"] == "person"]
    return sorted(rows, key=lambda row: (-row["importance"], -row["seq"]))[:MOST_NOTES]


def _standing(db: Database, place: Place, kind: str, since: float, important: float = 0.0) -> list[Row]:
    values = {"project": place.key, "kind": kind, "since": since, "important": important}
    return db.rows(_queries()["standing"], values | {"limit": LOOKED_AT})


def _is_about(db: Database, place: Place, row: Row, files: frozenset[str]) -> bool:
    """Whether it is about one of the files, or names it."""
    return bool(_paths(db, place, [row]) & files) or any(file in row["text"] for file in files)


def _paths(db: Database, place: Place, rows: Iterable[Row]) -> frozenset[str]:
    """The rows' files, from the project's root."""
    found = (each[0] for row in rows for each in db.rows(memory_queries()["paths_of"], (row["seq"],)))
    return frozenset(os.path.relpath(path, place.root) if os.path.isabs(path) else path for path in found)
