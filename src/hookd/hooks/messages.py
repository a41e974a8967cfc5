"""What the dispatcher and the process that runs users' hooks say to each other.

Each message is MessagePack with a 32-bit length in front.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from hookd.events.outcome import Outcome
from hookd.hooks.api import Context, Subscription
from hookd.hooks.kit.occasions import Occasion
from hookd.hooks.kit.outbox import Sent
from hookd.paths import as_text

LENGTH = struct.Struct("<I")
# A hook that answers with more than this has gone wrong; a whole message may be longer by what it logged.
MAX_ANSWER = 8 * 1024 * 1024
MAX_MESSAGE = 16 * 1024 * 1024


class Source(msgspec.Struct, frozen=True):
    """A hook file as bytes: what was read and checked is what runs."""

    path: str
    code: bytes
    last_good: bytes | None = None


class Load(msgspec.Struct, frozen=True, tag=True):
    """Load these files; the first message to a new process."""

    project: str
    sources: list[Source]
    entry_points: bool = False
    expected: list[Subscription] = []
    """What an earlier process found, so that a handler has the same number in each."""
    kept: str = ""
    """Where the project's hooks keep things."""
    redact: bytes = b""
    """How secrets are taken out of that, as MessagePack: most hooks keep nothing."""


class Loading(msgspec.Struct, frozen=True, tag=True):
    """The process begins with this file; if it never comes back, this file is why."""

    path: str


class LoadFault(msgspec.Struct, frozen=True):
    """A file that could not be loaded, and whether its last good version took its place."""

    path: str
    problem: str
    kept_last_good: bool


class Loaded(msgspec.Struct, frozen=True, tag=True):
    """Everything is loaded; a handler's number is its place in `subscriptions`, or in `Load.expected`."""

    subscriptions: list[Subscription]
    faults: list[LoadFault]


class Job(msgspec.Struct, frozen=True, tag=True):
    """Run these handlers, in this order, for this event."""

    payload: bytes
    handlers: list[int]
    context: dict[str, Any]
    """The facts of the context; each handler gets one of its own."""
    previous_path: str | None = None
    deadlines: list[float] = []
    """How long each of them may take, in seconds."""
    occasion: Occasion | None = None
    """Why they are called, if no event does."""


class Ran(msgspec.Struct, frozen=True, tag=True):
    """One handler is done: its outcomes, or what went wrong."""

    handler: int
    milliseconds: float
    outcomes: Sequence[Outcome] = ()
    fault: str | None = None
    lines: Sequence[str] = ()
    sent: Sequence[Sent] = ()


ToWorker = Load | Job
FromWorker = Loading | Loaded | Ran

_encoder = msgspec.msgpack.Encoder()


_FACTS = tuple(name for name in Context.__struct_fields__ if name != "kit")


def facts_of(context: Context) -> dict[str, Any]:
    """All of a context but its kit, for a process that makes a context of its own."""
    return {name: getattr(context, name) for name in _FACTS}


def pack(message: Any) -> bytes:
    try:
        body = _encoder.encode(message)
    except UnicodeEncodeError:  # a folder whose name is no UTF-8
        body = _encoder.encode(_as_text(msgspec.to_builtins(message, builtin_types=(bytes,))))
    return LENGTH.pack(len(body)) + body


def unpacked(buffer: bytearray, most: int = 1 << 32) -> Iterator[bytes]:
    """The whole messages in what has arrived, taken out; raises ValueError for one longer than `most`."""
    while len(buffer) >= LENGTH.size:
        (length,) = LENGTH.unpack_from(buffer)
        end = LENGTH.size + length
        if length > most:
            raise ValueError
        if len(buffer) < end:
            return
        yield bytes(buffer[LENGTH.size : end])
        del buffer[:end]


def _as_text(value: Any) -> Any:
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, list | tuple):
        return [_as_text(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    return value
