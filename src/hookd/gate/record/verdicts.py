"""What the store knows of the gate's verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from hookd.events.calls import Call
from hookd.journal.entries import recorded_call
from hookd.store.database import Database, Row
from hookd.store.migrations import load_queries


class Stop(NamedTuple):
    """A call that was stopped or asked about, as it is on record."""

    at: float
    session: str
    event: str
    call: Call
    tool_use: str
    cwd: str
    verdict: dict[str, Any]

    @property
    def tool(self) -> str:
        return self.call.tool

    @property
    def subject(self) -> str:
        """The call in a line: its command, its file, or its input."""
        call = self.call
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


@cache
def queries() -> dict[str, str]:
    return load_queries("hookd.gate")


def stops(db: Database, project: str, *, since: float = 0.0, limit: int = 200) -> list[Stop]:
    """What was stopped or asked about, newest first."""
    rows = db.rows(queries()["stops"], {"project": project, "since": since, "limit": limit})
    return [stop_of(row) for row in rows]


def last_stop(db: Database, project: str) -> Stop | None:
    """The last call, prompt or stop that anybody was against: the gate, or a hook of the person's own."""
    row = db.row(queries()["last_stop"], {"project": project})
    if row is None:
        return None
    stop = stop_of(row)
    if stop.verdict.get("verdict") in ("ask", "deny"):
        return stop
    said = next((told.get("text", "") for told in msgspec.json.decode(row["told"])), "")
    return stop._replace(verdict={"verdict": row["verdict"], "reason": said, "by": row["decided_by"]})


def stop_of(row: Row) -> Stop:
    wire = msgspec.json.decode(row["input"])
    return Stop(
        at=row["at"],
        session=row["session"],
        event=row["name"],
        call=recorded_call(row["tool"], wire),
        tool_use=row["tool_use"],
        cwd=str(wire.get("cwd") or ""),
        verdict=msgspec.json.decode(row["data"]),
    )


def calls(db: Database, project: str, session: str) -> list[Stop]:
    """Every call of a session with its verdict, in order."""
    rows = db.rows(queries()["calls"], {"project": project, "session": session})
    return [stop_of(row) for row in rows]
