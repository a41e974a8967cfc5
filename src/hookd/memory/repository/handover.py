"""What a session's summary is made from, and what the next session is told."""

from typing import NamedTuple

import msgspec

from hookd.journal.entries import Told
from hookd.memory.observations import Place, shown_id
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.statements import Repository, as_json
from hookd.store.database import Database


class Step(NamedTuple):
    """An event before or after a tool call."""

    id: str
    at: float
    name: str
    tool: str
    tool_kind: str
    tool_use: str
    verdict: str
    input: str
    """As the agent sent it, which may be anything."""
    output: str


class Goal(NamedTuple):
    """What a person asked for, and what became of it."""

    prompt: str
    """The journal's id of it."""
    text: str
    state: str


class OngoingSession(NamedTuple):
    """A session that no end was seen of."""

    id: str
    last_at: float


class ProjectMemory(Repository):
    """A checkout's observations as its hand-overs and the start of a session read them.

    What was decided and noted is that of all checkouts it shares its memory with; where work stands and what
    is open are its own. What is told to a model unasked comes from `standing`, `said` and `summaries`: their
    statements leave out what may not be repeated, and what something has superseded.
    """

    def __init__(self, db: Database, place: Place) -> None:
        super().__init__(db)
        self._own = Places(db).of_tree(place)
        self._shared = Places(db).sharing(place)

    def standing(self, kind: str, *, since: float, limit: int, important: float = 0.0) -> list[Remembered]:
        """The newest of a kind, in all sessions; of failures those of this work tree."""
        values = {"kind": kind, "since": since, "important": important, "limit": limit}
        return self._found("standing", values, self._own if kind == "failure" else self._shared)[:limit]

    def said(self, session: str, kind: str, limit: int) -> list[Remembered]:
        """The newest of a kind in a session."""
        return self._found("said", {"session": session, "kind": kind, "limit": limit})[:limit]

    def summaries(self, limit: int) -> list[Remembered]:
        """The newest summaries, each in hookd's own words, the newest first."""
        return self._found("summaries", {"limit": limit})[:limit]

    def by_id(self, name: str) -> Remembered | None:
        """The observation of this id, or of its beginning, which is all that hookd 0.1 gave.

        It may not be one to be repeated.
        """
        return next(iter(self._found("by_id", {"id": name, "beginning": shown_id(name)})), None)

    def prose(self, session: str) -> str:
        """A model's words on a session, for people; empty if there are none."""
        told = (self._value("prose", place=number, session=session) for number in self._own)
        return next(filter(None, told), "")

    def made_from(self, events: list[str]) -> frozenset[str]:
        """Those of the events that an observation was made from."""
        return frozenset(self._column("observed_events", ids=as_json(events)))

    def _found(
        self, which: str, values: dict[str, object], places: list[int] | None = None
    ) -> list[Remembered]:
        """The newest first; each place is asked by itself, as an index has the order of one place only."""
        found = [
            it
            for number in (self._own if places is None else places)
            for it in self._all(Remembered, which, place=number, **values)
        ]
        return sorted(found, key=lambda it: -it.seq)


class SessionRecord(Repository):
    """What the record of events and tasks says of one checkout's sessions."""

    def __init__(self, db: Database, place: Place) -> None:
        super().__init__(db, project=place.key, tree=place.tree, alone=place.alone)

    def steps(self, session: str, since: float) -> list[Step]:
        """The calls after a moment that may have changed something, in order."""
        return self._all(Step, "steps", session=session, since=since)

    def goals(self, session: str, limit: int, since: float) -> list[Goal]:
        """What was asked for after a moment, the last first."""
        return self._all(Goal, "goals", session=session, limit=limit, since=since)

    def ongoing(self, since: float, limit: int) -> list[OngoingSession]:
        """The sessions without an end, the one that was active last first."""
        return self._all(OngoingSession, "ongoing", since=since, limit=limit)

    def told_at_start(self, session: str) -> list[Told]:
        """What the session was told when it began or went on, since its last compaction."""
        several = self._column("told_at_start", session=session)
        return [told for each in several for told in msgspec.json.decode(each, type=list[Told])]
