"""Claude Code: its hook input as events, outcomes as its hook output."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hookd.events import codec
from hookd.events.outcome import NOTHING, Decision, Outcome
from hookd.events.types import Event, PostToolUse, PreToolUse
from hookd.wire import Answer

if TYPE_CHECKING:
    from hookd.agents.installing import Change, Client, Installed, McpServer, McpServerInstalled, Target

NAME = "claude-code"
TITLE = "Claude Code"
HAS_DIALOG = True

decode = codec.decode


class Channel(NamedTuple):
    """What one event can carry back to the agent.

    `decision` is how a verdict is said: `permission` (allow, ask, defer, deny), `request`
    (a permission dialog's answer), `block` (a reason), `exit` (code 2 and stderr) or `decline`.
    """

    decision: str = ""
    context: bool = False
    message: bool = False
    halt: bool = False
    fields: frozenset[str] = frozenset()


def _fields(*names: str) -> frozenset[str]:
    return frozenset({"terminalSequence", *names})


_SILENT = Channel(fields=_fields())
_STOP = Channel("block", context=True, message=True, halt=True, fields=_fields())
_WATCH = Channel(message=True, fields=_fields("watchPaths"))
_ELICIT = Channel("decline", fields=_fields("action", "content"))

CHANNELS: dict[str, Channel] = {
    "SessionStart": Channel(
        context=True,
        message=True,
        halt=True,
        fields=_fields("initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"),
    ),
    "Setup": Channel(),
    "InstructionsLoaded": _SILENT,
    "UserPromptSubmit": _STOP._replace(fields=_fields("sessionTitle", "suppressOriginalPrompt")),
    "UserPromptExpansion": _STOP._replace(fields=_fields("suppressOriginalPrompt")),
    "MessageDisplay": Channel(fields=_fields("displayContent")),
    "PreToolUse": Channel("permission", context=True, message=True, halt=True, fields=_fields()),
    "PermissionRequest": Channel(
        "request", message=True, halt=True, fields=_fields("updatedPermissions", "interrupt")
    ),
    "PermissionDenied": Channel(fields=_fields("retry")),
    "PostToolUse": _STOP._replace(fields=_fields("classifierContext")),
    "PostToolUseFailure": _STOP,
    "PostToolBatch": _STOP,
    "Notification": _SILENT,
    "SubagentStart": Channel(context=True, message=True, halt=True, fields=_fields()),
    "SubagentStop": _STOP,
    "TaskCreated": Channel("block", message=True, fields=_fields()),
    "TaskCompleted": Channel("exit", message=True, halt=True, fields=_fields()),
    "Stop": _STOP,
    "StopFailure": _SILENT,
    "TeammateIdle": Channel("exit", message=True, halt=True, fields=_fields()),
    "ConfigChange": Channel("block", fields=_fields()),
    "CwdChanged": _WATCH,
    "DirectoryAdded": Channel(message=True, fields=_fields()),
    "FileChanged": _WATCH,
    "WorktreeCreate": Channel("exit", fields=frozenset({"worktreePath"})),
    "WorktreeRemove": Channel("exit", fields=_fields()),
    "PreCompact": Channel("block", fields=_fields()),
    "PostCompact": _SILENT,
    "PreModelSwitch": Channel("permission", message=True, halt=True, fields=_fields()),
    "PostModelSwitch": Channel(context=True, message=True, halt=True, fields=_fields()),
    "Elicitation": _ELICIT,
    "ElicitationResult": _ELICIT,
    "SessionEnd": _SILENT,
}

# Registering these changes what the agent does even if the hook stays silent.
NEVER_REGISTER = frozenset({"WorktreeCreate"})

# Which answer to a permission dialog a field belongs to.
_GOES_WITH = {"updatedPermissions": "allow", "interrupt": "deny"}

_PERMISSIONS = {
    Decision.ALLOW: "allow",
    Decision.ASK: "ask",
    Decision.DEFER: "defer",
    Decision.DENY: "deny",
}


def encode(event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:
    """The outcome as exit code, stdout and stderr, and what this event cannot carry of it."""
    if outcome == NOTHING:
        return Answer(), ()
    channel = CHANNELS.get(event.name, _SILENT)
    writer = _Writer(event, channel)
    writer.decision(outcome)
    writer.context(outcome)
    writer.person(outcome)
    writer.rewrites(outcome)
    writer.extras(outcome)
    return writer.answer(), tuple(writer.dropped)


class _Writer:
    """Collects one answer; each method is one part of an outcome."""

    def __init__(self, event: Event, channel: Channel) -> None:
        self.event = event
        self.channel = channel
        self.top: dict[str, Any] = {}
        self.specific: dict[str, Any] = {}
        self.request: dict[str, Any] = {}
        self.refusal: str | None = None
        self.dropped: list[str] = []

    def decision(self, outcome: Outcome) -> None:
        verdict, reason = outcome.decision, outcome.reason
        if verdict is None:
            return
        denied = verdict is Decision.DENY
        match self.channel.decision:
            case "permission":
                if verdict is Decision.DEFER and not isinstance(self.event, PreToolUse):
                    verdict = Decision.ASK
                self.specific["permissionDecision"] = _PERMISSIONS[verdict]
                if reason:
                    self.specific["permissionDecisionReason"] = reason
            case "request" if denied:
                self.request = {"behavior": "deny", "message": reason}
            case "request" if verdict is Decision.ALLOW:
                self.request = {"behavior": "allow"}
            case "request":
                pass  # silence is how a permission request is left to the person
            case "block" if denied:
                # Some events need a reason for a block to count.
                self.top |= {"decision": "block", "reason": reason or "a hook blocked this"}
            case "decline" if denied:
                self.specific["action"] = "decline"
            case "exit" if denied:
                self.refusal = reason or "a hook blocked this"
            case _ if verdict is not Decision.ALLOW:
                self.dropped.append(verdict.name.lower())

    def context(self, outcome: Outcome) -> None:
        if outcome.context and self.channel.context:
            self.specific["additionalContext"] = "\n\n".join(outcome.context)
        elif outcome.context:
            self.dropped.append("context")

    def person(self, outcome: Outcome) -> None:
        if outcome.messages and self.channel.message:
            self.top["systemMessage"] = "\n".join(outcome.messages)
        elif outcome.messages:
            self.dropped.append("message")
        if outcome.halt is not None and self.channel.halt:
            self.top |= {"continue": False, "stopReason": outcome.halt}
        elif outcome.halt is not None:
            self.dropped.append("halt")

    def rewrites(self, outcome: Outcome) -> None:
        if outcome.updated_input is not None:
            if isinstance(self.event, PreToolUse):
                self.specific["updatedInput"] = outcome.updated_input
            elif self.request.get("behavior") == "allow":
                self.request["updatedInput"] = outcome.updated_input
            else:
                self.dropped.append("input")
        if outcome.result is None:
            return
        if not isinstance(self.event, PostToolUse):
            self.dropped.append("result")
            return
        result = outcome.result
        if result.details is not None:
            self.specific["updatedToolOutput"] = result.details
        elif result.content is not None:
            output = with_text(self.event.tool_response, result.content)
            if output is None:
                self.dropped.append("result")
            else:
                self.specific["updatedToolOutput"] = output
        if result.is_error and "decision" not in self.top:
            # The protocol cannot turn a success into an error; a block with the text comes closest.
            self.top |= {"decision": "block", "reason": result.content or "a hook marked this as failed"}

    def extras(self, outcome: Outcome) -> None:
        for name, value in outcome.fields.items():
            if name not in self.channel.fields:
                self.dropped.append(name)
            elif name == "terminalSequence":
                self.top[name] = value
            elif name in _GOES_WITH:
                if self.request.get("behavior") == _GOES_WITH[name]:
                    self.request[name] = value
                else:
                    self.dropped.append(name)
            else:
                # A decline that is there already beats whatever another hook would have answered.
                self.specific.setdefault(name, value)
        if "content" in self.specific and "action" not in self.specific:
            del self.specific["content"]  # an answer to a form without saying what it answers
            self.dropped.append("content")

    def answer(self) -> Answer:
        if self.event.name == "WorktreeCreate":
            path = "" if self.refusal is not None else str(self.specific.get("worktreePath", ""))
            return self._exit(path.encode("utf-8", "surrogateescape"))
        if "behavior" in self.request:
            self.specific["decision"] = self.request
        if self.specific:
            self.top["hookSpecificOutput"] = {"hookEventName": self.event.name, **self.specific}
        # Beside exit code 2 the object is never left out, empty or not: with nothing on stdout the agent
        # takes a reason that speaks of a missing file for a hook that could not start, and goes on.
        return self._exit(msgspec.json.encode(self.top) if self.top or self.refusal is not None else b"")

    def _exit(self, stdout: bytes) -> Answer:
        if self.refusal is None:
            return Answer(0, stdout)
        return Answer(2, stdout, self.refusal.encode("utf-8", "replace"))


def with_text(response: Any, text: str) -> Any:
    """The tool's own output shape with `text` in the place of what the model reads; None if there is none."""
    match response:
        case {"stdout": str()}:
            return {**response, "stdout": text, "stderr": ""}
        case {"file": {"content": str()}}:
            return {**response, "file": {**response["file"], "content": text}}
        case {"content": list()}:
            return {**response, "content": [{"type": "text", "text": text}]}
        case {"content": str()}:
            return {**response, "content": text}
        case {"result": str()}:
            return {**response, "result": text}
        case {"type": "text", "text": str()}:
            return {**response, "text": text}
        case list():
            return [{"type": "text", "text": text}]
        case dict():
            return None  # the agent refuses an output that is not of the tool's own shape
    return text


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

    wanted = [event for event in events if event not in NEVER_REGISTER]
    return claude_install.install(target, wanted, client, policy, dry_run=dry_run)


def uninstall(path: Path, registry: Path, *, dry_run: bool) -> "Change":
    """Takes hookd out of one settings file."""
    from hookd.agents import claude_install

    return claude_install.uninstall(path, registry, dry_run=dry_run)


def installed(target: "Target") -> "list[Installed]":
    """Where hookd is registered for this project."""
    from hookd.agents import claude_install

    return claude_install.installed(target)


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
