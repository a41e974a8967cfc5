"""What is remembered, read one by one, around another one, counted, and all of it in order."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from hookd.memory.observations import Place
from hookd.memory.repository.places import Places, scope_of
from hookd.memory.repository.remembered import Name, Remembered
from hookd.memory.repository.statements import Repository, as_json, statements
from hookd.store.database import Database

# The last sign that there is: every longer text that begins the same comes before it.
_LAST = "\U0010ffff"


class Link(NamedTuple):
    """What an observation is linked to."""

    kind: str
    side: str
    """Whether the link goes `from` the observation or `to` it."""
    id: str
    """The other one's."""


class Counts(msgspec.Struct, frozen=True):
    """How many there are, since when and until when, and how many of them a later one has replaced."""

    count: int
    first: float
    last: float
    superseded: int


class Memories(Repository):
    """The observations that a place has a part in, or all of them."""

    def __init__(self, db: Database, place: Place | None = None) -> None:
        super().__init__(db, **scope_of(place))

    def named(self, name: str) -> Remembered | None:
        """The observation of this id, with its project."""
        return next(iter(self._all(Remembered, "named", id=name)), None)

    def ids_beginning_with(self, start: str) -> tuple[str, ...]:
        """The ids that begin so, the first few of them if they are many."""
        return tuple(self._column("ids_beginning_with", start=start, end=f"{start}{_LAST}"))

    def names_in(self, place: Place, names: list[str]) -> set[str]:
        """Those of the ids that a place has."""
        number = Places(self._db).known(place)
        return set(self._column("names_in_place", place=number, names=as_json(names)))

    def is_unique(self, start: str, place: int) -> bool:
        """Whether at most one id of a place and of those it shares with begins so."""
        return len(self._rows("ids_in_place", start=start, end=f"{start}{_LAST}", place=place)) <= 1

    def paths(self, seq: int) -> list[str]:
        """The files that an observation is about, in no order that means something."""
        return self._column("paths_of", seq=seq)

    def paths_in_order(self, seq: int, first: str) -> tuple[str, ...]:
        """The same with the one in front that it is most about."""
        return tuple(sorted(self.paths(seq), key=lambda path: path != first))

    def before(self, it: Remembered, limit: int, session: str | None = None) -> list[Remembered]:
        """What was written before it in its project, the nearest first; of one session or of any."""
        return self._beside("before", it, limit, session)

    def after(self, it: Remembered, limit: int, session: str | None = None) -> list[Remembered]:
        return self._beside("after", it, limit, session)

    def _beside(self, which: str, it: Remembered, limit: int, session: str | None) -> list[Remembered]:
        about = {"place": it.place, "seq": it.seq, "session": session}
        return self._all(Remembered, which, limit=limit, **about)

    def superseded_by(self, it: Remembered) -> list[str]:
        """The ids of the facts that this one has replaced."""
        return self._column("superseded_by", **it.name._asdict())

    def links(self, it: Remembered) -> list[Link]:
        """What it is linked to, of what is here."""
        return self._all(Link, "links_of", **it.name._asdict())

    def counts(self) -> Counts:
        return self._all(Counts, "counts")[0]

    def kinds(self) -> dict[str, int]:
        """How many there are of each kind, the most frequent first."""
        return {row[0]: row[1] for row in self._rows("kinds")}

    def link_kinds(self) -> dict[str, int]:
        """How many links there are of each kind."""
        return {row[0]: row[1] for row in self._rows("link_kinds")}

    def all(self) -> Iterator[Remembered]:
        """Every observation in the order of writing, with its project."""
        for row in self._db.each(statements()["all"], self._common):
            yield Remembered(*row)


class NumberedText(NamedTuple):
    """A text, by the order of writing and by the name of its observation."""

    seq: int
    name: Name
    text: str


class Texts(Repository):
    """The texts of all projects' observations, for what is made from them."""

    def count(self) -> int:
        found: int = self._value("text_count")
        return found

    def first(self, limit: int) -> Iterator[str]:
        for row in self._db.each(statements()["first_texts"], {"limit": limit}):
            yield row[0]

    def after(self, seq: int, limit: int) -> list[NumberedText]:
        """The next ones in the order of writing."""
        rows = self._rows("texts_after", seq=seq, limit=limit)
        return [NumberedText(row[0], Name(row[1], row[2]), row[3]) for row in rows]

    def names(self, numbers: list[int]) -> dict[int, Name]:
        """The names of the observations of these numbers, of those that are still there."""
        return {row[0]: Name(row[1], row[2]) for row in self._rows("names_of", numbers=str(numbers))}
