"""What the store has of the gate: its verdicts, and what people answered to its questions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from hookd.events.calls import Call
from hookd.journal.entries import FORGOTTEN, LONGEST_EXAMPLE, GateAnswer, how_it_passed, recorded_call
from hookd.store.database import Database, Row
from hookd.store.migrations import Migration, load_migrations
from hookd.store.statements import load_statements

JUDGE = "gate.judge"
"""The gate among the hooks that decide."""
MOST_NUMBERS = 99_999
"""Of learned rules: few enough to be typed, many enough to be different."""


@cache
def migrations() -> tuple[Migration, ...]:
    return tuple(load_migrations("hookd.gate"))


@cache
def _sql() -> dict[str, str]:
    return load_statements("hookd.gate.record")


class Verdicts:
    """The verdicts on one project's calls."""

    def __init__(self, db: Database, project: str) -> None:
        self._db = db
        self._project = project

    def stopped(self, *, since: float = 0.0, limit: int = 200) -> list[StoppedCall]:
        """What was stopped or asked about, newest first."""
        values = {"project": self._project, "since": since, "limit": limit}
        return [_stop(row) for row in self._db.rows(_sql()["stops"], values)]

    def latest(self, verdicts: Sequence[str], limit: int) -> list[StoppedCall]:
        """The latest calls, prompts and stops that anybody decided so, newest first.

        It is the gate's verdict, or one of a hook of the person's own.
        """
        wanted = msgspec.json.encode(list(verdicts)).decode()
        values = {"project": self._project, "verdicts": wanted, "limit": limit}
        return [_decided(row) for row in self._db.rows(_sql()["decisions"], values)]

    def of_session(self, session: str) -> list[StoppedCall]:
        """Every call of a session with its verdict, in order."""
        values = {"project": self._project, "session": session}
        return [_stop(row) for row in self._db.rows(_sql()["calls"], values)]

    def since(self, moment: float) -> list[tuple[StoppedCall, bool]]:
        """Every call that was judged since a moment, in order, and whether it ran."""
        values = {"project": self._project, "since": moment}
        return [(_stop(row), bool(row["ran"])) for row in self._db.rows(_sql()["verdicts"], values)]


def _decided(row: Row) -> StoppedCall:
    """What came of all hooks together: the gate's verdict, that of other hooks, or both of the same mind."""
    stop, said = _stop(row), row["said"]
    if row["verdict"] != said:  # it is not what the agent was told: only the gate's note has it
        return stop
    hooks = [name for name in row["decided_by"].split(", ") if name and name != JUDGE]
    text = next((told.get("text", "") for told in msgspec.json.decode(row["told"])), "")
    rule = stop.verdict.get("rule")
    if rule is None or JUDGE not in row["decided_by"].split(", "):
        trace = [] if stop.passed else stop.verdict.get("trace", [])
        about = {"verdict": said, "reason": text, "by": row["decided_by"] or JUDGE, "trace": trace}
        return stop._replace(verdict=about)
    others = "\n".join(line for line in text.split("\n") if not line.startswith(f"hookd ({rule}): "))
    about = {"verdict": said, "judged": stop.verdict["verdict"], "hooks": hooks, "others": others}
    return stop._replace(verdict=stop.verdict | about)


def _stop(row: Row) -> StoppedCall:
    wire = msgspec.json.decode(row["input"])
    prompt = wire.get("prompt")
    return StoppedCall(
        at=row["at"],
        session=row["session"],
        event=row["name"],
        call=recorded_call(row["tool"], wire),
        tool_use=row["tool_use"],
        cwd=str(wire.get("cwd") or ""),
        verdict=msgspec.json.decode(row["data"]),
        text=prompt if isinstance(prompt, str) else "",
    )


def forget_calls(db: Database, events: Sequence[str]) -> None:
    """Takes the text of these calls out of what was learned from people's answers about them."""
    if not db.has_table("learned_rule"):
        return
    for row in db.rows(_sql()["calls_by_id"], (msgspec.json.encode(events).decode(),)):
        given = msgspec.json.decode(row["input"]).get("tool_input")
        if isinstance(given, dict) and isinstance(command := given.get("command"), str):
            values = {"project": row["project"], "example": command[:LONGEST_EXAMPLE], "words": FORGOTTEN}
            db.run(_sql()["forget_example"], values)


class LearnedCandidate(NamedTuple):
    """Calls of one shape that a rule asks about, and how often people said what."""

    id: int
    rule: str
    shape: str
    words: str
    example: str
    severity: str
    first_at: float
    last_at: float
    revoked_at: float
    approvals: int
    refusals: int


class GivenAnswer(NamedTuple):
    """One answer of a person's."""

    at: float
    session: str
    decision: str


class LearnedRules:
    """What people approved and refused in one project."""

    def __init__(self, db: Database, project: str) -> None:
        self._db = db
        self._project = project

    def keep(self, answer: GateAnswer, *, forget_before: float) -> LearnedCandidate | None:
        """Keeps an answer, forgets what is old, and returns what is known of its shape now."""
        values = msgspec.structs.asdict(answer) | {"project": self._project}
        values["number"] = self._number(answer.rule, answer.shape)
        number = self._db.value(_sql()["add_learned"], values)
        self._db.run(_sql()["add_evidence"], values | {"learned": number})
        self._db.run(_sql()["forget_old_learned"], {"before": forget_before})
        return self.candidate(number)

    def candidates(self) -> list[LearnedCandidate]:
        """Everything that was learned, the latest first."""
        if not self._db.has_table("learned_rule"):
            return []
        rows = self._db.rows(_sql()["learned"], {"project": self._project})
        return [LearnedCandidate(*row) for row in rows]

    def candidate(self, number: int) -> LearnedCandidate | None:
        return next((each for each in self.candidates() if each.id == number), None)

    def answers(self, number: int) -> list[GivenAnswer]:
        """What people said to questions of one shape, oldest first."""
        return [GivenAnswer(*row) for row in self._db.rows(_sql()["evidence"], {"learned": number})]

    def counts(self, since: float) -> dict[str, int]:
        """How many questions since a moment were answered how."""
        if not self._db.has_table("learned_evidence"):
            return {}
        rows = self._db.rows(_sql()["people"], {"project": self._project, "since": since})
        return {row["decision"]: row["count"] for row in rows}

    def revoke(self, rule: str, shape: str, at: float) -> None:
        """Has what was approved until then not count any more."""
        values = {"project": self._project, "rule": rule, "shape": shape, "at": at}
        self._db.run(_sql()["revoke_learned"], values | {"number": self._number(rule, shape)})

    def _number(self, rule: str, shape: str) -> int:
        """What people call it by: the same again after the database was lost, since grants name it too."""
        known = {"project": self._project, "rule": rule, "shape": shape}
        found = self._db.value(_sql()["learned_number"], known)
        if found is not None:
            return int(found)
        digest = hashlib.sha256("\0".join(known.values()).encode("utf-8", "surrogatepass")).digest()
        number = int.from_bytes(digest[:8], "big") % MOST_NUMBERS + 1
        while self._db.row(_sql()["is_learned_number"], (number,)) is not None:
            number = number % MOST_NUMBERS + 1
        return number

    def forget(self) -> None:
        """Deletes what the project's people approved and refused."""
        if self._db.has_table("learned_rule"):
            self._db.run(_sql()["forget_learned"], {"project": self._project})


class StoppedCall(NamedTuple):
    """A call that was stopped or asked about, as it is on record."""

    at: float
    session: str
    event: str
    call: Call
    tool_use: str
    cwd: str
    verdict: dict[str, Any]
    """What the gate said, as it was noted, or in whose name else it was decided."""
    text: str = ""
    """What the person asked for, of an event that is about no call."""

    @property
    def passed(self) -> str:
        """How it passed although the gate was against it: `audit`, `paused` or `once`; "" if it did not."""
        return how_it_passed(self.verdict)

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def subject(self) -> str:
        """The call in a line: its command, its file, or its input."""
        call = self.call
        if not call.tool:
            return f"{self.event} {self.text}".rstrip()
        if call.kind != "mcp":  # there any key may be the one that counts
            if call.command:
                return call.command
            if about := call.path or call.url:
                return f"{call.tool} {about}"
        return f"{call.tool} {msgspec.json.encode(call.input).decode()}"

    @property
    def details(self) -> Iterator[tuple[str, str]]:
        """The whole input, key by key."""
        for key, value in self.call.input.items():
            yield key, value if isinstance(value, str) else msgspec.json.encode(value).decode()
