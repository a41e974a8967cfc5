"""What a handler's end means: its exit code and its output, for this event, as one answer."""

import os
import re
from typing import Any, Literal

import msgspec

from hookd.agents.claude_handlers import AgentTask, Prompt
from hookd.events.outcome import NOTHING, Decision, Outcome, Result
from hookd.host.answers import Read, last_line, read_object, read_output
from hookd.host.handlers import AnyHandler, Python
from hookd.host.protocol import IGNORE_ON_FAILURE, MISSING_FILE_PASSES, STOPS, channel_of, rule_of

Status = Literal["success", "error", "cancelled"]
BLOCKED = "Blocked by hook"
NO_STDERR = "No stderr output"
NEVER_RAN = 126
"""From here on exit codes are a shell's, not the handler's."""
_MISSING_FILE = re.compile(
    r"No such file or directory|Cannot find module|can't open file|cannot open|not found|ENOENT",
    re.IGNORECASE,
)
_PERMISSIONS = {decision.name.lower(): decision for decision in Decision}


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a handler's run ended, before anybody made sense of it."""

    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    killed: bool = False
    """Whether a signal ended it."""
    failed: str = ""
    """Why it could not be run, or not be believed, if that is so."""
    output: dict[str, Any] | None = None
    """An answer that is an object already."""
    answer: Outcome | None = None
    """An answer in hookd's own terms."""
    ok: bool | None = None
    """What a model said to the question whether all is well."""
    reason: str = ""
    impossible: bool = False
    status: int | None = None
    """Of a response: its number, which the agent shows in the place of an exit code."""
    detached: bool = False
    """Whether it goes on by itself, in the background."""
    text_counts: bool = True
    """Whether text that is no object may be context."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One handler's answer."""

    status: Status = "success"
    answer: Outcome = NOTHING
    plain: str = ""
    """Plain output that is context for the model."""
    said: str = ""
    """Of a refusal: its words."""
    by_exit: bool = False
    """Whether the refusal is an exit code's, a failure's or a model's, not the output's."""
    problem: str = ""
    """Why there is no answer, if there should have been one."""
    unreadable: bool = False
    """Whether that is because of its output, which then is what the agent says of it."""
    misnamed: bool = False
    notice: str = ""
    """What a person is to see of an exit code 2 that stops nothing."""
    unusable: bool = False
    """Whether it broke rather than said that something is wrong."""


SILENCE = Reply()
"""The reply of a handler that has ended well and has nothing to say."""


def classify(
    event: str, handler: AnyHandler, ended: Ended, *, compat: bool = False, plugin: bool = False
) -> Reply:
    """The reply that this end amounts to."""
    if ended.detached or (ended.exit_code == 0 and _says_nothing(event, ended)):
        return SILENCE
    if ended.timed_out:
        return _timed_out(event, handler)
    if ended.failed:
        return _failure(event, handler, ended.failed, ended.stderr.strip(), unusable=True)
    if ended.ok is not None:
        return _judged(event, handler, ended)
    if ended.answer is not None:
        return Reply(answer=_heeded(event, ended.answer), said=ended.answer.reason or BLOCKED)
    if event == "WorktreeCreate" and handler.type == "command":
        return _worktree(ended)
    if ended.output is not None:
        read = read_object(ended.output, event, compat=compat)
    else:
        read = read_output(ended.stdout, event, compat=compat)
    code = ended.exit_code or 0
    if code == 2:
        return _exit_2(event, ended, read, plugin)
    if event == "WorktreeRemove" and code:
        return _refusal(ended.stderr.strip() or f"exit code {code}", "error")
    if read.unparsed and handler.type == "http":
        what = f"HTTP hook must return valid JSON, but parsing failed: SyntaxError: {read.unparsed}"
        return _unreadable(event, handler, what)
    if read.problem:
        return _unreadable(event, handler, read.problem, misnamed=read.misnamed)
    if read.output is not None:
        if code and handler.fails_closed:
            return _failure(event, handler, f"exit code {code}", ended.stderr.strip() or NO_STDERR)
        stated = read.output
        if code and channel_of(event).decision == "decline":
            stated = {key: value for key, value in stated.items() if key != "hookSpecificOutput"}
        answer = output_outcome(event, stated)
        return Reply(status="error" if code else "success", answer=answer, said=answer.reason or BLOCKED)
    if code:
        first = next((line for line in ended.stderr.splitlines() if line.strip()), "")
        detail = ended.stderr.strip() or NO_STDERR
        unusable = ended.killed or code >= NEVER_RAN
        return _failure(event, handler, first or f"exit code {code}", detail, unusable=unusable)
    if not ended.text_counts:
        if handler.type == "mcp_tool":
            # The agent says that it has run, where a command's text would be context.
            spoken = read.text and rule_of(event).plain and event != "PreCompact"
            return Reply(plain=f"{event} completed" if spoken else "")
        if not read.text:
            return Reply()
        what = f"HTTP hook must return JSON, but got non-JSON response body: {read.text}"
        return _unreadable(event, handler, what)
    return Reply(plain=read.text if rule_of(event).plain else "")


def _says_nothing(event: str, ended: Ended) -> bool:
    """Whether there is nothing to make sense of; but a worktree's hook has to name a folder."""
    if ended.stdout or ended.timed_out or ended.failed or event == "WorktreeCreate":
        return False
    return ended.output is None and ended.answer is None and ended.ok is None


def output_outcome(event: str, output: dict[str, Any]) -> Outcome:
    """An output object as an outcome, with what this event heeds of it."""
    specific = output.get("hookSpecificOutput") or {}
    decision, reason = _decision(event, output, specific)
    channel = channel_of(event)
    context = specific.get("additionalContext")
    message = output.get("systemMessage")
    fields = {name: specific[name] for name in channel.fields if name in specific}
    if "terminalSequence" in output and "terminalSequence" in channel.fields:
        fields["terminalSequence"] = output["terminalSequence"]
    stated = specific.get("decision")
    request: dict[str, Any] = stated if isinstance(stated, dict) else {}
    fields |= {name: request[name] for name in ("updatedPermissions", "interrupt") if name in request}
    if "updatedMCPToolOutput" in specific:
        fields["updatedMCPToolOutput"] = specific["updatedMCPToolOutput"]
    changed = specific.get("updatedToolOutput")
    rewritten = specific.get("updatedInput", request.get("updatedInput"))
    halts = output.get("continue") is False and rule_of(event).halts
    return Outcome(
        decision=decision,
        reason=reason,
        context=(context,) if context and channel.context else (),
        messages=(message,) if message and channel.message else (),
        updated_input=rewritten if isinstance(rewritten, dict) else None,
        result=Result(details=changed) if changed is not None and event == "PostToolUse" else None,
        halt=output.get("stopReason", "") if halts else None,
        fields=fields,
    )


def _decision(event: str, output: dict[str, Any], specific: dict[str, Any]) -> tuple[Decision | None, str]:
    """The verdict of an output object; the event's own field counts before the older common one."""
    channel = channel_of(event).decision
    reason = output.get("reason", "")
    if channel == "permission" and "permissionDecision" in specific:
        verdict = _PERMISSIONS[specific["permissionDecision"]]
        if output.get("decision") == "block" and verdict is not Decision.DENY:
            return Decision.DENY, reason
        own = specific.get("permissionDecisionReason") or ""
        return verdict, own if verdict is Decision.ASK else own or reason
    if channel == "request" and isinstance(specific.get("decision"), dict):
        answered = specific["decision"]
        return _PERMISSIONS[answered["behavior"]], answered.get("message", "")
    if channel == "decline" and specific.get("action") == "decline":
        return Decision.DENY, reason
    stated = output.get("decision")
    if stated == "block" and channel in ("permission", "block", "decline"):
        return Decision.DENY, reason
    if stated == "approve" and event == "PreToolUse":
        return Decision.ALLOW, reason
    return None, ""


def _exit_2(event: str, ended: Ended, read: Read, plugin: bool) -> Reply:
    rule = rule_of(event)
    answer = output_outcome(event, read.output) if read.output is not None else NOTHING
    if channel_of(event).decision == "decline":
        answer = NOTHING
    silent = not ended.stdout.strip()
    passes = event in MISSING_FILE_PASSES or (plugin and event == "UserPromptSubmit")
    if silent and passes and _MISSING_FILE.search(ended.stderr):
        return Reply(status="error", problem=ended.stderr.strip())
    if rule.exit_2 not in ("block", "tell"):
        said = answer.reason or BLOCKED
        stderr = ended.stderr.strip()
        notice = stderr if rule.exit_2 == "notice" else ""
        return Reply(status="error", answer=answer, said=said, problem=stderr, notice=notice)
    if answer.decision is Decision.DENY:
        return Reply(status="error", answer=answer, said=answer.reason or BLOCKED)
    stderr = ended.stderr or NO_STDERR
    refused = msgspec.structs.replace(answer, decision=Decision.DENY, reason=ended.stderr.strip())
    return Reply(status="error", answer=refused, said=stderr, by_exit=True)


def _failure(
    event: str, handler: AnyHandler, problem: str, detail: str = "", *, unusable: bool = False
) -> Reply:
    if not _closes(event, handler):
        return Reply(status="error", problem=problem, unusable=unusable)
    reason = f"failed; blocking because {_why_closed(handler)}\n{detail or problem}"
    return _refusal(reason, "error", problem)


def _unreadable(event: str, handler: AnyHandler, problem: str, *, misnamed: bool = False) -> Reply:
    failure = _failure(event, handler, problem, unusable=True)
    return msgspec.structs.replace(failure, unreadable=True, misnamed=misnamed)


def _timed_out(event: str, handler: AnyHandler) -> Reply:
    if event == "PreModelSwitch" or _closes(event, handler):
        why = _why_closed(handler) if _closes(event, handler) else "a model is not changed without an answer"
        return _refusal(f"timed out; blocking because {why}", "cancelled", "timed out")
    return Reply(status="cancelled", problem="timed out", unusable=True)


def _why_closed(handler: AnyHandler) -> str:
    if isinstance(handler, Python) and handler.function is not None:
        return 'on_failure is "block"'
    return 'onFailure is "block"'


def _closes(event: str, handler: AnyHandler) -> bool:
    """Whether a failure of this handler refuses what the event is about."""
    if not handler.fails_closed or handler.in_background or event in IGNORE_ON_FAILURE:
        return False
    return rule_of(event).exit_2 in ("block", "tell") or event == "PermissionRequest"


def _judged(event: str, handler: AnyHandler, ended: Ended) -> Reply:
    """What a model's yes or no does: it can stop things, and it cannot approve them."""
    if ended.ok or event in ("PermissionRequest", "PermissionDenied"):
        return Reply()
    if event in STOPS:
        if ended.impossible and isinstance(handler, Prompt):
            return Reply()
        return _refusal(ended.reason)
    goes_on = isinstance(handler, AgentTask) or handler.continue_on_block  # type: ignore[union-attr]
    ends_turn = event in ("PostToolBatch", "UserPromptSubmit", "UserPromptExpansion") or (
        event in ("PreToolUse", "PostToolUse", "TeammateIdle") and not goes_on
    )
    reply = _refusal(ended.reason)
    if not ends_turn:
        return reply
    return msgspec.structs.replace(reply, answer=msgspec.structs.replace(reply.answer, halt=ended.reason))


def _refusal(reason: str, status: Status = "success", problem: str = "") -> Reply:
    answer = Outcome(decision=Decision.DENY, reason=reason)
    return Reply(status=status, answer=answer, said=reason or BLOCKED, by_exit=True, problem=problem)


def _worktree(ended: Ended) -> Reply:
    path = last_line(ended.stdout)
    if ended.exit_code or not path:
        return _refusal(ended.stderr.strip() or "the hook named no folder for the worktree", "error")
    return Reply(answer=Outcome(fields={"worktreePath": os.path.normpath(path)}))


def _heeded(event: str, answer: Outcome) -> Outcome:
    """An outcome without what this event does not heed."""
    channel = channel_of(event)
    return msgspec.structs.replace(
        answer,
        decision=answer.decision if channel.decision else None,
        context=answer.context if channel.context else (),
        messages=answer.messages if channel.message else (),
        halt=answer.halt if rule_of(event).halts else None,
    )
