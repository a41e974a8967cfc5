"""What the store has of a project's events, sessions and problems: what the journal's ingestion writes."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import msgspec

from hookd.journal.entries import (
    MESSAGE_FACT,
    WELL,
    Cost,
    Entry,
    Forgotten,
    HookCall,
    Origin,
    Problem,
    Writer,
)
from hookd.journal.hook_calls import HookNumbers, hook_calls
from hookd.paths import as_text
from hookd.store.database import Database, Row
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.journal"))


@cache
def _sql() -> dict[str, str]:
    return load_statements("hookd.journal")


class RecordedSession(msgspec.Struct, frozen=True):
    """A session as the store has it."""

    id: str
    project: str
    agent: str
    started_at: float
    last_at: float
    ended_at: float | None
    end_reason: str | None
    turns: int
    run: str
    """The name of its run folder, and what people call it."""


class RecordedEvent(msgspec.Struct, frozen=True):
    """An event as the store has it."""

    id: str
    seq: int
    """The order of arrival, since clocks jump."""
    project: str
    session: str
    at: float
    agent: str
    name: str
    tool: str
    tool_kind: str
    tool_use: str
    subagent: str
    detail: str
    verdict: str
    decided_by: str
    hooks: int
    ms: float
    via: str
    turn: int
    input: dict[str, Any]
    output: str
    told: list[dict[str, Any]]
    hook_calls: list[HookCall]
    machine: str
    user: str


class RecordedFact(msgspec.Struct, frozen=True):
    """A fact that a hook noted about an event."""

    event: str
    kind: str
    data: dict[str, Any]


class RecordedProblem(msgspec.Struct, frozen=True):
    """Something a person should know of; the same one again is counted."""

    kind: str
    what: str
    first_at: float
    last_at: float
    count: int


class Spending(msgspec.Struct, frozen=True):
    """What calls of a model have cost; for those without a price, nobody knows."""

    calls: int
    usd: float
    unpriced: int


class Events:
    """The record of one project."""

    def __init__(self, db: Database, project: str) -> None:
        self._db = db
        self._project = project

    def count(self) -> int:
        found: int = self._db.value(_sql()["event_count"], self._of())
        return found

    def sessions(self, limit: int) -> list[RecordedSession]:
        """The sessions, the one that was active last first."""
        return [RecordedSession(*row) for row in self._db.rows(_sql()["sessions"], self._of(limit=limit))]

    def session(self, session: str) -> RecordedSession | None:
        row = self._db.row(_sql()["session"], self._of(session=session))
        return RecordedSession(*row) if row is not None else None

    def contexts_told(self, session: str) -> list[tuple[int, str, str]]:
        """The tokens, key and importance of each text that was put in front of the model in a session."""
        rows = self._db.rows(_sql()["session_told"], self._of(session=session))
        return [(row[0] or 0, row[1] or "", row[2] or "") for row in rows]

    def counts(self, session: str) -> list[tuple[str, str, str, int]]:
        """How many events of a session have the same name, tool and verdict."""
        return [tuple(row) for row in self._db.rows(_sql()["session_counts"], self._of(session=session))]

    def verdicts(self, session: str) -> list[tuple[str, str, int]]:
        """A session's verdicts, who decided them, and how often."""
        return [tuple(row) for row in self._db.rows(_sql()["session_verdicts"], self._of(session=session))]

    def facts(self, session: str) -> list[RecordedFact]:
        rows = self._db.rows(_sql()["session_facts"], self._of(session=session))
        return [RecordedFact(row[0], row[1], msgspec.json.decode(row[2])) for row in rows]

    def events(self, session: str) -> list[RecordedEvent]:
        """A session's events in the order in which they arrived."""
        hooks = self.hook_names()
        rows = self._db.rows(_sql()["session_events"], self._of(session=session))
        return [_event(row, hooks) for row in rows]

    def first_input(self, session: str, name: str) -> dict[str, Any] | None:
        """What came with the first event of a name."""
        return self._input("first_input", session, name)

    def last_input(self, session: str, name: str) -> dict[str, Any] | None:
        """What came with the last event of a name."""
        return self._input("last_input", session, name)

    def _input(self, which: str, session: str, name: str) -> dict[str, Any] | None:
        found = self._db.value(_sql()[which], self._of(session=session, name=name))
        return msgspec.json.decode(found, type=dict[str, Any]) if found is not None else None

    def began(self, session: str, tool_use: str) -> tuple[float, dict[str, Any]] | None:
        """When a tool call began, and with what."""
        about = self._of(session=session, tool_use=tool_use)
        row = self._db.row(_sql()["began"], about) if tool_use else None
        return (row["at"], msgspec.json.decode(row["input"])) if row is not None else None

    def problems(self, since: float, limit: int) -> list[RecordedProblem]:
        """What went wrong since a moment, the latest first."""
        rows = self._db.rows(_sql()["problems"], self._of(since=since, limit=limit, well=WELL))
        return [RecordedProblem(*row) for row in rows]

    def well(self, since: float) -> dict[str, float]:
        """The hooks that no event calls, and when they last began to go well."""
        rows = self._db.rows(_sql()["well"], self._of(since=since, well=WELL))
        return {row[0]: row[1] for row in rows}

    def last_answers(self, since: float) -> dict[str, float]:
        """When each event was last answered, if it was since a moment."""
        return {row[0]: row[1] for row in self._db.rows(_sql()["last_answers"], self._of(since=since))}

    def last_message(self, since: float) -> float:
        """When the model was last told a message since a moment; 0 if it was not."""
        found: float | None = self._db.value(_sql()["last_message"], self._of(since=since, kind=MESSAGE_FACT))
        return found or 0.0

    def last_cost(self, since: float) -> float:
        """When a model that hookd asks last answered since a moment; 0 if it did not."""
        found: float | None = self._db.value(_sql()["last_cost"], self._of(since=since))
        return found or 0.0

    def spent(self, by: str, since: float) -> Spending:
        """What the calls of language models by hookd, or by an agent, have cost since a moment."""
        return Spending(*self._db.only(_sql()["spent"], self._of(by=by, since=since)))

    def hook_names(self) -> dict[int, str]:
        """The project's hooks by the numbers that stand for them in its events."""
        return {row["number"]: row["name"] for row in self._db.rows(_sql()["hooks"], self._of())}

    def hook_columns(self, since: float) -> Iterator[tuple[float, str]]:
        """What hooks did since a moment, as `hook_calls.py` has it, with the moment of each event."""
        for row in self._db.each(_sql()["hook_calls"], self._of(since=since)):
            yield row[0], row[1]

    def forget(self) -> None:
        """Deletes all of it, and where its journal has been read to."""
        for name in ("forget_project", "forget_writers", "forget_segments"):
            self._db.run(_sql()[name], self._of())

    def _of(self, **values: Any) -> dict[str, Any]:
        return {"project": self._project, **values}


def _event(row: Row, hooks: dict[int, str]) -> RecordedEvent:
    values = dict(row) | {
        "input": msgspec.json.decode(row["input"]),
        "told": msgspec.json.decode(row["told"]),
        "hook_calls": hook_calls(row["hook_calls"], hooks),
    }
    return RecordedEvent(**values)


class Ingested:
    """Writes what a journal says into the store, once per record however often it is told."""

    def __init__(self, db: Database, project: str, root: str) -> None:
        self._db = db
        self._project = project
        self._root = root
        # Good for one transaction: if that is undone, so are the numbers that were given in it.
        names = Events(db, project).hook_names()
        self._writer = Writer()
        self._hooks = HookNumbers({name: number for number, name in names.items()}, self._add_hook)

    def written_by(self, origin: Origin | None) -> Writer:
        """Whose events the next ones are; those of 0.1 are nobody's."""
        self._writer = Writer() if origin is None else self._known(origin)
        return self._writer

    def _known(self, origin: Origin) -> Writer:
        names = ("project", "checkout", "tree", "machine")
        values = {name: getattr(origin, name) for name in names} | {"user": as_text(origin.user)}
        found = self._db.value(_sql()["writer"], values)
        if found is None:
            found = self._db.value(_sql()["next_writer"])
            self._db.run(_sql()["add_writer"], values | {"number": found})
        return Writer(found, origin.project, origin.tree, origin.alone)

    def positions(self) -> dict[str, int]:
        """How far each segment was read."""
        rows = self._db.rows(_sql()["positions"], {"project": self._project})
        return {row["name"]: row["position"] for row in rows}

    def set_position(self, segment: str, position: int) -> None:
        values = {"project": self._project, "name": segment, "position": position}
        self._db.run(_sql()["set_position"], values)

    def drop_position(self, segment: str) -> None:
        self._db.run(_sql()["drop_position"], {"project": self._project, "name": segment})

    def add_project(self, at: float) -> None:
        """The project itself, which everything else refers to."""
        values = {"key": self._project, "root": as_text(self._root), "at": at}
        self._db.run(_sql()["add_project"], values)

    def add_problem(self, problem: Problem) -> None:
        values = msgspec.structs.asdict(problem) | {"project": self._project}
        if self._db.run(_sql()["count_problem"], values):
            self._db.run(_sql()["add_problem"], values)

    def add_cost(self, cost: Cost) -> None:
        self._db.run(_sql()["add_cost"], msgspec.structs.asdict(cost) | {"project": self._project})

    def add_event(self, entry: Entry, run: Callable[[Entry], str]) -> bool:
        """Whether the event was new; `run` names the run folder of its session."""
        values = msgspec.structs.asdict(entry) | {
            "project": self._project,
            "input": _json(entry.input),
            "told": _json(entry.told),
            "hook_calls": self._hooks.column(entry.hook_calls),
            "hooks": len(entry.hook_calls) or entry.hooks,
            "writer": self._writer.number,
        }
        del values["facts"]
        if self._db.run(_sql()["add_event"], values) == 0:
            return False
        for number, fact in enumerate(entry.facts):
            about = {"event": entry.id, "number": number, "kind": fact.kind, "data": _json(fact.data)}
            self._db.run(_sql()["add_fact"], about)
        if entry.session:
            self._db.run(_sql()["touch_session"], values | {"run": run(entry)})
            if entry.event == "SessionEnd":
                self._db.run(_sql()["end_session"], values)
        return True

    def _add_hook(self, name: str, number: int) -> None:
        self._db.run(_sql()["add_hook"], {"project": self._project, "number": number, "name": name})


class Tombstones:
    """What was forgotten of one machine's records; "" is this machine."""

    def __init__(self, db: Database, machine: str = "") -> None:
        self._db = db
        self._machine = machine

    def add(self, record: Forgotten) -> bool:
        """Whether it was new; what it names is not taken in any more."""
        sql = _sql()["add_forgotten"]
        if self._db.run(sql, {"machine": self._machine, "id": record.id}) == 0:
            return False
        whose = self._machine or record.machine
        self._db.run_many(sql, ({"machine": whose, "id": each} for each in record.records))
        return True

    def are_there(self) -> bool:
        """Whether anything was ever forgotten, of any machine's: mostly that is all there is to ask."""
        return self._db.row(_sql()["any_forgotten"]) is not None

    def among(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of the records that were forgotten."""
        if not self.are_there():
            return frozenset()
        return frozenset(row[0] for row in self._db.rows(_sql()["forgotten_among"], self._named(ids)))

    def beginning_with(self, start: str) -> list[str]:
        """What was forgotten under an id that begins so."""
        values = {"machine": self._machine, "start": start, "end": f"{start}\U0010ffff"}
        return [row[0] for row in self._db.rows(_sql()["forgotten_from"], values)]

    def events(self, ids: Sequence[str]) -> list[str]:
        """Those of the records that are events here, and the machine's own."""
        return [row[0] for row in self._db.rows(_sql()["events_among"], self._named(ids))]

    def delete_events(self, ids: Sequence[str]) -> None:
        self._db.run(_sql()["delete_events"], self._named(ids))

    def _named(self, ids: Sequence[str]) -> dict[str, str]:
        return {"machine": self._machine, "ids": _json(ids)}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def last_heard_before(db: Database, moment: float) -> float | None:
    """When a session of any project last began or was last heard of, up to that moment."""
    found: float | None = db.value(_sql()["last_heard"], {"until": moment})
    return found


def project_roots(db: Database) -> list[str]:
    """The folders of all projects that there is a record of, on this machine and others."""
    return [row[0] for row in db.rows(_sql()["project_roots"])]


class Retention:
    """What becomes old, of all projects; each call deletes a few rows and says how many."""

    def __init__(self, db: Database, before: float, limit: int) -> None:
        self._db = db
        self._values = {"before": before, "limit": limit}

    def projects(self) -> list[str]:
        return [row[0] for row in self._db.rows(_sql()["projects"])]

    def old_sessions(self) -> list[tuple[str, str]]:
        """Some sessions that were last heard of before, by project and id."""
        return [(row[0], row[1]) for row in self._db.rows(_sql()["old_sessions"], self._values)]

    def forget(self, what: str, **of: str) -> int:
        """`what` is the statement: loose events, problems, a session's events, a session."""
        return self._db.run(_sql()[f"forget_{what}"], self._values | of)
