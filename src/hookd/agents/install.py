"""What installing hookd into an agent takes and gives, the same for every agent."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hookd.agents import settings_file

Scope = Literal["local", "project", "user"]
SCOPES: tuple[Scope, ...] = ("local", "project", "user")


class Refusal(NamedTuple):
    """What the client does when nothing can answer an event."""

    policy: str | None
    """The failure policy of a gate; None for an event that no tool waits for."""
    say: str = ""
    """What it prints, with the reason in the place of `{why}`."""
    exit_code: int = 0

    @property
    def is_closed(self) -> bool:
        return self.policy in ("ask", "deny")


class Client(NamedTuple):
    """How a settings file starts the client: a program, and the arguments around agent and event."""

    command: str
    arguments: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """The variables that say where hookd's files are, so that no other settings file can say so."""

    def call(
        self, agent: str, event: str, refusal: Refusal, *, forward: Sequence[str], project_variable: str
    ) -> tuple[str, ...]:
        """The program's arguments for an event, which is spelled as the agent does.

        `forward` are the variables of the agent's that its adapter looks at, `project_variable` is the one
        in which it names the project's folder ("" if in none).
        """
        gate = () if refusal.policy is None else ("--on-failure", refusal.policy)
        # A gate that says nothing is told so: without a word from its entry it would refuse by exit code.
        say = ("--say", refusal.say) if refusal.say or gate else ()
        code = ("--exit", str(refusal.exit_code)) if refusal.exit_code else ()
        variables = (
            "--forward",
            ",".join((*ALWAYS_FORWARDED, *forward)),
            "--project-variable",
            project_variable,
        )
        return (*self.arguments, agent, event, *gate, *say, *code, *variables, *self.folders)


ALWAYS_FORWARDED = ("CI",)
"""What hookd looks at whatever the agent."""


def is_of_older_form(command: Sequence[str]) -> bool:
    """Whether an entry was written by 0.1, whose client knew Claude Code's events and words by itself."""
    return "--forward" not in command


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
