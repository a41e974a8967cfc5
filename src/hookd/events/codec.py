"""JSON to typed events: fast where the agent keeps to the protocol, lenient where it does not."""

from functools import cache
from typing import Any, Union

import msgspec
from msgspec.structs import force_setattr

from hookd.errors import EventError
from hookd.events import lenient
from hookd.events.types import EVENTS, Event, PostToolUse, PreToolUse, UnknownEvent

_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@cache
def _decoder(name: str = "") -> msgspec.json.Decoder[Event]:
    """For this event, or for every one, which takes longer to make than a daemon's first event should wait.

    The former knows two more: a payload that could only be of one kind need not say of which it is.
    """
    kinds = {EVENTS[name], PreToolUse, PostToolUse} if name else EVENTS.values()
    return msgspec.json.Decoder(Union[tuple(kinds)])  # noqa: UP007


def get_ready() -> None:
    """Makes what decoding takes, in a process that nobody waits for yet."""
    _decoder()


def decode(payload: bytes, name: str = "") -> tuple[Event, tuple[str, ...]]:
    """The event in `payload`, and what was wrong with it but could be worked around.

    `name` is the event the client was started for; it counts where the payload does not say.
    """
    try:
        event = _decoder(name if name in EVENTS else "").decode(payload)
    except _UNREADABLE:
        try:
            event = _decoder().decode(payload)  # it says that it is another event
        except _UNREADABLE:
            return _decode_leniently(payload, name)
    force_setattr(event, "raw", payload)
    return event, ()


def read_object(payload: bytes, name: str = "") -> tuple[dict[str, Any], tuple[str, ...]]:
    """The JSON object in `payload`, for an adapter that translates it, and what was wrong with it."""
    try:
        wire, oddities = lenient.loads(payload)
    except ValueError as error:
        what = f"is not JSON ({type(error).__name__})" if payload.strip() else "is empty"
        raise EventError(f"the input for {name or 'an event'} {what}") from None
    except RecursionError:
        raise EventError(f"the input for {name or 'an event'} is nested too deeply") from None
    if not isinstance(wire, dict):
        raise EventError(f"the input for {name or 'an event'} is JSON but no object")
    return wire, oddities


def _decode_leniently(payload: bytes, name: str) -> tuple[Event, tuple[str, ...]]:
    """A second try that loses only what is wrong: one bad field must not hide a whole tool call."""
    wire, oddities = read_object(payload, name)
    stated = wire.get("hook_event_name")
    event_name = stated if isinstance(stated, str) and stated else name
    wire["hook_event_name"] = event_name
    kind = EVENTS.get(event_name, UnknownEvent)
    problems = list(oddities)
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in wire:
            try:
                fields[field.name] = msgspec.convert(wire[field.encode_name], field.type)
            except msgspec.ValidationError:
                problems.append(f"{event_name}.{field.encode_name} has an unexpected type")
    event = kind(**fields)
    force_setattr(event, "raw", msgspec.json.encode(wire))
    return event, tuple(problems)
