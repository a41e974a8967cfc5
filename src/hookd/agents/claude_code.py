"""Claude Code: its hook input as events, outcomes as its hook output."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.agents import claude_names
from hookd.agents.claude_output import in_tool_shape, output_of
from hookd.events import codec
from hookd.events.outcome import NOTHING, Outcome
from hookd.events.types import Event, PostToolUse, PreToolUse
from hookd.wire import Answer

if TYPE_CHECKING:
    from hookd.agents.install import Change, Client, Installed, McpServer, McpServerInstalled, Target

NAME = claude_names.NAME
TITLE = "Claude Code"
HAS_DIALOG = True
VARIABLES: tuple[str, ...] = claude_names.VARIABLES
PROJECT_VARIABLE = claude_names.PROJECT_VARIABLE
SESSION_VARIABLE = claude_names.SESSION_VARIABLE
FOOTPRINT = claude_names.FOOTPRINT

decode = codec.decode


def canonical(event: str) -> str:
    """The same: the canonical vocabulary is this agent's."""
    return event


def sends(event: str) -> bool:
    """Whether merely being registered for it leaves the agent as it is."""
    return event not in NEVER_REGISTER


def attended(env: Mapping[str, str]) -> bool:
    """Whether the agent says so."""
    return env.get("CLAUDE_CODE_SESSION_ATTENDED") == "1"


# Registering these changes what the agent does even if the hook stays silent.
NEVER_REGISTER = frozenset({"WorktreeCreate"})


def encode(event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:
    """The outcome as exit code, stdout and stderr, and what this event cannot carry of it."""
    if outcome == NOTHING:
        return Answer(), ()
    if isinstance(event, PostToolUse):
        outcome = in_tool_shape(outcome, event.tool_response)
    output, refusal, dropped = output_of(event.name, outcome)
    if event.name == "WorktreeCreate":
        stdout = b"" if refusal is not None else _worktree_path(output)
    else:
        # Beside exit code 2 the object is never left out, empty or not: with nothing on stdout the agent
        # takes a reason that speaks of a missing file for a hook that could not start, and goes on.
        stdout = msgspec.json.encode(output) if output or refusal is not None else b""
    if refusal is None:
        return Answer(0, stdout), dropped
    return Answer(2, stdout, refusal.encode("utf-8", "replace")), dropped


def _worktree_path(output: dict[str, Any]) -> bytes:
    """What a hook for a worktree prints, in place of an object."""
    path = str(output.get("hookSpecificOutput", {}).get("worktreePath", ""))
    return path.encode("utf-8", "surrogateescape")


def stands_down(event: Event, env: Mapping[str, str]) -> bool:
    """Whether Cursor or Copilot runs Claude Code's settings, as both do beside their own.

    A variable alone does not tell: Claude Code started from one of their terminals inherits it, but then
    says that it is the one who is running.
    """
    foreign = env.get("CURSOR_VERSION") or env.get("COPILOT_CLI") == "1"
    if foreign and not env.get("CLAUDE_CODE_ENTRYPOINT"):
        return True
    if b'"cursor_version"' in event.raw and "cursor_version" in event.extra:
        return True
    nameless = isinstance(event, PreToolUse) and not event.transcript_path and not event.tool_use_id
    return nameless and "timestamp" in event.extra


def detect(env: Mapping[str, str]) -> bool:
    """Whether Claude Code has left a trace: its folder, or its program on the path."""
    import shutil  # not for an event to wait for

    home = Path(env.get("CLAUDE_CONFIG_DIR") or Path(env.get("HOME") or "/") / ".claude")
    return home.is_dir() or shutil.which("claude", path=env.get("PATH")) is not None


def settings_path(target: "Target") -> Path:
    """The settings file of this scope."""
    from hookd.agents import claude_settings

    return claude_settings.settings_path(target.scope, target.root, target.env)


# Installing is rare and its imports are not; answering an event must not pay for them.
def install(target: "Target", events: list[str], client: "Client", policy: str, *, dry_run: bool) -> "Change":
    """Registers hookd for these events."""
    from hookd.agents import claude_install
    from hookd.agents.install import refusal, shared_refusal

    say = partial(shared_refusal, required=client.required) if client.portable else refusal
    wanted = {event: say(event, policy, encode) for event in events if sends(event)}
    return claude_install.install(target, wanted, client, dry_run=dry_run)


def uninstall(path: Path, registry: Path, *, dry_run: bool) -> "Change":
    """Takes hookd out of one settings file."""
    from hookd.agents import claude_install

    return claude_install.uninstall(path, registry, dry_run=dry_run)


def installed(target: "Target") -> "list[Installed]":
    """Where hookd is registered for this project."""
    from hookd.agents import claude_install

    return claude_install.installed(target)


def stays_registered(before: str, after: str) -> bool:
    """Whether hookd's entries in a text of settings stay as they are, in force."""
    from hookd.agents import claude_install

    return claude_install.stays_registered(before, after)


def restored(before: str, now: str | None) -> str:
    """The settings as they are now, with hookd's entries as they were before."""
    from hookd.agents import claude_install

    return claude_install.restored(before, now)


def mcp_install(target: "Target", server: "McpServer", *, dry_run: bool) -> "Change":
    """Tells the agent of hookd's MCP server."""
    from hookd.agents import claude_mcp

    return claude_mcp.install(target, server, dry_run=dry_run)


def mcp_uninstall(target: "Target", *, everywhere: bool, dry_run: bool) -> "Change":
    """Takes hookd's MCP server out again."""
    from hookd.agents import claude_mcp

    return claude_mcp.uninstall(target, everywhere=everywhere, dry_run=dry_run)


def mcp_installed(target: "Target") -> "list[McpServerInstalled]":
    """Where the agent is told of hookd's MCP server."""
    from hookd.agents import claude_mcp

    return claude_mcp.installed(target)
