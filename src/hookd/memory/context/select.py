"""What matters now: the last summary, what is open, what fails, what was decided, what the person noted.

Only what may be repeated and nothing has superseded is looked at: `ProjectMemory` asks for nothing else, and
nothing here asks another way.
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

from hookd.memory.context.render import ContextLine
from hookd.memory.handover.render import ASKED, OPEN, headline, is_unfinished, lines_of
from hookd.memory.handover.summaries import summary_of_session
from hookd.memory.observations import Place
from hookd.memory.repository.handover import ProjectMemory, SessionRecord
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Remembered
from hookd.store.database import Database

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


def choose(db: Database, place: Place, moment: Moment) -> list[list[ContextLine]]:
    """The lines in groups, the best of each first."""
    summaries = [
        it
        for it in ProjectMemory(db, place).summaries(SUMMARIES)
        if it.at > moment.now - SUMMARY_DAYS * DAY and headline(it.text)
    ]
    last = _last(db, place, summaries, moment)
    at_hand = moment.changed | _paths(db, place, [last] if last is not None else [])
    failures = _failures(db, place, moment, last.session if last is not None else "", at_hand)
    return [
        _headline(last, moment),
        _open(summaries, last, moment),
        [ContextLine(it.text, it) for it in failures],
        [ContextLine(it.text, it) for it in _decisions(db, place, moment, at_hand)],
        [ContextLine(it.text, it) for it in _notes(db, place)],
    ]


def told_before(db: Database, place: Place, moment: Moment) -> frozenset[str]:
    """The lines that this session has been told and the model still has in mind."""
    if moment.source == "compact":
        return frozenset()
    said = SessionRecord(db, place).told_at_start(moment.session)
    texts = (told.text for told in said if told.what == "context")
    return frozenset(line for text in texts for line in text.splitlines())


def _last(db: Database, place: Place, summaries: list[Remembered], moment: Moment) -> Remembered | None:
    if moment.source in OF_ITSELF:
        own = next((it for it in summaries if it.session == moment.session), None)
        own = own or summary_of_session(db, place, moment.session)
        if own is not None and headline(own.text):
            return own
    return next((it for it in summaries if it.session != moment.session), None)


def _headline(last: Remembered | None, moment: Moment) -> list[ContextLine]:
    if last is None:
        return []
    whose = "This session so far" if last.session == moment.session else "The last session"
    return [ContextLine(f"{whose}: {headline(last.text)}", last)]


def _open(summaries: list[Remembered], last: Remembered | None, moment: Moment) -> list[ContextLine]:
    """What the last sessions left undone, the last one's first.

    A command that failed is told as a failure, which knows whether it works since.
    """
    recent = [it for it in summaries if it is last or it.at > moment.now - OPEN_DAYS * DAY]
    recent.sort(key=lambda it: it is not last)
    found = []
    for it in recent:
        for what, said in lines_of(it.text):
            if what == ASKED and it is not last and is_unfinished(said):
                found.append(ContextLine(f"Open: asked for {said}", it))
            elif what == OPEN and not said.startswith("`"):
                found.append(ContextLine(f"Open: {said}", it))
    return found[:MOST_OPEN]


def _failures(
    db: Database, place: Place, moment: Moment, session: str, at_hand: frozenset[str]
) -> list[Remembered]:
    """What failed in the last session or on the files at hand, and was not seen to work since."""
    failures = _standing(db, place, "failure", moment.now - FAILURE_DAYS * DAY)
    near = [(it, _is_about(db, place, it, at_hand), it.session == session != "") for it in failures]
    chosen = [each for each in near if each[1] or each[2]]
    chosen.sort(key=lambda each: (-each[1] - each[2], -each[0].seq))
    return [it for it, _, _ in chosen[:MOST_FAILURES]]


def _decisions(db: Database, place: Place, moment: Moment, at_hand: frozenset[str]) -> list[Remembered]:
    """The newest, moved up by how important they are and by being about the files at hand."""
    decisions = _standing(db, place, "decision", moment.now - DECISION_DAYS * DAY)

    def worth(it: Remembered) -> float:
        age = max(0.0, moment.now - it.at) / (30 * DAY)
        near = 0.3 if _is_about(db, place, it, at_hand) else 0.0
        return it.importance - 0.5 * age + near

    return sorted(decisions, key=lambda it: (-worth(it), -it.seq))[:MOST_DECISIONS]


def _notes(db: Database, place: Place) -> list[Remembered]:
    """What the person has noted as important, however long ago."""
    notes = [it for it in _standing(db, place, "note", 0.0, IMPORTANT) if it.provenance == "person"]
    return sorted(notes, key=lambda it: (-it.importance, -it.seq))[:MOST_NOTES]


def _standing(
    db: Database, place: Place, kind: str, since: float, important: float = 0.0
) -> list[Remembered]:
    memory = ProjectMemory(db, place)
    return memory.standing(kind, since=since, important=important, limit=LOOKED_AT)


def _is_about(db: Database, place: Place, it: Remembered, files: frozenset[str]) -> bool:
    """Whether it is about one of the files, or names it."""
    return bool(_paths(db, place, [it]) & files) or any(file in it.text for file in files)


def _paths(db: Database, place: Place, remembered: Iterable[Remembered]) -> frozenset[str]:
    """The observations' files, from the project's root."""
    memories = Memories(db)
    found = (path for it in remembered for path in memories.paths(it.seq))
    return frozenset(os.path.relpath(path, place.root) if os.path.isabs(path) else path for path in found)
