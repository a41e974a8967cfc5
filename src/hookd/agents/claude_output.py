"""Claude Code's hook output: what each event can carry back, and an outcome in that form.

The adapter sends it to the agent as a hook's answer; the host engine shows all answers of an event as one.
"""

from typing import Any, NamedTuple

import msgspec

from hookd.events.outcome import Decision, Outcome


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


SILENT = Channel(fields=_fields())
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
    "InstructionsLoaded": SILENT,
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
    "Notification": SILENT,
    "SubagentStart": Channel(context=True, message=True, halt=True, fields=_fields()),
    "SubagentStop": _STOP,
    "TaskCreated": Channel("block", message=True, fields=_fields()),
    "TaskCompleted": Channel("exit", message=True, halt=True, fields=_fields()),
    "Stop": _STOP,
    "StopFailure": SILENT,
    "TeammateIdle": Channel("exit", message=True, halt=True, fields=_fields()),
    "ConfigChange": Channel("block", fields=_fields()),
    "CwdChanged": _WATCH,
    "DirectoryAdded": Channel(message=True, fields=_fields()),
    "FileChanged": _WATCH,
    "WorktreeCreate": Channel("exit", fields=frozenset({"worktreePath"})),
    "WorktreeRemove": Channel("exit", fields=_fields()),
    "PreCompact": Channel("block", fields=_fields()),
    "PostCompact": SILENT,
    "PreModelSwitch": Channel("permission", message=True, halt=True, fields=_fields()),
    "PostModelSwitch": Channel(context=True, message=True, halt=True, fields=_fields()),
    "Elicitation": _ELICIT,
    "ElicitationResult": _ELICIT,
    "SessionEnd": SILENT,
}

# Which answer to a permission dialog a field belongs to.
_GOES_WITH = {"updatedPermissions": "allow", "interrupt": "deny"}


class Form(NamedTuple):
    """How an output is written where the protocol leaves a choice."""

    between: str = "\n\n"
    """What stands between two contexts."""
    filler: str = "a hook blocked this"
    """The reason of a refusal that has none: some events need one for it to count."""
    says_empty: bool = True
    """Whether a text that goes with a halt or a dialog's answer is there even if it is empty."""
    has_exit_code: bool = True
    """Whether an exit code may refuse where no field can."""
    every_field: bool = False
    """Whether fields that the event does not know are passed on."""


ANSWER = Form()
"""One hook's answer, as the agent reads it."""
MERGED = Form(between="\n", filler="", says_empty=False, has_exit_code=False, every_field=True)
"""All answers as one: contexts as the agent joins those of several hooks, and no word that no hook said."""


class Output(NamedTuple):
    """An outcome in the agent's words."""

    object: dict[str, Any]
    refusal: str | None
    """What goes to standard error with exit code 2, if that is how the event is refused."""
    dropped: tuple[str, ...]
    """What the event cannot carry."""


def output_of(event: str, outcome: Outcome, form: Form = ANSWER) -> Output:
    """The outcome as an output; a text for a tool's result has to be in the tool's own shape already."""
    writer = _Writer(event, form)
    writer.decision(outcome)
    writer.context(outcome)
    writer.person(outcome)
    writer.rewrites(outcome)
    writer.extras(outcome)
    return writer.output()


class _Writer:
    """Collects one output; each method is one part of an outcome."""

    def __init__(self, event: str, form: Form) -> None:
        self.event = event
        self.form = form
        self.channel = CHANNELS.get(event, SILENT)
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
                if verdict is Decision.DEFER and self.event != "PreToolUse":
                    verdict = Decision.ASK
                self.specific["permissionDecision"] = verdict.name.lower()
                if reason:
                    self.specific["permissionDecisionReason"] = reason
            case "request" if denied:
                self.request = {"behavior": "deny", **self._text("message", reason)}
            case "request" if verdict is Decision.ALLOW:
                self.request = {"behavior": "allow"}
            case "request":
                pass  # silence is how a permission request is left to the person
            case "exit" if denied and self.form.has_exit_code:
                self.refusal = reason or self.form.filler
            case "block" | "exit" if denied:
                self.top |= {"decision": "block", "reason": reason or self.form.filler}
            case "decline" if denied:
                self.specific["action"] = "decline"
            case _ if verdict is not Decision.ALLOW:
                self.dropped.append(verdict.name.lower())

    def context(self, outcome: Outcome) -> None:
        if outcome.context and self.channel.context:
            self.specific["additionalContext"] = self.form.between.join(outcome.context)
        elif outcome.context:
            self.dropped.append("context")

    def person(self, outcome: Outcome) -> None:
        if outcome.messages and self.channel.message:
            self.top["systemMessage"] = "\n".join(outcome.messages)
        elif outcome.messages:
            self.dropped.append("message")
        if outcome.halt is not None and self.channel.halt:
            self.top |= {"continue": False, **self._text("stopReason", outcome.halt)}
        elif outcome.halt is not None:
            self.dropped.append("halt")

    def rewrites(self, outcome: Outcome) -> None:
        if outcome.updated_input is not None:
            if self.event == "PreToolUse":
                self.specific["updatedInput"] = outcome.updated_input
            elif self.request.get("behavior") == "allow":
                self.request["updatedInput"] = outcome.updated_input
            else:
                self.dropped.append("input")
        result = outcome.result
        if result is None:
            return
        if self.event != "PostToolUse":
            self.dropped.append("result")
            return
        if result.details is not None:
            self.specific["updatedToolOutput"] = result.details
        elif result.content is not None:
            self.dropped.append("result")
        if result.is_error and "decision" not in self.top:
            # The protocol cannot turn a success into an error; a block with the text comes closest.
            self.top |= {"decision": "block", "reason": result.content or "a hook marked this as failed"}

    def extras(self, outcome: Outcome) -> None:
        for name, value in outcome.fields.items():
            if name in _GOES_WITH:
                if self.request.get("behavior") == _GOES_WITH[name]:
                    self.request[name] = value
                else:
                    self.dropped.append(name)
            elif name not in self.channel.fields and not self.form.every_field:
                self.dropped.append(name)
            elif name == "terminalSequence":
                self.top[name] = value
            else:
                # A decline that is there already beats whatever another hook would have answered.
                self.specific.setdefault(name, value)
        if "content" in self.specific and "action" not in self.specific:
            del self.specific["content"]  # an answer to a form without saying what it answers
            self.dropped.append("content")

    def output(self) -> Output:
        if "behavior" in self.request:
            self.specific["decision"] = self.request
        if self.specific:
            self.top["hookSpecificOutput"] = {"hookEventName": self.event, **self.specific}
        return Output(self.top, self.refusal, tuple(self.dropped))

    def _text(self, name: str, text: str) -> dict[str, str]:
        return {name: text} if text or self.form.says_empty else {}


def in_tool_shape(outcome: Outcome, response: Any) -> Outcome:
    """The outcome with a text for a tool's result put into the shape that the tool's own output has."""
    result = outcome.result
    if result is None or result.content is None or result.details is not None:
        return outcome
    details = with_text(response, result.content)
    return msgspec.structs.replace(outcome, result=msgspec.structs.replace(result, details=details))


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
