"""What is worth remembering: a score for each call, and the chatter that is dropped whatever it says."""

import re
from typing import NamedTuple

import msgspec

from hookd.memory.capture.calls import FinishedCall
from hookd.memory.capture.summaries import kind_of, paths
from hookd.patterns import late

THRESHOLD = 0.3

# Classes of shell lines that are noise, and what they are called when a person asks why.
_NOISE = {
    "build": "build output",
    "lint": "linter output",
    "install": "package install",
    "watch": "output of a watcher",
    "listing": "listing or status",
    "helper": "nothing but a helper",
}
_BASE = {"decision": 0.7, "edit": 0.6, "command": 0.4, "read": 0.3, "web": 0.4, "tool": 0.4}
_OWN_TOOL = late(r"mcp__(?:plugin_)?(?:\w*_)?hookd(?:_\w+)?__")
_OWN_COMMAND = frozenset({"hookd", "hookd-client"})
_NOTHING = late(
    r"\W*(?:no (?:matches|files|results|output)(?: found)?|\(no (?:content|output)\)|null|none|undefined|ok|"
    r"done|true|false|\[\]|\{\}|0|0 (?:matches|results|files))?\W*",
    re.IGNORECASE,
)
_CHATTY_NAME = late(
    r"(?:^|[_-])(?:list|status|ping|health\w*|heartbeat|version|tabs|whoami|capabilities)(?:[_-]|$)|"
    r"^(?:list|ping|status)",
    re.I,
)
_DECIDES = late(r"\b(?:because|instead of|rather than|decided?|switch(?:ed)? to|no longer)\b", re.IGNORECASE)
_ERRS = late(
    r"\b(?:error|errors|exception|traceback|failed|failure|fatal|panic|denied|refused|timed? ?out)\b", re.I
)


class Judged(NamedTuple):
    """Whether a call is remembered, how important it is, and why it is not."""

    admitted: bool
    importance: float
    why: str = ""


def is_own(call: FinishedCall) -> bool:
    """Whether the call is hookd's own: what is remembered must not feed on itself."""
    if call.asked.kind == "mcp":
        return _OWN_TOOL.match(call.asked.tool) is not None
    if call.sort != "shell" or "hookd" not in call.command:
        return False
    names = [name for name in call.line.names if name not in ("cd", "echo", "export")]
    return bool(names) and names[0] in _OWN_COMMAND


def judge(call: FinishedCall) -> Judged:
    """Writes, edits and failures always; of the rest what scores, and no chatter."""
    if is_own(call):
        return _dropped("hookd's own")
    if call.failed:
        return Judged(True, 0.3 if call.interrupted else 0.75)
    kind = kind_of(call)
    if kind == "edit":
        return Judged(True, _BASE["edit"])
    if call.sort == "shell" and call.line.sort in _NOISE:
        return _dropped(_NOISE[call.line.sort])
    if call.sort == "chore":
        return _dropped("the agent's housekeeping")
    if call.sort == "list" or (kind == "tool" and _is_chatty(call)):
        return _dropped("listing or status")
    points = _score(call, kind)
    return Judged(points >= THRESHOLD, min(1.0, points), "" if points >= THRESHOLD else "too little in it")


def _dropped(why: str) -> Judged:
    return Judged(False, 0.0, why)


def _is_chatty(call: FinishedCall) -> bool:
    """A tool that lists or reports, asked for nothing in particular."""
    name = call.asked.tool.rpartition("__")[2]
    asked = sum(len(value) for value in call.asked.input.values() if isinstance(value, str))
    return _CHATTY_NAME.search(name) is not None and asked < 40


def _score(call: FinishedCall, kind: str) -> float:
    points = _BASE[kind]
    said = call.output[:1500]
    if kind == "command":
        line = call.line
        points += 0.1 * (line.sort == "test") + 0.2 * line.notable
        if _DECIDES.search(call.command):
            points += 0.2
        if _ERRS.search(said):
            points += 0.1
        if len(said) > 20:
            points += 0.05
    if paths(call):
        points += 0.05
    if says_nothing(said) and _wanted_output(call, kind):
        points -= 0.35
    return points


def says_nothing(output: str) -> bool:
    """Whether an answer is empty, in words or in JSON whose counts and lists are."""
    if _NOTHING.fullmatch(output):
        return True
    if not output.startswith("{"):
        return False
    try:
        fields = msgspec.json.decode(output)
    except msgspec.DecodeError:
        return False
    return all(not value or key in ("mode", "type", "status") for key, value in fields.items())


def _wanted_output(call: FinishedCall, kind: str) -> bool:
    """Whether a call that gives nothing back has done nothing."""
    if call.sort in ("search", "web", "other"):
        return not (call.sort == "other" and len(call.asked.input) > 0 and _does_something(call))
    return call.sort == "shell" and not (kind == "command" and call.line.notable)


def _does_something(call: FinishedCall) -> bool:
    """A tool whose name says that it changes something need not answer."""
    words = re.findall(r"[A-Z]?[a-z]+", call.asked.tool.rpartition("__")[2])
    return not {"get", "list", "search", "find", "query", "read", "fetch", "show", "lookup"}.intersection(
        word.lower() for word in words
    )
