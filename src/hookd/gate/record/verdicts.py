"""A call that the gate was against, as it is on record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from hookd.events.calls import Call


class StoppedCall(NamedTuple):
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
