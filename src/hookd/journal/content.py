"""What the record keeps of an event: its whole input and a summary of its output, secrets taken out first."""

import re
from typing import Any, NamedTuple, cast

import msgspec

from hookd.events.stable import text_of
from hookd.events.types import Event, PostToolBatch, PostToolUse, PostToolUseFailure, ToolEvent
from hookd.redact.files import LEFT_OUT, without_content
from hookd.redact.redactor import Redactor

# A text this long is no command, and keeping all of it would make the record larger than the project.
MAX_TEXT = 200_000
HEAD, TAIL = 1000, 400

# The record has fields of their own for these, or no use for them.
_KEPT_ELSEWHERE = frozenset(
    {
        "hook_event_name",
        "session_id",
        "transcript_path",
        "agent_transcript_path",
        "agent_id",
        "tool_name",
        "tool_use_id",
    }
)
# What the event after a call repeats of the event before it, and what it adds: that is summarised.
_AFTER_A_CALL = frozenset({"tool_input", "tool_response", "error"})
_WORDS = re.compile(r"[^\s'\"`;|&<>()=:,]+")


class Content(NamedTuple):
    """An event's input and output as they may be kept, and how many secrets of which kinds were in them."""

    input: dict[str, Any]
    output: str
    kinds: dict[str, int]


def content_of(event: Event, redactor: Redactor) -> Content:
    """What may be kept of the event; secrets go before anything is cut."""
    before = redactor.counts.copy()
    kept = _input(event, redactor)
    output = ""
    if isinstance(event, PostToolUse | PostToolUseFailure):
        output = (
            LEFT_OUT if is_about_secret_file(event, redactor) else summary_of(clean_response(event, redactor))
        )
    return Content(kept, output, dict(redactor.counts - before))


def clean_response(event: PostToolUse | PostToolUseFailure, redactor: Redactor) -> Any:
    """The tool's output without secrets, in the tool's own shape; worked out once per event."""
    found = event.__dict__.get("clean_response")
    if found is None or found[0] is not redactor:
        response = event.tool_response if isinstance(event, PostToolUse) else event.error
        before = redactor.counts.copy()
        value = redactor.value(response)
        found = (redactor, value, dict(redactor.counts - before))
        event.__dict__["clean_response"] = found
    return found[1]


def kinds_in_response(event: PostToolUse | PostToolUseFailure, redactor: Redactor) -> dict[str, int]:
    """How many secrets of which kinds the tool's output held."""
    clean_response(event, redactor)
    return cast(dict[str, int], event.__dict__["clean_response"][2])


def is_about_secret_file(event: ToolEvent, redactor: Redactor) -> bool:
    """Whether the call reads or writes a file whose content is left out whole."""
    if redactor.leaves_out(event.path):
        return True
    return any(redactor.leaves_out(word) for word in _WORDS.findall(event.command))


def _input(event: Event, redactor: Redactor) -> dict[str, Any]:
    try:
        wire = msgspec.json.decode(event.raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        wire = event.wire
    left_out = _KEPT_ELSEWHERE
    if isinstance(event, PostToolUse | PostToolUseFailure):
        left_out |= _AFTER_A_CALL
    kept = {key: value for key, value in wire.items() if key not in left_out}
    if isinstance(event, PostToolBatch):
        kept["tool_calls"] = [_named(call) for call in event.tool_calls]
    elif (
        isinstance(event, ToolEvent)
        and event.path
        and redactor.leaves_out(event.path)
        and "tool_input" in kept
    ):
        kept["tool_input"] = without_content(event.tool_input)
    return cast(dict[str, Any], _cut(redactor.value(kept)))


def _named(call: dict[str, Any]) -> dict[str, Any]:
    """A call of a batch by name: its input and output have been on the record since it was made."""
    return {key: call[key] for key in ("tool_name", "tool_use_id") if key in call}


def _cut(value: Any) -> Any:
    """The value with every text of sane length; the same object where nothing is too long."""
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else _shortened(value, MAX_TEXT - TAIL, TAIL)
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return value


def summary_of(response: Any) -> str:
    """The beginning and the end of what a person would read of a tool's output."""
    text = text_of(response)
    if not text and isinstance(response, dict):
        short = {key: value for key, value in response.items() if _is_short(value)}
        text = msgspec.json.encode(short).decode() if short else ""
    return text if len(text) <= HEAD + TAIL + 100 else _shortened(text, HEAD, TAIL)


def _is_short(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= 200)


def _shortened(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}\n[{len(text) - head - tail} characters left out]\n{text[-tail:]}"
