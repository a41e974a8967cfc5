"""What the record keeps of an event: its whole input and a summary of its output, secrets taken out first."""

from collections import Counter
from typing import Any, NamedTuple
from weakref import ref

import msgspec

from hookd.events.stable import text_of
from hookd.events.types import Event, PostToolBatch, PostToolUse, PostToolUseFailure
from hookd.redact.calls import LEFT_OUT, clean_input, clean_search, concerns
from hookd.redact.redactor import Redactor

# A text this long is no command, and keeping all of it would make the record larger than the project.
MAX_TEXT = 200_000
HEAD, TAIL = 1000, 400
LEFT_OUT_MARK = " characters left out]"

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
AfterCall = PostToolUse | PostToolUseFailure
_AFTER = (PostToolUse, PostToolUseFailure)


# What is larger is gone through in a thread: other events must not wait for it.
LARGE_BYTES = 64 * 1024


def is_large(event: Event) -> bool:
    return len(event.raw) > LARGE_BYTES


class Content(NamedTuple):
    """An event's input and output as they may be kept, and how many secrets of which kinds were in them."""

    input: dict[str, Any]
    output: str
    kinds: dict[str, int]


class CleanResponse(NamedTuple):
    """A tool's output in its own shape without its secrets, and how many of which kinds those were."""

    redactor: Redactor
    value: Any
    kinds: dict[str, int]


class CleanResponses:
    """Tools' outputs without secrets: the filter in front of the model works one out, the record takes it.

    Each is kept as long as its event is in use.
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[ref[Event], CleanResponse]] = {}

    def of(self, event: AfterCall, redactor: Redactor) -> CleanResponse:
        """The output as this redactor leaves it."""
        found = self.known(event)
        if found is not None and found.redactor is redactor:
            return found
        response = event.tool_response if isinstance(event, PostToolUse) else event.error
        made = CleanResponse(redactor, *redacted(response, redactor))
        # Who could not wait for this any longer has settled for something else meanwhile.
        settled = self.known(event)
        return self.settle(event, made) if settled is None or settled is found else settled

    def settle(self, event: AfterCall, clean: CleanResponse) -> CleanResponse:
        """Has the record take this for the output."""
        key = id(event)
        self._made[key] = (ref(event, lambda _: self._made.pop(key, None)), clean)
        return clean

    def known(self, event: Event) -> CleanResponse | None:
        """What was worked out or settled for so far."""
        made = self._made.get(id(event))
        return made[1] if made is not None and made[0]() is event else None


def content_of(
    event: Event,
    redactor: Redactor,
    *,
    began: bool = True,
    responses: CleanResponses | None = None,
    outputs: Redactor | None = None,
) -> Content:
    """What may be kept of the event; secrets go before anything is cut.

    `began` says that the event before the call is on record, and so is what the call was given. `outputs` is
    for what a tool gave back, if that is another redactor's.
    """
    kept, kinds = redacted(_input(event, redactor, began=began), redactor)
    output = ""
    if isinstance(event, _AFTER):
        outputs = outputs or redactor
        clean = (responses or CleanResponses()).of(event, outputs)
        kinds = dict(Counter(kinds) + Counter(clean.kinds))
        output = LEFT_OUT
        if not concerns(event, outputs):
            output = shortened(clean_search(event, readable(clean.value), outputs))
    if len(event.raw) > MAX_TEXT:
        kept = _cut(kept)
    return Content(kept, output, kinds)


def redacted(value: Any, redactor: Redactor) -> tuple[Any, dict[str, int]]:
    """The value without its secrets, and how many of which kinds were in it."""
    own = redactor.counting_anew()  # others may be at it in another thread
    clean = own.value(value)
    if own.counts:
        redactor.counts.update(own.counts)
    return clean, dict(own.counts)


def _input(event: Event, redactor: Redactor, *, began: bool) -> dict[str, Any]:
    try:
        wire = msgspec.json.decode(event.raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        wire = event.wire
    left_out = _KEPT_ELSEWHERE
    if isinstance(event, _AFTER):
        left_out |= _AFTER_A_CALL if began else _AFTER_A_CALL - {"tool_input"}
    kept = {key: value for key, value in wire.items() if key not in left_out}
    if isinstance(event, PostToolBatch):
        kept["tool_calls"] = [_named(call) for call in event.tool_calls]
    elif isinstance(kept.get("tool_input"), dict):
        kept["tool_input"] = clean_input(kept["tool_input"], redactor)
    return kept


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


def readable(response: Any) -> str:
    """What a person would read of a tool's output."""
    text = text_of(response)
    if not text and isinstance(response, dict):
        short = {key: value for key, value in response.items() if _is_short(value)}
        text = msgspec.json.encode(short).decode() if short else ""
    return text


def _is_short(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= 200)


def shortened(text: str) -> str:
    """The beginning and the end of a text."""
    return text if len(text) <= HEAD + TAIL + 100 else _shortened(text, HEAD, TAIL)


def _shortened(text: str, head: int, tail: int) -> str:
    return f"{text[:head]}\n[{len(text) - head - tail}{LEFT_OUT_MARK}\n{text[-tail:]}"
