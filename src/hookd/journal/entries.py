"""What the journal holds: what happened at each event, without the secrets that were in it."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from hookd.events.calls import Call
from hookd.events.outcome import Fact
from hookd.paths import as_text

SCHEMA = 1
"""Of the records below; a reader leaves a segment of a later one to a later hookd."""


class Origin(msgspec.Struct, frozen=True, kw_only=True, tag="segment", tag_field="t", omit_defaults=True):
    """A segment's first line: whose records follow. Each of them takes it for its own.

    With it a record can be taken in anywhere: nothing has to be looked up where it was written.
    """

    v: int
    project: str
    """The identity that memory belongs to (`hookd.identity`)."""
    checkout: str
    """The key of the folder that the agent worked in, and what that folder was called."""
    root: str
    machine: str
    user: str
    writer: str
    """The process, whose records are numbered."""
    tree: str = ""
    """The work tree, wherever it is moved."""
    alone: str = ""
    """What it was known by before its repository was, if it was."""


class Writer(msgspec.Struct, frozen=True):
    """Whose records a batch has, as the store knows it; the records of 0.1 do not say."""

    number: int = 0
    """In the store's table of writers."""
    project: str = ""
    tree: str = ""
    alone: str = ""


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a hook said or did: a verdict's reason, a context, a message, a replaced result."""

    by: str
    what: str
    text: str = ""
    tokens: int = 0
    """Of a context: what it takes."""
    importance: str = ""
    key: str = ""
    """Of a context that is told once in a session."""
    held: str = ""
    """Why the model did not get it after all (`what` is `held` then)."""


class HookCall(msgspec.Struct, frozen=True, array_like=True):
    """What one handler did with the event; an array without keys, since an entry has several."""

    hook: str
    microseconds: int
    outcome: str = ""
    """The weightiest thing it answered, or how it went wrong, in a word; empty for nothing."""


class _Numbered(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", omit_defaults=True):
    """What every record has, beside what its kind says."""

    id: str
    at: float
    session: str = ""
    n: int = 0
    """The writer's own number of it, from 1."""


class Entry(_Numbered, frozen=True, kw_only=True, tag="event"):
    """One answered event."""

    agent: str
    event: str
    tool: str = ""
    kind: str = ""
    """What the tool does; an entry of 0.1 does not say."""
    tool_use: str = ""
    subagent: str = ""
    detail: str = ""
    """Why a session began or ended, what was compacted by whom: the event's own short word."""
    verdict: str = ""
    by: str = ""
    """The hooks that decided the verdict."""
    hooks: int = 0
    """How many handlers ran, in an entry that does not say more of them."""
    hook_calls: tuple[HookCall, ...] = ()
    ms: float = 0.0
    turn: int = 0
    via: str = ""
    input: dict[str, Any] = {}
    """What the agent sent, without output and what other fields hold: enough to replay a verdict."""
    output: str = ""
    """The beginning and the end of what the tool gave back."""
    told: tuple[Told, ...] = ()
    facts: tuple[Fact, ...] = ()


def recorded_call(tool: str, wire: Mapping[str, Any], kind: str = "") -> Call:
    """The call that an event is about, of the kind that is on record or that its adapter has said."""
    given, said = wire.get("tool_input"), kind or wire.get("tool_kind")
    # An agent that sends something else than an object has its words kept.
    tool_input = given if isinstance(given, dict) else {"input": given} if given else {}
    return Call(tool, tool_input, said if isinstance(said, str) else "")


def how_it_passed(verdict: Mapping[str, Any]) -> str:
    """How a call passed that the gate was against, by the gate's note on it: `audit`, `paused`, `once` or "".

    What guards hookd itself, and what is managed, stops a call in these modes too.
    """
    if verdict.get("verdict") not in ("ask", "deny") or verdict.get("locked"):
        return ""
    if verdict.get("once"):
        return "once"
    mode = verdict.get("mode")
    return str(mode) if mode in ("audit", "paused") else ""


class Problem(_Numbered, frozen=True, kw_only=True, tag="problem"):
    """Something a person should know of."""

    kind: str
    what: str


WELL = "well"
"""The kind that is none: a hook, named by `what`, that no event calls goes well from now on."""

MESSAGE_FACT = "message-delivered"
"""Of an event that the model was told a hook's or a person's message with."""
FORGOTTEN = "[forgotten]"
"""Stands where the record had something that was forgotten."""
LONGEST_EXAMPLE = 1_000
"""Of a call that a person was asked about."""


class GateAnswer(_Numbered, frozen=True, kw_only=True, tag="answer"):
    """What a person said to a question of the gate, or that what they approved is not to count any more."""

    decision: Literal["approved", "refused", "revoked"]
    rule: str
    """The rule that asked."""
    shape: str
    """What kind of call it asked about; a keyed hash, as is `call`."""
    call: str = ""
    """The very call; a later answer to the same one takes the place of an earlier."""
    severity: str = ""
    words: str = ""
    """The shape, as a person reads it."""
    example: str = ""


class ObservationAdded(_Numbered, frozen=True, kw_only=True, tag="observation"):
    """Something to remember that was said outright or imported (`hookd.memory.observations`)."""

    name: str = ""
    """What a file calls it, where it was imported under a name."""
    text: str
    kind: str
    provenance: Any
    tool: str = ""
    paths: tuple[str, ...] = ()
    task: str = ""
    tool_use: str = ""
    importance: float = 0.5
    detail: str = ""


class Superseded(_Numbered, frozen=True, kw_only=True, tag="superseded"):
    """That a file which was imported says one observation has taken the place of another."""

    older: str
    newer: str
    own: bool = False
    """Whether the person said that the file is their own: else it replaces only what strangers wrote."""


class Joined(_Numbered, frozen=True, kw_only=True, tag="joined"):
    """That a person had this checkout share the memory of another clone, or be on its own again.

    What it belongs to from then on is said where its segment begins.
    """

    clone: str = ""
    """The folder of the other one; empty if it is on its own again."""


class Forgotten(_Numbered, frozen=True, kw_only=True, tag="forgotten"):
    """That something is forgotten: its names, and not a word of it. Each reader of the journal lets go of it.

    What it names is not taken in again, wherever it is read.
    """

    records: tuple[str, ...]
    """The ids of the events and other records that it was in."""
    observations: tuple[str, ...] = ()
    """The ids of the observations."""
    retold: tuple[str, ...] = ()
    """The ids of summaries of their sessions, which are made anew without them."""
    quoting: tuple[str, ...] = ()
    """Events in which a model was told of any of these: that goes, the event stays."""
    repeating: tuple[str, ...] = ()
    """Calls of hookd's own tools and commands that had any of them in or out: the same."""
    tree: str = ""
    """The work tree that the observations are of, where it is not the segment's own."""
    machine: str = ""
    """Whose records they are, where they are not of the machine that forgets them."""


class Cost(_Numbered, frozen=True, kw_only=True, tag="cost"):
    """What a call of a language model has cost."""

    by: str
    """Who made it: `hookd` for its own."""
    model: str
    input: int | None = None
    """Tokens; nothing if the provider does not say."""
    output: int | None = None
    usd: float | None = None
    """Nothing if no price is known, which is not zero."""


Kept = Entry | GateAnswer | ObservationAdded | Superseded | Joined | Forgotten | Cost
"""What capabilities take from the journal."""

Record = Kept | Problem

_encoder = msgspec.json.Encoder()


def numbered(line: bytes, n: int) -> bytes:
    """An encoded record with its writer's number."""
    return b'%b,"n":%d}' % (line[:-1], n)


def encode(record: Record | Origin) -> bytes:
    """The record as one line; nothing that is in it keeps it from being written."""
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:  # it names a file whose name is no UTF-8
        return _encoder.encode(_sound(msgspec.to_builtins(record)))


def _sound(value: Any) -> Any:
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(item) for item in value]
    return value


_decoder: msgspec.json.Decoder[Record | Origin] = msgspec.json.Decoder(Record | Origin)
decode = _decoder.decode
