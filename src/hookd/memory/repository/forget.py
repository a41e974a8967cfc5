"""What is forgotten, and what of it is still to go from the files beside the store."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec

from hookd.journal.entries import Forgotten
from hookd.memory.observations import Place, summary_record
from hookd.memory.quotes import Cut, Names, Passages, strings
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Name
from hookd.memory.repository.statements import statements
from hookd.memory.repository.word_index import WordIndex
from hookd.paths import split_root
from hookd.store.database import Database

# What refers to an observation, each by an index of its own.
REFERRING = ("supersedes_no_more", "unlink_from", "unlink_to", "await_none_for", "await_none_by")


How = Literal["", "told", "call", "run", "answer"]
"""What goes: an event's record, what it told, what a call was given and gave back; a run's snapshots, by the
run's name; a person's answer to the gate, by the digest of the call's text."""


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

    seq: int
    place: int
    id: str
    text: str
    tree: str
    root: str
    session: str
    superseded_by: str | None
    records: tuple[str, ...]


class Recorded(NamedTuple):
    """What the record has of an event now."""

    told: list[Any]
    input: dict[str, Any]
    output: str
    facts: dict[int, Any]


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
        for seq, record in self._db.rows(statements()["made_from"], {"numbers": ids}):
            records.setdefault(seq, []).append(record)
        prompts: dict[int, list[str]] = {}
        for seq, event in self._db.rows(statements()["prompts_of"], (ids,)):
            prompts.setdefault(seq, []).append(event)
        found = []
        for row in self._db.rows(statements()["to_forget"], (ids,)):
            made_from = records[row["seq"]]
            if row["kind"] == "summary":
                made_from = [summary_record(row["id"], row["at"]), *prompts.get(row["seq"], ())]
            found.append(
                ToForget(
                    row["seq"],
                    row["place"],
                    row["id"],
                    "\n".join(filter(None, (row["text"], row["detail"]))),
                    row["tree"],
                    row["root"],
                    row["session"],
                    row["superseded_by"],
                    tuple(made_from),
                )
            )
        return found

    def related(self, it: ToForget) -> list[tuple[int, str, str]]:
        """What stands for an observation, and what it stands for: numbers, texts and events."""
        values = {"place": it.place, "id": it.id, "newer": it.superseded_by}
        return [(row[0], row[1], row[2]) for row in self._db.rows(statements()["related"], values)]

    def alike(self, numbers: list[int]) -> list[str]:
        """The ids of others that say the same as one of these."""
        return [row[0] for row in self._db.rows(statements()["alike"], {"numbers": str(numbers)})]

    def made_of_calls(self, events: list[str]) -> list[tuple[int, str]]:
        """The numbers and texts of what was written down of these events."""
        rows = self._db.rows(statements()["made_of_calls"], (_json(events),))
        return [(row[0], f"{row[1]}\n{row[2]}") for row in rows]

    def telling(self, names: Names) -> dict[str, set[str]]:
        """The events in which a model was told of one of these observations, each with which."""
        events = self._db.each(statements()["told_events"])
        said = ((event, "\n".join(strings(_decoded(told)))) for event, told in events)
        return {event: found for event, text in said if (found := names.cited_in(text))}

    def repeating(
        self, names: Names, passages: Passages, sessions: list[str], *, shell: bool
    ) -> dict[str, set[str]]:
        """What else repeats one of them, each with which; for hookd's own calls, all events of a call."""
        calls: dict[tuple[str, str], list[str]] = {}
        repeated: dict[tuple[str, str], set[str]] = {}
        values = {"shell": shell, "sessions": _json(sessions)}
        for row in self._db.each(statements()["may_repeat"], values):
            call = (row["session"], row["tool_use"] or row["id"])
            # What a call was given is in one of its events, and what it gave back in another.
            calls.setdefault(call, []).append(row["id"])
            said = "\n".join((*strings(_decoded(row["input"])), row["output"]))
            repeated.setdefault(call, set()).update(names.named_in(said), passages.repeated_in(said))
        return {event: repeated[call] for call, events in calls.items() for event in events if repeated[call]}

    def numbers(self, place: int, record: Forgotten) -> list[int]:
        """What is here of the observations that a record says are forgotten.

        One that came again since, under the same name, has another record.
        """
        values = {"place": place, "names": _json(record.observations), "records": _json(record.records)}
        return [row[0] for row in self._db.rows(statements()["forgotten_numbers"], values)]

    def texts(self, numbers: list[int]) -> list[tuple[str, str]]:
        """The ids and all that is said there."""
        rows = self._db.rows(statements()["texts_of"], (_json(numbers),))
        return [(row["id"], "\n".join((row["text"], row["detail"]))) for row in rows]

    def cut(self, told: list[str], calls: list[str], how: Cut) -> None:
        """Takes out of events what they told of the observations, and out of calls what was in them."""
        for event, recorded in self.recorded(told).items():
            self._db.run(statements()["change_told"], {"id": event, "told": _json(how.told(recorded.told))})
        for event, recorded in self.recorded(calls).items():
            changed = {"told": _json(how.call(recorded.told)), "input": _json(how.call(recorded.input))}
            changed |= {"id": event, "output": how.output(recorded.output)}
            self._db.run(statements()["change_call"], changed)
            for number, data in recorded.facts.items():
                about = {"id": event, "number": number, "data": _json(how.call(data))}
                self._db.run(statements()["change_fact"], about)

    def recorded(self, events: list[str]) -> dict[str, Recorded]:
        """What is on record of these events; what a call was given is with the event before it."""
        found = {}
        for row in self._db.rows(statements()["recorded"], (_json(events),)):
            facts = self._db.rows(statements()["facts_of"], {"id": row["id"]})
            found[row["id"]] = Recorded(
                _decoded(row["told"]),
                _decoded(row["input"]),
                row["output"],
                {number: _decoded(data) for number, data in facts},
            )
        return found

    def given(self, events: list[str]) -> dict[str, Any]:
        """What the calls that these events are of were given, by the events."""
        rows = self._db.rows(statements()["recorded"], (_json(events),))
        given: dict[tuple[str, str], Any] = {}
        for row in rows:
            if tool_input := _decoded(row["input"]).get("tool_input"):
                given[(row["session"], row["tool_use"])] = tool_input
        calls = ((row["id"], (row["session"], row["tool_use"])) for row in rows)
        return {event: given[call] for event, call in calls if call in given}

    def runs_of(self, place: int, sessions: list[str]) -> list[str]:
        """The names of the sessions' run folders."""
        values = {"place": place, "sessions": _json(sessions)}
        return [row[0] for row in self._db.rows(statements()["runs_of"], values)]

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
