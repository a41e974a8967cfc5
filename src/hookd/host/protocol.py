"""What each event of the protocol is: which field its matchers see, who may handle it, what an answer can do.

What an answer can carry is the adapter's table, which hookd's own hooks use as well; here is what only a host
needs to know. Where the real agent and its documentation part, this is the agent's way;
docs/protocol-notes.md says where.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from hookd.agents.claude_output import CHANNELS, Channel

_FIVE = frozenset({"command", "http", "mcp_tool", "prompt", "agent", "python"})
_THREE = frozenset({"command", "http", "mcp_tool", "python"})
_COMMAND = frozenset({"command", "python"})


class Rule(NamedTuple):
    """One event."""

    matcher: str | None = None
    """The field of the input that matchers are for; nothing if the event ignores them."""
    types: frozenset[str] = _THREE
    seconds: float = 600
    exit_2: str = "notice"
    """What exit code 2 does: `block`, `tell` (the model, too late to stop anything), `notice` or `ignore`."""
    plain: bool = False
    """Whether plain output is for the model: context, or in front of a compaction instructions for it."""
    halts: bool = True
    """Whether `continue: false` is heeded."""
    mode: bool = False
    """Whether the input carries the permission mode."""


_TOOL = Rule("tool_name", _FIVE, mode=True)

RULES: dict[str, Rule] = {
    "SessionStart": Rule("source", _COMMAND | {"mcp_tool"}, plain=True, halts=False),
    "Setup": Rule("trigger", _COMMAND, exit_2="ignore", halts=False),
    "InstructionsLoaded": Rule("load_reason", exit_2="ignore", halts=False),
    "UserPromptSubmit": Rule(None, _FIVE, 30, "block", plain=True, mode=True),
    "UserPromptExpansion": Rule("command_name", _FIVE, exit_2="block", plain=True, mode=True),
    "MessageDisplay": Rule(None, _THREE, 10, "ignore", halts=False),
    "PreToolUse": _TOOL._replace(exit_2="block"),
    "PermissionRequest": _TOOL._replace(types=_FIVE - {"agent"}, exit_2="ignore", halts=False),
    "PermissionDenied": _TOOL._replace(exit_2="ignore", halts=False),
    "PostToolUse": _TOOL._replace(exit_2="tell"),
    "PostToolUseFailure": _TOOL._replace(exit_2="tell", halts=False),
    "PostToolBatch": Rule(None, _FIVE, exit_2="block", mode=True),
    "Notification": Rule("notification_type", exit_2="ignore", halts=False),
    "SubagentStart": Rule("agent_type", halts=False),
    "SubagentStop": Rule("agent_type", _FIVE, exit_2="block", mode=True),
    "TaskCreated": Rule(None, _FIVE, exit_2="block", halts=False),
    "TaskCompleted": Rule(None, _FIVE, exit_2="block", halts=False, mode=True),
    "Stop": Rule(None, _FIVE, exit_2="block", mode=True),
    "StopFailure": Rule("error", exit_2="ignore", halts=False),
    "TeammateIdle": Rule(None, _FIVE, exit_2="block", mode=True),
    "ConfigChange": Rule("source", exit_2="block", halts=False),
    "CwdChanged": Rule(None, halts=False),
    "DirectoryAdded": Rule("source", exit_2="ignore", halts=False),
    "FileChanged": Rule("file_path", halts=False),
    "WorktreeCreate": Rule(None, exit_2="block", halts=False),
    "WorktreeRemove": Rule(None, exit_2="block", halts=False),
    "PreCompact": Rule("trigger", exit_2="block", plain=True, halts=False),
    "PostCompact": Rule("trigger", halts=False),
    "PreModelSwitch": Rule("to_model", _THREE, 30, "block"),
    "PostModelSwitch": Rule("to_model", _THREE, 30, plain=True),
    "Elicitation": Rule("mcp_server_name", exit_2="block", halts=False),
    "ElicitationResult": Rule("mcp_server_name", exit_2="block", halts=False),
    "SessionEnd": Rule("reason", _THREE, 1.5, halts=False),
}

OLDER: dict[str, Rule] = {
    # A call that was refused, or failed before its tool ran.
    "PreToolUseFailure": RULES["PostToolUseFailure"],
}
"""Events that the agent has no more; a host fires them with `compat`."""

# An event that is newer than hookd: everybody may handle it, and nothing is known that it could stop.
UNKNOWN = Rule(None, _FIVE, exit_2="notice", halts=False)

DEFAULT_SECONDS = {"prompt": 30.0, "agent": 60.0}
TOOL_EVENTS = frozenset(name for name, rule in (RULES | OLDER).items() if rule.matcher == "tool_name")
ENV_FILE_EVENTS = frozenset({"SessionStart", "Setup", "CwdChanged", "FileChanged"})
STOPS = frozenset({"Stop", "SubagentStop"})
# There a handler that could not be started is told by its words, not taken for a refusal.
MISSING_FILE_PASSES = frozenset({"Stop", "SubagentStop", "TaskCompleted"})
IGNORE_ON_FAILURE = frozenset({"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"})
# These never say that a hook has started, and speak of its end only if it ran in the background.
UNANNOUNCED = frozenset({"Notification", "SessionEnd", "PreCompact", "PostCompact"})


def rule_of(event: str) -> Rule:
    return RULES.get(event) or OLDER.get(event, UNKNOWN)


def channel_of(event: str) -> Channel:
    return CHANNELS["PostToolUseFailure"] if event in OLDER else CHANNELS.get(event, Channel())


def matched_value(event: str, payload: Mapping[str, Any]) -> str | None:
    """What an event's matchers are compared with; nothing if they are not."""
    field = rule_of(event).matcher
    if field is None:
        return None
    value = payload.get(field)
    text = value if isinstance(value, str) else ""
    if event == "FileChanged":
        return text.rpartition("/")[2]
    if field == "to_model":
        return text.removesuffix("[1m]")
    return text


def hook_name(event: str, payload: Mapping[str, Any]) -> str:
    """How the agent calls an event's hooks: `PreToolUse:Bash`, `SessionStart:startup`, `Stop`."""
    value = matched_value(event, payload) if event != "SubagentStop" else None
    return f"{event}:{value}" if value else event


def seconds_for(event: str, kind: str, timeout: float | None) -> float:
    """How long a handler may take."""
    if timeout is not None:
        return timeout
    return DEFAULT_SECONDS.get(kind, rule_of(event).seconds)
