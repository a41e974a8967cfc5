"""What is forgotten, and what of it is still to go from the files beside the store."""

from collections.abc import Iterable
from typing import NamedTuple

from hookd.memory.observations import Place
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Name
from hookd.memory.repository.statements import statements
from hookd.memory.repository.word_index import WordIndex
from hookd.store.database import Database

# What refers to an observation, each by an index of its own.
REFERRING = ("supersedes_no_more", "unlink_from", "unlink_to", "await_none_for", "await_none_by")


class Gone(NamedTuple):
    """An observation that the tables have no more, and the files may have."""

    place: int
    id: str
    event: str
    root: str

    @property
    def name(self) -> Name:
        return Name(self.id, self.place)


class Forgetting:
    """Forgets observations by their numbers, of all projects, within the transaction of the caller."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def delete(self, numbers: Iterable[int]) -> list[Name]:
        """Takes observations out of the tables and the index; their words stay there until it is merged.

        What referred to one of them does so no more. Returns the names they had.
        """
        sql = statements()
        index = WordIndex(self._db)
        index.ensure_current()
        deleted = []
        for seq in numbers:
            row = self._db.row(sql["name_of"], (seq,))
            if row is None:
                continue
            name = Name(*row)
            index.remove(seq)
            self._db.run(sql["delete"], (seq,))
            for referring in REFERRING:
                self._db.run(sql[referring], name._asdict())
            deleted.append(name)
        return deleted

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

    def finish(self, gone: Iterable[Gone]) -> None:
        """These are gone from every file."""
        self._db.run_many(statements()["forgotten_everywhere"], (each[:3] for each in gone))

    def delete_places(self, places: list[int]) -> list[Name]:
        """Deletes all that is remembered in these places; the caller forgets the rest and sweeps.

        Returns the names that there were: their vectors are in another file.
        """
        sql = statements()
        numbers = [row[0] for place in places for row in self._db.rows(sql["numbers_in_place"], (place,))]
        deleted = self.delete(numbers)
        for place in places:
            self._db.run(sql["forget_awaited"], (place,))
            Places(self._db).forget(place)
        if places:
            self.merge_index()
        return deleted

    def is_ready(self) -> bool:
        """Whether there is anything to forget from: rooms make their tables when they first need them."""
        return self._db.has_table("observation")

    def delete_older_than(self, before: float, limit: int) -> list[Name]:
        """Deletes some of what is older and returns its names."""
        values = {"before": before, "limit": limit}
        numbers = [row[0] for row in self._db.rows(statements()["older_than"], values)]
        return self.delete(numbers)
