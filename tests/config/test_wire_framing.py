"""The framing between a client and the daemon: what goes in comes out, and too much is refused."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd.errors import WireError
from hookd.wire import (
    ACK,
    FRAME,
    LEAVING,
    MAGIC,
    MAX_HEADER,
    MAX_PAYLOAD,
    PREFIX,
    Answer,
    Request,
    message_length,
    pack_answer,
    pack_request,
    unpack_answer,
    unpack_request,
)

# Neither an argument nor a variable nor a path can hold a NUL; any other byte it can.
words = st.binary(max_size=30).map(lambda raw: raw.replace(b"\0", b"").decode("utf-8", "surrogateescape"))
names = st.from_regex(r"[A-Z_][A-Z0-9_.]{0,10}", fullmatch=True)
requests = st.builds(
    Request,
    agent=words,
    event=words,
    payload=st.binary(max_size=200),
    nonce=words,
    version=words,
    cwd=words,
    policy=words,
    oversize=st.booleans(),
    env=st.dictionaries(names, words, max_size=4),
)
REQUEST = Request(agent="claude-code", event="Stop", payload=b"{}")


@given(requests)
def test_a_request_survives_the_way(request: Request) -> None:
    message = pack_request(request)
    assert message_length(message) == len(message)
    assert unpack_request(message) == request


@given(requests, st.data())
def test_a_request_that_is_still_coming_is_waited_for(request: Request, data: st.DataObject) -> None:
    message = pack_request(request)
    arrived = data.draw(st.integers(0, len(message)))
    known = message_length(bytearray(message[:arrived]))
    assert known == (len(message) if arrived >= PREFIX.size else None)


@given(requests, st.integers(min_value=1, max_value=40))
def test_a_request_of_another_length_than_it_states_is_refused(request: Request, missing: int) -> None:
    message = pack_request(request)
    with pytest.raises(WireError):
        unpack_request(message[:-missing])
    with pytest.raises(WireError):
        unpack_request(message + b"x" * missing)


@given(st.binary(min_size=1, max_size=40).filter(lambda data: not MAGIC.startswith(data[:4])))
def test_somebody_who_speaks_something_else_is_refused_at_once(data: bytes) -> None:
    with pytest.raises(WireError, match="does not speak"):
        message_length(data)


@given(st.binary(max_size=80))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    for message in (data, MAGIC + data):
        try:
            unpack_request(message)
        except WireError:
            pass


@pytest.mark.parametrize(
    ("header", "payload", "fits"),
    [
        (0, 0, True),
        (MAX_HEADER, MAX_PAYLOAD, True),
        (MAX_HEADER + 1, 0, False),
        (0, MAX_PAYLOAD + 1, False),
        (2**32 - 1, 2**32 - 1, False),
    ],
)
def test_the_limits(header: int, payload: int, fits: bool) -> None:
    prefix = PREFIX.pack(MAGIC, header, payload)
    if fits:
        assert message_length(prefix) == len(prefix) + header + payload
    else:
        with pytest.raises(WireError, match="over the limit"):
            message_length(prefix)


def raw_request(header: bytes) -> bytes:
    return struct.pack("<4sII", b"HKD1", len(header), 2) + header + b"{}"


def test_a_request_as_bytes() -> None:
    header = b"version=\0agent=claude-code\0event=Stop\0nonce=\0cwd=\0policy=ask\0"
    assert pack_request(REQUEST) == raw_request(header)


def test_what_a_client_leaves_out_has_a_default() -> None:
    assert unpack_request(raw_request(b"agent=claude-code\0event=Stop\0")) == REQUEST


def test_what_a_newer_client_adds_is_passed_over() -> None:
    more = b"agent=claude-code\0colour=red\0event=Stop\0=\0nothing\0"
    assert unpack_request(raw_request(more)) == REQUEST


@pytest.mark.parametrize("missing", ["agent", "event"])
def test_a_request_without_its_agent_or_event_is_refused(missing: str) -> None:
    fields = {"agent": "claude-code", "event": "Stop"}
    del fields[missing]
    header = b"".join(f"{key}={value}\0".encode() for key, value in fields.items())
    with pytest.raises(WireError, match=f"lacks '{missing}'"):
        unpack_request(raw_request(header))


def test_a_value_may_hold_an_equals_sign() -> None:
    request = REQUEST._replace(cwd="/a=b", env={"CLAUDE_PROJECT_DIR": "x=y=z"})
    assert unpack_request(pack_request(request)) == request


@given(st.builds(Answer, st.integers(0, 255), st.binary(max_size=200), st.binary(max_size=200)))
def test_an_answer_survives_the_way(answer: Answer) -> None:
    frame = pack_answer(answer)
    kind, length = FRAME.unpack_from(frame)
    body = frame[FRAME.size :]
    assert (kind, length) == (b"R", len(body))
    assert unpack_answer(body) == answer


@given(st.builds(Answer, st.integers(0, 255), st.binary(max_size=20), st.just(b"")), st.integers(1, 25))
def test_an_answer_that_is_cut_short_is_refused(answer: Answer, missing: int) -> None:
    body = pack_answer(answer)[FRAME.size :]
    with pytest.raises(WireError, match="cut short"):
        unpack_answer(body[:-missing])


def test_the_frames_without_a_body() -> None:
    assert ACK == b"A\0\0\0\0"
    assert LEAVING == b"V\0\0\0\0"
