"""What installing hookd into an agent takes and gives, the same for every agent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.agents import settings_file

Scope = Literal["local", "project", "user"]
SCOPES: tuple[Scope, ...] = ("local", "project", "user")


class Client(NamedTuple):
    """How a settings file starts the client: a program, and the arguments before agent and event."""

    command: str
    arguments: tuple[str, ...] = ()


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
    disabled: bool
    """Whether the file turns hooks off altogether."""
