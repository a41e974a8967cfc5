"""The agents hookd can serve: modules that satisfy `Adapter`, listed in one tuple.

An adapter is the only place that knows how its agent spells events and answers, and which files are its own.
docs/agents.md tells how to add one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hookd.agents import claude_code
from hookd.agents.footprint import OTHERS, Footprint
from hookd.events.outcome import Outcome
from hookd.events.types import Event
from hookd.wire import Answer

if TYPE_CHECKING:
    from hookd.agents.install import Change, Client, Installed, McpServer, McpServerInstalled, Target


class Adapter(Protocol):
    """What a module in this package provides."""

    NAME: str
    """What the agent is called in commands, configuration and the record."""
    TITLE: str
    """What it is called in sentences."""
    HAS_DIALOG: bool
    """Whether the agent puts a hook's `ask` to the person."""
    VARIABLES: tuple[str, ...]
    """What the client is to pass on from the agent's environment."""
    PROJECT_VARIABLE: str
    """The variable in which the agent names the project's folder; "" if there is none."""
    SESSION_VARIABLE: str
    """The variable in which it tells the programs it starts which session it is; "" if there is none."""
    FOOTPRINT: Footprint
    """By what the agent is known to others, and which files are its own."""

    def canonical(self, event: str) -> str:
        """The canonical name of one of the agent's events; a name that is not known stays as it is."""

    def sends(self, event: str) -> bool:
        """Whether hookd can have this event sent, by its canonical name."""

    def decode(self, payload: bytes, event: str, /) -> tuple[Event, tuple[str, ...]]:
        """The agent's JSON as a canonical event, and what was odd about it; `event` is the agent's name."""

    def encode(self, event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:
        """The outcome as the agent wants to read it, and the parts that this event has no words for."""

    def attended(self, env: Mapping[str, str]) -> bool:
        """Whether a person watches the session, as far as the agent's environment tells."""

    def stands_down(self, event: Event, env: Mapping[str, str]) -> bool:
        """Whether another agent is running this agent's settings file."""

    def settings_path(self, target: "Target") -> Path:
        """The settings file of the target's scope."""

    def install(
        self, target: "Target", events: list[str], client: "Client", policy: str, *, dry_run: bool
    ) -> "Change":
        """Registers hookd for these events, by their canonical names, and only these."""

    def uninstall(self, path: Path, registry: Path, *, dry_run: bool) -> "Change":
        """Takes hookd out of one settings file."""

    def installed(self, target: "Target") -> "list[Installed]":
        """Where hookd is registered for this project, under the agent's own names of events."""

    def stays_registered(self, before: str, after: str) -> bool:
        """Whether hookd's entries in a text of settings stay as they are, in force; True if it has none."""

    def restored(self, before: str, now: str | None) -> str:
        """The settings as they are now, with hookd's entries as they were before; None: the file is gone."""

    def mcp_install(self, target: "Target", server: "McpServer", *, dry_run: bool) -> "Change":
        """Tells the agent of hookd's MCP server, in the target's scope."""

    def mcp_uninstall(self, target: "Target", *, everywhere: bool, dry_run: bool) -> "Change":
        """Takes it out of the target's scope again, or out of all projects."""

    def mcp_installed(self, target: "Target") -> "list[McpServerInstalled]":
        """Where the agent is told of it for this project."""

    def detect(self, env: Mapping[str, str]) -> bool:
        """Whether the agent seems to be used on this machine."""


_ADAPTERS: tuple[Adapter, ...] = (claude_code,)

AGENTS: dict[str, Adapter] = {adapter.NAME: adapter for adapter in _ADAPTERS}

FOOTPRINTS: tuple[Footprint, ...] = (*(adapter.FOOTPRINT for adapter in _ADAPTERS), *OTHERS)
"""Of every agent that hookd knows: several may work in one project."""
