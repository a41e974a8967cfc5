"""What is forgotten, and what of it is still to go from the files beside the store."""

from collections.abc import Iterable
from typing import NamedTuple

from hookd.memory.observations import Place
from hookd.memory.repository.places import Places
from hookd.memory.repository.statements import statements
from hookd.memory.repository.word_index import WordIndex
from hookd.store.database import Database


class Gone(NamedTuple):
    """An observation that the tables have no more, and the files may have."""

    number: int
    event: str
    root: str


class Forgetting:
    """Forgets observations by their numbers, of all projects, within the transaction of the caller."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def delete(self, numbers: Iterable[int]) -> None:
        """Takes observations out of the table and the index; their words stay there until it is merged."""
        index = WordIndex(self._db)
        index.ensure_current()
        for seq in numbers:
            index.remove(seq)
            self._db.run(statements()["delete"], (seq,))

    def merge_index(self) -> None:
        WordIndex(self._db).merge()

    def sessions_of(self, numbers: list[int]) -> dict[Place, list[str]]:
        """The checkouts that the observations are of, and the sessions."""
        found: dict[Place, list[str]] = {}
        for *place, session in self._db.rows(statements()["sessions_of"], (str(numbers),)):
            found.setdefault(Place(*place), []).extend([session] if session else [])
        return found

    def note(self, numbers: list[int]) -> list[str]:
        """Notes what has to go from the files and returns the ids of the events that it is in.

        A call's input is in the event before the one that an observation was made from.
        """
        self._db.run(statements()["forget_later"], (str(numbers),))
        rows = self._db.rows(statements()["events_to_forget"], (str(numbers),))
        return [row[0] for row in rows if row[0]]

    def delete_events(self, numbers: list[int]) -> None:
        """Deletes the events that were noted with these observations."""
        self._db.run(statements()["forget_events"], (str(numbers),))

    def unfinished(self) -> list[Gone]:
        """What has to go from the files; what a killed process has left as well."""
        if not self._db.has_table("forgotten"):
            return []
        return [Gone(*row) for row in self._db.rows(statements()["forgotten"])]

    def finish(self, numbers: list[int]) -> None:
        """These are gone from every file."""
        self._db.run(statements()["forgotten_everywhere"], (str(numbers),))

    def delete_places(self, places: list[int]) -> list[int]:
        """Deletes all that is remembered in these places; the caller forgets the rest and sweeps.

        Returns the numbers of what was there: its vectors are in another file.
        """
        numbers = [
            row[0] for place in places for row in self._db.rows(statements()["numbers_in_place"], (place,))
        ]
        self.delete(numbers)
        for place in places:
            Places(self._db).forget(place)
        if places:
            self.merge_index()
        return numbers

    def is_ready(self) -> bool:
        """Whether there is anything to forget from: rooms make their tables when they first need them."""
        return self._db.has_table("observation")

    def delete_older_than(self, before: float, limit: int) -> list[int]:
        """Deletes some of what is older and returns its numbers."""
        values = {"before": before, "limit": limit}
        numbers = [row[0] for row in self._db.rows(statements()["older_than"], values)]
        self.delete(numbers)
        return numbers
