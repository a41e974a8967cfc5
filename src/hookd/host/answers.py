"""What a handler printed or returned: JSON output in the agreed form, plain text, or neither."""

import json
import re
from typing import Any, Literal, NamedTuple

import msgspec

from hookd.host.call import mended, strict_json
from hookd.host.protocol import RULES, channel_of

_Permission = Literal["allow", "deny", "ask", "defer"]
_Action = Literal["accept", "decline", "cancel"]

UNIVERSAL: dict[str, Any] = {
    "continue": bool,
    "suppressOutput": bool,
    "stopReason": str,
    "decision": Literal["approve", "block"],
    "reason": str,
    "systemMessage": str,
    "terminalSequence": str,
}


class _Allow(msgspec.Struct, tag_field="behavior", tag="allow", rename="camel"):
    updated_input: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    updated_permissions: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class _Deny(msgspec.Struct, tag_field="behavior", tag="deny"):
    message: str | msgspec.UnsetType = msgspec.UNSET
    interrupt: bool | msgspec.UnsetType = msgspec.UNSET


_CONTEXT = {"additionalContext": str}
SPECIFIC: dict[str, dict[str, Any]] = {
    "PreToolUse": {
        "permissionDecision": _Permission,
        "permissionDecisionReason": str,
        "updatedInput": dict[str, Any],
        **_CONTEXT,
    },
    "PreModelSwitch": {
        "permissionDecision": Literal["allow", "deny", "ask"],
        "permissionDecisionReason": str,
    },
    "PermissionRequest": {"decision": _Allow | _Deny},
    "PermissionDenied": {"retry": bool},
    "PostToolUse": {
        "updatedToolOutput": Any,
        "updatedMCPToolOutput": Any,
        "classifierContext": str,
        **_CONTEXT,
    },
    "UserPromptSubmit": {"sessionTitle": str, "suppressOriginalPrompt": bool, **_CONTEXT},
    "UserPromptExpansion": {"suppressOriginalPrompt": bool, **_CONTEXT},
    "SessionStart": {
        "initialUserMessage": str,
        "sessionTitle": str,
        "watchPaths": list[str],
        "reloadSkills": bool,
        **_CONTEXT,
    },
    **dict.fromkeys(("Setup", "SubagentStart", "PostToolUseFailure", "PostToolBatch", "Stop"), _CONTEXT),
    **dict.fromkeys(("SubagentStop", "PostModelSwitch", "Notification"), _CONTEXT),
    "CwdChanged": {"watchPaths": list[str]},
    "FileChanged": {"watchPaths": list[str]},
    "WorktreeCreate": {"worktreePath": str},
    "Elicitation": {"action": _Action, "content": dict[str, Any]},
    "ElicitationResult": {"action": _Action, "content": dict[str, Any]},
    "MessageDisplay": {"displayContent": str},
}

# The older form that some settings still use, understood where asked for.
_OLDER_ACTIONS = {"allow": "allow", "approve": "allow", "deny": "deny", "block": "deny", "ask": "ask"}

BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What JavaScript cuts off the ends of a text; a mark of its encoding is part of it."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_ASYNC_LINE = re.compile(r"\s*(\{[^\n]*\"async\"[^\n]*\})")


_NOT_JSON = (
    "Hook output looks like a JSON object but is not valid JSON — JSON Parse error: {}. Emit the payload "
    "with a JSON encoder (jq, ConvertTo-Json, json.dumps) rather than string concatenation so backslashes "
    "and quotes inside strings are escaped."
)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class MisnamedError(ValueError):
    """The output is for another event."""


class Read(NamedTuple):
    """Output as the agent takes it."""

    output: dict[str, Any] | None = None
    text: str = ""
    """Plain text, if that is what it was."""
    problem: str = ""
    """Why it is neither."""
    unparsed: str = ""
    """Of what looks like JSON and is none: what is wrong with it."""
    misnamed: bool = False
    """Whether it is for another event, which the agent takes for a crash."""


def read_output(stdout: str, event: str, *, compat: bool = False) -> Read:
    """What a command printed: an object is checked, several and everything else is text."""
    text = stdout.strip(BLANKS)
    if not (text.startswith("{") and text.endswith("}")):
        return Read(text=text)
    try:
        found = strict_json(text)
    except (ValueError, RecursionError) as error:
        if _lines_of_no_consequence(text):
            return Read(text=text)
        return Read(problem=_NOT_JSON.format(error), unparsed=f"JSON Parse error: {error}")
    if _HALF.search(text):
        found = mended(found)
    return read_object(found, event, compat=compat)


def read_object(found: dict[str, Any], event: str, *, compat: bool = False) -> Read:
    """An output object, checked against the event's form."""
    if compat:
        found = _from_older_form(found, event)
    try:
        _check(found, event)
    except MisnamedError as error:
        return Read(problem=f"{error}. Full stdout: {json.dumps(found, indent=2)}", misnamed=True)
    except ValueError as error:
        return Read(problem=str(error))
    return Read(output=_fitting(found, event) if found.get("async") is True else found)


def declares_async(stdout: str) -> bool:
    """Whether the first line says that the rest takes its time, and nobody needs to wait."""
    first = _ASYNC_LINE.match(stdout)
    if first is None:
        return False
    try:
        found = strict_json(first[1])
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("async") is True


def last_line(stdout: str) -> str:
    """The last line that says something, without colours."""
    lines = [line.strip() for line in _ANSI.sub("", stdout).splitlines()]
    return next((line for line in reversed(lines) if line), "")


def _lines_of_no_consequence(text: str) -> bool:
    """Whether these are several objects, a line each, of which none sets a field that counts."""
    known = {*UNIVERSAL, "hookSpecificOutput", "async"}
    for line in filter(str.strip, text.splitlines()):
        try:
            found = strict_json(line)
        except (ValueError, RecursionError):
            return False
        if isinstance(found, dict) and known & found.keys():
            return False
    return True


def _check(found: dict[str, Any], event: str) -> None:
    if found.get("async") is True:
        _fields(found, {"asyncTimeout": float})
        return
    _fields(found, UNIVERSAL)
    if "hookSpecificOutput" not in found:
        return
    specific = found["hookSpecificOutput"]
    if not isinstance(specific, dict):
        raise ValueError(f"{_FAILED} hookSpecificOutput: expected an object")
    name = specific.get("hookEventName")
    if name is None:
        raise ValueError(f'{_FAILED} hookSpecificOutput is missing required field "hookEventName"')
    if event in RULES:
        if not isinstance(name, str) or name not in SPECIFIC:
            raise ValueError(f"{_FAILED} hookSpecificOutput.hookEventName: {name!r} has no such output")
        if name == "PermissionRequest" and "decision" not in specific:
            raise ValueError(f"{_FAILED} hookSpecificOutput.decision: required")
        _fields(specific, SPECIFIC[name], "hookSpecificOutput.")
    if name != event:
        raise MisnamedError(f"Hook returned incorrect event name: expected '{event}' but got '{name}'")


_FAILED = "Hook JSON output validation failed:"


def _fitting(found: dict[str, Any], event: str) -> dict[str, Any]:
    """The fields that are of their own type: beside `async` the agent checks none, and heeds what it can."""
    kept = {key: value for key, value in found.items() if not _misfit(value, UNIVERSAL.get(key, Any))}
    specific = kept.pop("hookSpecificOutput", None)
    if isinstance(specific, dict):
        kinds = SPECIFIC.get(event, {})
        fitting = {key: value for key, value in specific.items() if not _misfit(value, kinds.get(key, Any))}
        kept["hookSpecificOutput"] = fitting
    return kept


def _fields(found: dict[str, Any], kinds: dict[str, Any], where: str = "") -> None:
    for key, kind in kinds.items():
        if key in found and (wrong := _misfit(found[key], kind)):
            raise ValueError(f"{_FAILED} {where}{key}: {wrong}")


def _misfit(value: Any, kind: Any) -> str:
    """Why a value is not of this kind; nothing if it is."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _from_older_form(found: dict[str, Any], event: str) -> dict[str, Any]:
    """`{"action": "allow|deny"}` as the output that it means today."""
    action = found.get("action")
    verdict = _OLDER_ACTIONS.get(action) if isinstance(action, str) else None
    if verdict is None or "hookSpecificOutput" in found or "decision" in found:
        return found
    reason = found.get("reason", found.get("message"))
    reason = reason if isinstance(reason, str) else ""
    rest = {key: value for key, value in found.items() if key not in ("action", "reason", "message")}
    match channel_of(event).decision:
        case "permission":
            said: dict[str, Any] = {"permissionDecision": verdict}
            said |= {"permissionDecisionReason": reason} if reason else {}
        case "request" if verdict == "deny":
            said = {"decision": {"behavior": "deny", "message": reason}}
        case "request" if verdict == "allow":
            said = {"decision": {"behavior": "allow"}}
        case _ if verdict == "deny":
            return rest | {"decision": "block", "reason": reason or "Blocked by hook"}
        case _:
            return rest
    return rest | {"hookSpecificOutput": {"hookEventName": event, **said}}
