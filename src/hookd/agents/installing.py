"""What installing hookd into an agent takes and gives, the same for every agent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.agents import settings_file

Scope = Literal["local", "project", "user"]
SCOPES: tuple[Scope, ...] = ("local", "project", "user")


class Client(NamedTuple):
    """How a settings file starts the client: a program, and the arguments around agent and event."""

    command: str
    arguments: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """The variables that say where hookd's files are, so that no other settings file can say so."""


class Target(NamedTuple):
    """Where to install."""

    root: str
    scope: Scope
    registry: Path
    """The list of settings files that hookd has registered itself in."""
    env: Mapping[str, str]


class Change(NamedTuple):
    """What an installation did, or would do, to one settings file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> str:
        return settings_file.unified_diff(self.before, self.after, self.path)


class Installed(NamedTuple):
    """One settings file that has entries of hookd's."""

    scope: str
    path: Path
    commands: dict[str, tuple[str, ...]]
    """Each event's command line."""
    down: str
    """Why the agent's events do not reach hookd all the same; "" if they do."""


class McpServer(NamedTuple):
    """How an agent starts hookd's MCP server."""

    command: str
    arguments: tuple[str, ...]
    env: Mapping[str, str]
    """The variables that say where hookd's files are, if they are not where they usually are."""


class McpServerInstalled(NamedTuple):
    """One place where an agent is told of hookd's MCP server."""

    scope: str
    path: Path
    command: tuple[str, ...]
    env: Mapping[str, str]
