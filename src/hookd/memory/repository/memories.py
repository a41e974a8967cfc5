"""What is remembered, read one by one, around another one, counted, and all of it in order."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from hookd.memory.observations import Place
from hookd.memory.repository.places import Places, scope_of
from hookd.memory.repository.remembered import Name, Remembered
from hookd.memory.repository.statements import statements
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


class Memories:
    """The observations that a place has a part in, or all of them."""

    def __init__(self, db: Database, place: Place | None = None) -> None:
        self._db = db
        self._scope = scope_of(place)

    def named(self, name: str) -> Remembered | None:
        """The observation of this id, with its project."""
        row = self._db.row(statements()["named"], self._scope | {"id": name})
        return Remembered(*row) if row is not None else None

    def ids_beginning_with(self, start: str) -> tuple[str, ...]:
        """The ids that begin so, the first few of them if they are many."""
        values = {"start": start, "end": f"{start}{_LAST}"}
        rows = self._db.rows(statements()["ids_beginning_with"], self._scope | values)
        return tuple(row[0] for row in rows)

    def names_in(self, place: Place, names: list[str]) -> set[str]:
        """Those of the ids that a place has."""
        number = Places(self._db).known(place)
        values = {"place": number, "names": msgspec.json.encode(names).decode()}
        return {row[0] for row in self._db.rows(statements()["names_in_place"], values)}

    def is_unique(self, start: str, place: int) -> bool:
        """Whether at most one id of a place and of those it shares with begins so."""
        values = {"start": start, "end": f"{start}{_LAST}", "place": place}
        return len(self._db.rows(statements()["ids_in_place"], values)) <= 1

    def paths(self, seq: int) -> list[str]:
        """The files that an observation is about, in no order that means something."""
        return [row[0] for row in self._db.rows(statements()["paths_of"], (seq,))]

    def paths_in_order(self, seq: int, first: str) -> tuple[str, ...]:
        """The same with the one in front that it is most about."""
        return tuple(sorted(self.paths(seq), key=lambda path: path != first))

    def before(self, it: Remembered, limit: int, session: str | None = None) -> list[Remembered]:
        """What was written before it in its project, the nearest first; of one session or of any."""
        return self._beside("before", it, limit, session)

    def after(self, it: Remembered, limit: int, session: str | None = None) -> list[Remembered]:
        return self._beside("after", it, limit, session)

    def _beside(self, which: str, it: Remembered, limit: int, session: str | None) -> list[Remembered]:
        values = {"place": it.place, "seq": it.seq, "session": session, "limit": limit}
        return [Remembered(*row) for row in self._db.rows(statements()[which], values)]

    def superseded_by(self, it: Remembered) -> list[str]:
        """The ids of the facts that this one has replaced."""
        values = {"id": it.id, "place": it.place}
        return [row[0] for row in self._db.rows(statements()["superseded_by"], values)]

    def links(self, it: Remembered) -> list[Link]:
        """What it is linked to, of what is here."""
        values = {"id": it.id, "place": it.place}
        return [Link(*row) for row in self._db.rows(statements()["links_of"], values)]

    def counts(self) -> Counts:
        return Counts(*self._db.only(statements()["counts"], self._scope))

    def kinds(self) -> dict[str, int]:
        """How many there are of each kind, the most frequent first."""
        return {row[0]: row[1] for row in self._db.rows(statements()["kinds"], self._scope)}

    def link_kinds(self) -> dict[str, int]:
        """How many links there are of each kind."""
        rows = self._db.rows(statements()["link_kinds"], self._scope)
        return {row[0]: row[1] for row in rows}

    def all(self) -> Iterator[Remembered]:
        """Every observation in the order of writing, with its project."""
        for row in self._db.each(statements()["all"], self._scope):
            yield Remembered(*row)


class NumberedText(NamedTuple):
    """A text, by the order of writing and by the name of its observation."""

    seq: int
    name: Name
    text: str


class Texts:
    """The texts of all projects' observations, for what is made from them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def count(self) -> int:
        found: int = self._db.value(statements()["text_count"])
        return found

    def first(self, limit: int) -> Iterator[str]:
        for row in self._db.each(statements()["first_texts"], {"limit": limit}):
            yield row[0]

    def after(self, seq: int, limit: int) -> list[NumberedText]:
        """The next ones in the order of writing."""
        rows = self._db.rows(statements()["texts_after"], {"seq": seq, "limit": limit})
        return [NumberedText(row[0], Name(row[1], row[2]), row[3]) for row in rows]

    def names(self, numbers: list[int]) -> dict[int, Name]:
        """The names of the observations of these numbers, of those that are still there."""
        rows = self._db.rows(statements()["names_of"], (str(numbers),))
        return {row[0]: Name(row[1], row[2]) for row in rows}
