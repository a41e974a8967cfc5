"""What is forgotten, and what of it is still to go from the files beside the store."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec

from hookd.journal.entries import Forgotten
from hookd.memory.observations import Place, summary_record
from hookd.memory.quotes import Names, Texts, cut_call, cut_told, strings
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Name
from hookd.memory.repository.statements import statements
from hookd.memory.repository.word_index import WordIndex
from hookd.paths import split_root
from hookd.store.database import Database

# What refers to an observation, each by an index of its own.
REFERRING = ("supersedes_no_more", "unlink_from", "unlink_to", "await_none_for", "await_none_by")


How = Literal["", "told", "call"]
"""What goes of an event's record: all of it, what it told, or what a call was given and gave back."""


class Gone(NamedTuple):
    """An observation or a record that the tables have no more, and the files may have."""

    place: int
    observation: str
    event: str
    root: str
    how: How = ""

    @property
    def name(self) -> Name:
        return Name(self.observation, self.place)


class ToForget(NamedTuple):
    """An observation, and the records that have it."""

    place: int
    id: str
    text: str
    tree: str
    root: str
    session: str
    records: tuple[str, ...]


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
        for key, root, identity, tree, session in self._db.rows(statements()["sessions_of"], (str(numbers),)):
            machine, path = split_root(root)
            place = Place(key, path, identity, tree, machine=machine)
            found.setdefault(place, []).extend([session] if session else [])
        return found

    def to_forget(self, numbers: list[int]) -> list[ToForget]:
        """The observations with all that has them, those of one session together."""
        ids = str(numbers)
        records: dict[int, list[str]] = {}
        for seq, record in self._db.rows(statements()["made_from"], (ids, ids)):
            records.setdefault(seq, []).append(record)
        found = []
        for row in self._db.rows(statements()["to_forget"], (ids,)):
            is_summary = row["kind"] == "summary"
            made_from = [summary_record(row["id"], row["at"])] if is_summary else records[row["seq"]]
            place, name, text, tree, root, session = row[3:]
            found.append(ToForget(place, name, text, tree, root, session, tuple(made_from)))
        return found

    def telling(self, names: Names) -> dict[str, set[str]]:
        """The events in which a model was told of one of these observations, each with which."""
        events = self._db.each(statements()["told_events"])
        said = ((event, "\n".join(strings(_decoded(told)))) for event, told in events)
        return {event: found for event, text in said if (found := names.cited_in(text))}

    def repeating(self, names: Names, texts: Texts, *, shell: bool) -> dict[str, set[str]]:
        """The calls of hookd's own tools, and of its commands in a shell, that had one of them in or out."""
        calls: dict[tuple[str, str], list[str]] = {}
        repeated: dict[tuple[str, str], set[str]] = {}
        for row in self._db.each(statements()["own_calls"], {"shell": shell}):
            call = (row["session"], row["tool_use"] or row["id"])
            # What a call was given is in one of its events, and what it gave back in another.
            calls.setdefault(call, []).append(row["id"])
            said = "\n".join((*strings(_decoded(row["input"]).get("tool_input")), row["output"]))
            repeated.setdefault(call, set()).update(names.named_in(said), texts.repeated_in(said))
        return {event: repeated[call] for call, events in calls.items() for event in events if repeated[call]}

    def numbers(self, place: int, record: Forgotten) -> list[int]:
        """What is here of the observations that a record says are forgotten.

        One that came again since, under the same name, has another record.
        """
        values = {"place": place, "names": _json(record.observations), "records": _json(record.records)}
        return [row[0] for row in self._db.rows(statements()["forgotten_numbers"], values)]

    def cut(self, told: list[str], calls: list[str], names: Names) -> None:
        """Takes out of events what they told of the observations, and out of calls what was in them."""
        sql = statements()
        for row in self._db.rows(sql["recorded"], (_json(told),)):
            said = _decoded(row["told"])
            cut_told(said, names)
            self._db.run(sql["change_told"], {"id": row["id"], "told": _json(said)})
        for row in self._db.rows(sql["recorded"], (_json(calls),)):
            values = {
                "told": _decoded(row["told"]),
                "input": _decoded(row["input"]),
                "output": row["output"],
            }
            cut_call(values)
            changed = {"id": row["id"], "told": _json(values["told"]), "input": _json(values["input"])}
            self._db.run(sql["change_call"], changed | {"output": values["output"]})
            for number, data in self._db.rows(sql["facts_of"], {"id": row["id"]}):
                about = {"facts": _decoded(data)}
                cut_call(about)
                self._db.run(
                    sql["change_fact"], {"id": row["id"], "number": number, "data": _json(about["facts"])}
                )

    def folders_of(self, events: list[str]) -> list[tuple[str, str]]:
        """Where the run folders of these events may be, event by event."""
        rows = self._db.rows(statements()["folders_of_events"], {"ids": _json(events)})
        return [(row[0], row[1]) for row in rows]

    def root_of(self, place: int) -> str:
        return str(self._db.value(statements()["place_root"], (place,)) or "")

    def later(self, gone: Iterable[Gone]) -> None:
        """Notes what has to go from the files."""
        self._db.run_many(statements()["forget_later"], gone)

    def unfinished(self) -> list[Gone]:
        """What has to go from the files; what a killed process has left as well."""
        if not self._db.has_table("forgotten"):
            return []
        return [Gone(*row) for row in self._db.rows(statements()["forgotten"])]

    def finish(self, gone: Iterable[Gone]) -> None:
        """These are gone from every file."""
        self._db.run_many(statements()["forgotten_everywhere"], gone)

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


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _decoded(text: str) -> Any:
    return msgspec.json.decode(text)
