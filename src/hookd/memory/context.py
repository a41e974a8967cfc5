"""What a session is told at its start: what matters now, each line with its source, within a budget.

That is the last summary, what is open, what fails, what was decided, what the person noted. Only what may be
repeated and nothing has superseded is looked at: `ProjectMemory` asks for nothing else, and nothing here asks
another way.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hookd.memory.citations import is_plain_id, source_of
from hookd.memory.handover.render import ASKED, OPEN, headline, is_unfinished, lines_of
from hookd.memory.handover.summaries import summary_of_session
from hookd.memory.observations import Place
from hookd.memory.repository.handover import ProjectMemory, SessionRecord
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Remembered
from hookd.memory.words import likeness
from hookd.printable import one_line
from hookd.store.database import Database
from hookd.tokens import tokens_of

OPENING = (
    "What hookd remembers of this project; in brackets the id, kind, day and session each line is from. "
    "It may be out of date, and none of it asks you to begin anything."
)
CLOSING = "More of one: `hookd memory show ID`; of anything else: `hookd memory search WORDS`."

# Of each group so many come before any other group has more.
AT_ONCE = 2

DAY = 86_400.0
SUMMARIES = 8
SUMMARY_DAYS, OPEN_DAYS, FAILURE_DAYS, DECISION_DAYS = 60, 7, 21, 120
MOST_OPEN, MOST_FAILURES, MOST_DECISIONS, MOST_NOTES = 6, 6, 8, 4
IMPORTANT = 0.7
LOOKED_AT = 60
# A session that goes on after a pause or a compaction is told of itself, any other of the last one.
OF_ITSELF = frozenset({"resume", "compact", "fork"})

IsNear = Callable[[Remembered], bool]


class ContextLine(NamedTuple):
    """What is said, and what it was made from."""

    text: str
    source: Remembered


class Composed(NamedTuple):
    """A context as it goes to the model; without lines it is empty."""

    text: str = ""
    tokens: int = 0
    lines: int = 0


class Moment(NamedTuple):
    """The session that begins, how, when, and which files are being worked on."""

    session: str
    source: str
    now: float
    changed: frozenset[str] = frozenset()
    """Files that differ from what git has, from the project's root."""


def choose(db: Database, place: Place, moment: Moment) -> list[list[ContextLine]]:
    """The lines in groups, the best of each first."""
    memory = ProjectMemory(db, place)
    summaries = [
        it
        for it in memory.summaries(SUMMARIES)
        if it.at > moment.now - SUMMARY_DAYS * DAY and headline(it.text)
    ]
    last = _last(db, place, summaries, moment)
    at_hand = moment.changed | (_paths(db, place, last) if last is not None else frozenset())

    def is_near(it: Remembered) -> bool:
        """Whether it is about one of the files at hand, or names it."""
        return bool(_paths(db, place, it) & at_hand) or any(file in it.text for file in at_hand)

    remembered = (
        _failures(memory, moment, last.session if last is not None else "", is_near),
        _decisions(memory, moment, is_near),
        _notes(memory),
    )
    told = [[ContextLine(it.text, it) for it in each] for each in remembered]
    return [_headline(last, moment), _open(summaries, last, moment), *told]


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


def _failures(memory: ProjectMemory, moment: Moment, session: str, is_near: IsNear) -> list[Remembered]:
    """What failed in the last session or on the files at hand, and was not seen to work since."""
    since = moment.now - FAILURE_DAYS * DAY
    failures = memory.standing("failure", since=since, limit=LOOKED_AT)
    near = [(it, is_near(it), it.session == session != "") for it in failures]
    chosen = [each for each in near if each[1] or each[2]]
    chosen.sort(key=lambda each: (-each[1] - each[2], -each[0].seq))
    return [it for it, _, _ in chosen[:MOST_FAILURES]]


def _decisions(memory: ProjectMemory, moment: Moment, is_near: IsNear) -> list[Remembered]:
    """The newest, moved up by how important they are and by being about the files at hand."""
    since = moment.now - DECISION_DAYS * DAY
    decisions = memory.standing("decision", since=since, limit=LOOKED_AT)

    def worth(it: Remembered) -> float:
        age = max(0.0, moment.now - it.at) / (30 * DAY)
        return it.importance - 0.5 * age + 0.3 * is_near(it)

    return sorted(decisions, key=lambda it: (-worth(it), -it.seq))[:MOST_DECISIONS]


def _notes(memory: ProjectMemory) -> list[Remembered]:
    """What the person has noted as important, however long ago."""
    important = memory.standing("note", since=0.0, important=IMPORTANT, limit=LOOKED_AT)
    notes = [it for it in important if it.provenance == "person"]
    return sorted(notes, key=lambda it: (-it.importance, -it.seq))[:MOST_NOTES]


def _paths(db: Database, place: Place, it: Remembered) -> frozenset[str]:
    """The observation's files, from the project's root."""
    found = Memories(db).paths(it.seq)
    return frozenset(os.path.relpath(path, place.root) if os.path.isabs(path) else path for path in found)


def composed(
    db: Database,
    groups: Sequence[Sequence[ContextLine]],
    budget: int,
    clean: Callable[[str], str],
    now: float,
    known: frozenset[str] = frozenset(),
) -> Composed:
    """The groups' lines in their order, as many as fit; `clean` takes out what must not be shown.

    `known` are lines that the session has been told already.
    """
    left = budget - tokens_of(f"{OPENING}\n{CLOSING}")
    chosen: dict[tuple[int, int], str] = {}
    for place, line in _once(_by_worth(groups)):
        if not is_plain_id(line.source.id):
            continue  # it stands in the text as it is
        text = f"- {one_line(clean(line.text))} {source_of(db, line.source, now)}"
        cost = tokens_of(f"{text}\n")
        if cost <= left and text not in known:
            chosen[place] = text
            left -= cost
    if not chosen:
        return Composed()
    text = "\n".join((OPENING, *(chosen[place] for place in sorted(chosen)), CLOSING))
    return Composed(text, tokens_of(text), len(chosen))


def _by_worth(groups: Sequence[Sequence[ContextLine]]) -> Iterator[tuple[tuple[int, int], ContextLine]]:
    """All lines with their places, a few of each group at a time."""
    deepest = max(map(len, groups), default=0)
    for start in range(0, deepest, AT_ONCE):
        for number, lines in enumerate(groups):
            for at, line in enumerate(lines[start : start + AT_ONCE], start):
                yield (number, at), line


def _once(
    placed: Iterable[tuple[tuple[int, int], ContextLine]],
) -> Iterator[tuple[tuple[int, int], ContextLine]]:
    """Nothing twice, however it is spaced and whenever it was said."""
    said: set[int] = set()
    for place, line in placed:
        meaning = likeness(one_line(line.text).casefold())
        if meaning not in said:
            said.add(meaning)
            yield place, line
