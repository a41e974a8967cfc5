"""What is forgotten, and what of it is still to go from the files beside the store."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec

from hookd.journal.entries import FORGOTTEN, Forgotten
from hookd.memory.observations import Place, summary_record
from hookd.memory.quotes import Cut, Names, Passages, strings
from hookd.memory.repository.places import Places
from hookd.memory.repository.remembered import Name
from hookd.memory.repository.statements import Repository, as_json, statements
from hookd.memory.repository.word_index import WordIndex
from hookd.paths import split_root

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
    tree: str
    root: str
    session: str
    superseded_by: str | None
    text: str
    records: tuple[str, ...]


class Recorded(NamedTuple):
    """What the record has of an event now."""

    told: list[Any]
    input: dict[str, Any]
    output: str
    facts: dict[int, Any]


class Forgetting(Repository):
    """Forgets observations by their numbers, of all projects, within the transaction of the caller."""

    def delete(self, numbers: Iterable[int]) -> list[Name]:
        """Takes observations out of the tables and the index; their words stay there until it is merged.

        What referred to one of them does so no more. Returns the names they had.
        """
        index = WordIndex(self._db)
        index.ensure_current()
        deleted = []
        for seq in numbers:
            for name in self._all(Name, "name_of", seq=seq):
                index.remove(seq)
                self._run("delete", seq=seq)
                for referring in REFERRING:
                    self._run(referring, **name._asdict())
                deleted.append(name)
        return deleted

    def merge_index(self) -> None:
        WordIndex(self._db).merge()

    def sessions_of(self, numbers: list[int]) -> dict[Place, list[str]]:
        """The checkouts that the observations are of, and the sessions."""
        found: dict[Place, list[str]] = {}
        for key, root, identity, tree, session in self._rows("sessions_of", numbers=str(numbers)):
            machine, path = split_root(root)
            place = Place(key, path, identity, tree, machine=machine)
            found.setdefault(place, []).extend([session] if session else [])
        return found

    def sessions_told(self, events: list[str]) -> list[str]:
        """The sessions that were told of them by these events, or may have been before something was cut."""
        return self._column("sessions_told", ids=as_json(events), forgotten=f"%{FORGOTTEN}%")

    def to_forget(self, numbers: list[int]) -> list[ToForget]:
        """The observations with all that has them, those of one session together."""
        ids = str(numbers)
        records, prompts = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
        for seq, record in self._rows("made_from", numbers=ids):
            records[seq].append(record)
        for seq, event in self._rows("prompts_of", numbers=ids):
            prompts[seq].append(event)
        found = []
        for row in self._rows("to_forget", numbers=ids):
            seq, text = row["seq"], "\n".join(filter(None, (row["text"], row["detail"])))
            of_summary = [summary_record(row["id"], row["at"]), *prompts[seq]]
            made_from = of_summary if row["kind"] == "summary" else records[seq]
            found.append(ToForget._make((*row[:7], text, tuple(made_from))))
        return found

    def related(self, it: ToForget) -> list[tuple[int, str, str]]:
        """What stands for an observation, and what it stands for: numbers, texts and events."""
        rows = self._rows("related", place=it.place, id=it.id, newer=it.superseded_by)
        return [(row[0], row[1], row[2]) for row in rows]

    def alike(self, numbers: list[int]) -> list[str]:
        """The ids of others that say the same as one of these."""
        return self._column("alike", numbers=str(numbers))

    def made_of_calls(self, events: list[str]) -> list[tuple[int, str]]:
        """The numbers and texts of what was written down of these events."""
        rows = self._rows("made_of_calls", ids=as_json(events))
        return [(seq, f"{text}\n{detail}") for seq, text, detail in rows]

    def telling(self, names: Names) -> dict[str, set[str]]:
        """The events in which a model was told of one of these observations, each with which."""
        events = self._db.each(statements()["told_events"])
        said = ((event, "\n".join(strings(_decoded(told)))) for event, told in events)
        return {event: found for event, text in said if (found := names.cited_in(text))}

    def repeating(
        self, names: Names, passages: Passages, sessions: Iterable[str], *, shell: bool
    ) -> dict[str, set[str]]:
        """What else repeats one of them, each with which; for hookd's own calls, all events of a call.

        `sessions` are those that one was made in or that were told of one: there, what the agent says too.
        """
        calls: dict[tuple[str, str], list[str]] = {}
        repeated: dict[tuple[str, str], set[str]] = {}

        def look(which: str, **values: Any) -> None:
            for row in self._db.each(statements()[which], values):
                call = (row["session"], row["tool_use"] or row["id"])
                # What a call was given is in one of its events, and what it gave back in another.
                calls.setdefault(call, []).append(row["id"])
                said = "\n".join((*strings(_decoded(row["input"])), row["output"]))
                repeated.setdefault(call, set()).update(names.named_in(said), passages.repeated_in(said))

        look("may_repeat", shell=shell)
        if shell:
            asked = {session for (session, _), found in repeated.items() if found}
            look("said_beside", sessions=as_json(sorted({*sessions, *asked})))
        return {event: repeated[call] for call, events in calls.items() for event in events if repeated[call]}

    def numbers(self, place: int, record: Forgotten) -> list[int]:
        """What is here of the observations that a record says are forgotten.

        One that came again since, under the same name, has another record.
        """
        names, records = as_json(record.observations), as_json(record.records)
        return self._column("forgotten_numbers", place=place, names=names, records=records)

    def texts(self, numbers: list[int]) -> list[tuple[str, str]]:
        """The ids and all that is said there."""
        rows = self._rows("texts_of", numbers=as_json(numbers))
        return [(name, f"{text}\n{detail}") for name, text, detail in rows]

    def cut(self, told: list[str], calls: list[str], how: Cut) -> None:
        """Takes out of events what they told of the observations, and out of calls what was in them."""
        for event, recorded in self.recorded(told).items():
            self._run("change_told", id=event, told=as_json(how.told(recorded.told)))
        for event, recorded in self.recorded(calls).items():
            changed = {"told": as_json(how.call(recorded.told)), "input": as_json(how.call(recorded.input))}
            self._run("change_call", id=event, output=how.output(recorded.output), **changed)
            for number, data in recorded.facts.items():
                self._run("change_fact", id=event, number=number, data=as_json(how.call(data)))

    def recorded(self, events: list[str]) -> dict[str, Recorded]:
        """What is on record of these events; what a call was given is with the event before it."""
        found = {}
        for row in self._rows("recorded", ids=as_json(events)):
            facts = self._rows("facts_of", id=row["id"])
            found[row["id"]] = Recorded(
                _decoded(row["told"]),
                _decoded(row["input"]),
                row["output"],
                {number: _decoded(data) for number, data in facts},
            )
        return found

    def given(self, events: list[str]) -> dict[str, Any]:
        """What the calls that these events are of were given, by the events."""
        rows = self._rows("recorded", ids=as_json(events))
        given: dict[tuple[str, str], Any] = {}
        for row in rows:
            if tool_input := _decoded(row["input"]).get("tool_input"):
                given[(row["session"], row["tool_use"])] = tool_input
        calls = ((row["id"], (row["session"], row["tool_use"])) for row in rows)
        return {event: given[call] for event, call in calls if call in given}

    def runs_of(self, place: int, sessions: list[str]) -> list[str]:
        """The names of the sessions' run folders."""
        return self._column("runs_of", place=place, sessions=as_json(sessions))

    def folders_of(self, events: list[str]) -> list[tuple[str, str]]:
        """Where the run folders of these events may be, event by event."""
        return [(row[0], row[1]) for row in self._rows("folders_of_events", ids=as_json(events))]

    def root_of(self, place: int) -> str:
        return str(self._value("place_root", place=place) or "")

    def later(self, gone: Iterable[Gone]) -> None:
        """Notes what has to go from the files."""
        self._db.run_many(statements()["forget_later"], gone)

    def unfinished(self) -> list[Gone]:
        """What has to go from the files; what a killed process has left as well."""
        if not self._db.has_table("forgotten"):
            return []
        return self._all(Gone, "forgotten")

    def finish(self, gone: Iterable[Gone]) -> None:
        """These are gone from every file."""
        self._db.run_many(statements()["forgotten_everywhere"], gone)

    def delete_places(self, places: list[int]) -> list[Name]:
        """Deletes all that is remembered in these places; the caller forgets the rest and sweeps.

        Returns the names that there were: their vectors are in another file.
        """
        numbers = [seq for place in places for seq in self._column("numbers_in_place", place=place)]
        deleted = self.delete(numbers)
        for place in places:
            self._run("forget_awaited", place=place)
            Places(self._db).forget(place)
        if places:
            self.merge_index()
        return deleted

    def is_ready(self) -> bool:
        """Whether there is anything to forget from: rooms make their tables when they first need them."""
        return self._db.has_table("observation")

    def places(self) -> list[tuple[int, str]]:
        """Every place by its number, and the folder that it is in."""
        return [(row[0], row[1]) for row in self._rows("numbered_places")]

    def delete_older_than(self, place: int, before: float, limit: int) -> list[Name]:
        """Deletes some of what is older in a place and returns its names."""
        return self.delete(self._column("older_than", place=place, before=before, limit=limit))


def _decoded(text: str) -> Any:
    return msgspec.json.decode(text)
