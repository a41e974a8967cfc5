"""The agents hookd can serve: modules that satisfy `Adapter`, listed in one dict.

An adapter is the only place that knows how its agent spells events and answers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from hookd.agents import claude_code
from hookd.events.outcome import Outcome
from hookd.events.types import Event
from hookd.wire import Answer

if TYPE_CHECKING:
    from hookd.agents.installing import Change, Client, Installed, McpServer, McpServerInstalled, Target


class Encoded(NamedTuple):
    """An outcome in the agent's words, and the parts of it that this event has no words for."""

    answer: Answer
    dropped: tuple[str, ...] = ()


class Adapter(Protocol):
    """What a module in this package provides."""

    NAME: str
    TITLE: str
    HAS_DIALOG: bool
    """Whether the agent puts a hook's `ask` to the person."""

    def decode(self, payload: bytes, event: str) -> tuple[Event, tuple[str, ...]]:
        """The agent's JSON as an event, and what was odd about it."""

    def encode(self, event: Event, outcome: Outcome) -> "Encoded":
        """The outcome as the agent wants to read it."""

    def stands_down(self, event: Event, env: Mapping[str, str]) -> bool:
        """Whether another agent is running this agent's settings file."""

    def settings_path(self, target: "Target") -> Path:
        """The settings file of the target's scope."""

    def install(
        self, target: "Target", events: list[str], client: "Client", policy: str, *, dry_run: bool
    ) -> "Change":
        """Registers hookd for these events, and only these."""

    def uninstall(self, path: Path, registry: Path, *, dry_run: bool) -> "Change":
        """Takes hookd out of one settings file."""

    def installed(self, target: "Target") -> "list[Installed]":
        """Where hookd is registered for this project."""

    def mcp_install(self, target: "Target", server: "McpServer", *, dry_run: bool) -> "Change":
        """Tells the agent of hookd's MCP server, in the target's scope."""

    def mcp_uninstall(self, target: "Target", *, everywhere: bool, dry_run: bool) -> "Change":
        """Takes it out of the target's scope again, or out of all projects."""

    def mcp_installed(self, target: "Target") -> "list[McpServerInstalled]":
        """Where the agent is told of it for this project."""

    def detect(self, env: Mapping[str, str]) -> bool:
        """Whether the agent seems to be used on this machine."""


AGENTS: dict[str, Adapter] = {module.NAME: cast(Adapter, module) for module in (claude_code,)}
