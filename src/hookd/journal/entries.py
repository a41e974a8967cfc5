"""What the journal holds: facts about events, never their input or output."""

import msgspec

from hookd.paths import as_text


class Entry(msgspec.Struct, frozen=True, kw_only=True, tag="event", tag_field="t", omit_defaults=True):
    """One answered event."""

    id: str
    at: float
    agent: str
    event: str
    session: str = ""
    tool: str = ""
    tool_use: str = ""
    subagent: str = ""
    detail: str = ""
    """Why a session began or ended, what was compacted by whom: the event's own short word."""
    verdict: str = ""
    by: str = ""
    """The hooks that decided the verdict."""
    hooks: int = 0
    ms: float = 0.0
    turn: int = 0
    via: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True, tag="problem", tag_field="t", omit_defaults=True):
    """Something a person should know of."""

    id: str
    at: float
    kind: str
    what: str
    session: str = ""


Record = Entry | Problem

_encoder = msgspec.json.Encoder()


def encode(record: Record) -> bytes:
    """The record as one line; nothing that is in it keeps it from being written."""
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:  # it names a file whose name is no UTF-8
        fields = msgspec.structs.asdict(record)
        texts = {name: as_text(value) for name, value in fields.items() if isinstance(value, str)}
        return _encoder.encode(msgspec.structs.replace(record, **texts))


_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
decode = _decoder.decode
