"""One call of a tool as a person reads it: an edit as a diff, a search by its pattern, output in words."""

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import Any

import msgspec

from hookd.events.calls import Call, Edit

Step = dict[str, Any]

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
MOST_DIFF_LINES = 12
_PASSED = {
    "audit": "passed in audit",
    "paused": "passed while the gate was paused",
    "once": "allowed once by a person",
}


def call_sentences(step: Step, where: str, is_over: bool) -> Iterable[str]:
    """What was called, what hookd had to say to it, what came of it; `is_over` says that its turn is."""
    call = Call(step["tool"], step["input"])
    about, *more = clipped(_about(step, call), 4)
    yield f"{step['tool']}: {about}{where}"
    yield from more
    verdicts = [said for said in step.get("told", ()) if said["what"] in ("deny", "ask")]
    for said in verdicts:
        verb = "stopped by" if said["what"] == "deny" else "a question was asked by"
        first, *rest = clipped(said.get("text", ""), 4)
        yield f"  {verb} {said['by'] or 'hookd'}: {first}"
        yield from (f"  {line}" for line in rest)
    if passed := step.get("passed"):
        verb = "stopped" if passed["verdict"] == "deny" else "asked about"
        yield f"  would have been {verb} by {passed['rule']}: {clipped(passed['reason'] or '', 1)[0]}"
    output = _in_words(step.get("output") or "")
    if all(said["what"] != "deny" for said in verdicts):
        asked = any(said["what"] == "ask" for said in verdicts)
        yield f"  {_end(step, asked, is_over, output)}"
    if step["outcome"] == "ok" and call.kind == "edit" and call.edits:
        yield from (f"  {line}" for line in diff_lines(call.edits))
    elif output:
        yield from (f"  | {line}" for line in clipped(output, 4))


def _about(step: Step, call: Call) -> str:
    """As the record says, but a search by what it looks for."""
    if call.kind != "search" or not call.pattern:
        return str(step["about"])
    return f"{call.pattern} in {call.path}" if call.path else call.pattern


def _end(step: Step, asked: bool, is_over: bool, output: str) -> str:
    """What came of it, and of the question or of the verdict that did not hold it up."""
    spent = f" after {_duration(step['seconds'])}" if step.get("seconds") else ""
    passed = _PASSED[step["passed"]["how"]] if step.get("passed") else ""
    match step["outcome"]:
        case "begun" if asked and is_over:
            return "refused: it had not run when the turn ended"
        case "begun" if asked:
            return "unknown: it was asked about, and neither an answer nor a result is on the record"
        case "begun":
            return f"{passed or 'unknown'}: no result is on the record"
        case "denied":
            return f"refused{spent}"
        case outcome:
            quiet = ", without output" if step.get("output") and not output else ""
            let_through = "approved" if asked else passed
            return f"{let_through}: {outcome}{spent}{quiet}" if let_through else f"{outcome}{spent}{quiet}"


def _in_words(output: str) -> str:
    """An output as it is; what an agent sends as an object in words, without what is empty or a flag."""
    if not output.startswith("{"):
        return output
    try:
        found = msgspec.json.decode(output)
    except (msgspec.DecodeError, RecursionError):
        return output  # cut in its middle, or no JSON at all
    told = {key: value for key, value in found.items() if value not in ("", None, [], {})}
    return ", ".join(
        f"{key} {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for key, value in told.items()
        if not isinstance(value, bool)
    )


def diff_lines(edits: Iterable[Edit]) -> Iterator[str]:
    """What edits took out and put in, a line around each."""
    found: list[str] = []
    for edit in edits:
        old, new = (shown(text).splitlines() for text in (edit.old, edit.new))
        changes = list(unified_diff(old, new, n=1, lineterm=""))[2:]  # without the names of files
        found += [f"{line[0]} {line[1:]}" for line in changes if not line.startswith("@@")]
    yield from (line if len(line) <= 160 else f"{line[:157]}..." for line in found[:MOST_DIFF_LINES])
    if len(found) > MOST_DIFF_LINES:
        yield f"... {len(found) - MOST_DIFF_LINES} more lines"


def clipped(text: str, most: int) -> list[str]:
    """The text's first lines, each short enough for a screen; never empty."""
    found = [line.rstrip() for line in shown(text).strip().splitlines() if line.strip()] or [""]
    clipped = [line if len(line) <= 160 else f"{line[:157]}..." for line in found[:most]]
    if len(found) > most:
        clipped.append(f"... {len(found) - most} more lines")
    return clipped


def shown(text: str) -> str:
    """The text as it can be shown: what would drive a terminal is spelled out."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
