"""Bad input: what can be understood is, and the rest is one kind of error."""

import json
from typing import Any

import msgspec
import pytest
from event_values import JSON, events_on_the_wire, known_fields
from hypothesis import example, given
from hypothesis import strategies as st

from hookd.errors import EventError
from hookd.events.codec import decode
from hookd.events.types import EVENTS, Event, PreToolUse, UnknownEvent

START = b'{"hook_event_name":"PreToolUse","tool_name":"Bash",'
BASH = START + b'"tool_input":{"command":"ls"}'
DEEP = 100_000

REFUSED = {
    "nothing": (b"", "is empty"),
    "blanks": (b" \n\t ", "is empty"),
    "broken off": (BASH, "is not JSON"),
    "plain text": (b"hello", "is not JSON"),
    "two objects": (BASH + b"}" + BASH + b"}", "is not JSON"),
    "a NUL after the end": (BASH + b"}\x00", "is not JSON"),
    "UTF-16": ((BASH + b"}").decode().encode("utf-16"), "is not JSON"),
    "an array": (b"[]", "is JSON but no object"),
    "a number": (b"5", "is JSON but no object"),
    "a string": (b'"PreToolUse"', "is JSON but no object"),
    "null": (b"null", "is JSON but no object"),
    "true": (b"true", "is JSON but no object"),
    "only a byte-order mark": (b"\xef\xbb\xbf", "is not JSON"),
    "deep arrays": (b"[" * DEEP + b"]" * DEEP, "is JSON but no object"),
    "deep arrays, broken off": (b"[" * DEEP, "is not JSON"),
    "deep objects, broken off": (b'{"a":' * DEEP, "is not JSON"),
}

NOT_UTF8 = "the input is not valid UTF-8"
TOO_DEEP = "the input is nested more than 200 deep"


def nested(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = ["]", value]
    return value


# name -> (payload, problems, the session id as understood, the fields that are new)
MENDED: dict[str, tuple[bytes, tuple[str, ...], str, dict[str, Any]]] = {
    "a byte-order mark": (b"\xef\xbb\xbf" + BASH + b"}", (), "", {}),
    "blanks around": (b"\n " + BASH + b"} \n", (), "", {}),
    "no UTF-8 in a known field": (BASH + b',"session_id":"a\xff"}', (NOT_UTF8,), "a�", {}),
    "no UTF-8 in an unknown field": (BASH + b',"x":"a\xff"}', (), "", {"x": "a�"}),
    "no UTF-8 in a key": (BASH + b',"x\xff":1}', (), "", {"x�": 1}),
    "half a character in a known field": (BASH + b',"session_id":"a\\ud83d"}', (), "a�", {}),
    "half a character in an unknown field": (BASH + b',"x":"\\ude00b"}', (), "", {"x": "�b"}),
    "half a character in a key": (BASH + b',"x\\ud83d":1}', (), "", {"x�": 1}),
    "half a character inside a value": (BASH + b',"x":[{"y":"\\ud83d"}]}', (), "", {"x": [{"y": "�"}]}),
    "a whole character in two halves": (BASH + b',"x":"\\ud83d\\ude00"}', (), "", {"x": "\N{GRINNING FACE}"}),
    "an escaped NUL": (BASH + b',"session_id":"a\\u0000b"}', (), "a\0b", {}),
    "a raw NUL": (BASH + b',"session_id":"a\x00b"}', (), "a\0b", {}),
    "a raw line break": (BASH + b',"x":"a\nb"}', (), "", {"x": "a\nb"}),
    "a key twice": (BASH + b',"session_id":"first","session_id":"second"}', (), "second", {}),
    "NaN": (BASH + b',"x":NaN}', (), "", {"x": None}),
    "an overflowing number": (BASH + b',"x":[1e999,-1e999]}', (), "", {"x": [None, None]}),
    "a number of 400 digits": (BASH + b',"x":' + b"9" * 400 + b"}", (), "", {"x": int("9" * 400)}),
    "a number of 5,000 digits": (BASH + b',"x":' + b"9" * 5000 + b"}", (), "", {"x": None}),
}


@pytest.mark.parametrize("name", ["", "PreToolUse"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_event_is_an_event_error(case: str, name: str) -> None:
    payload, message = REFUSED[case]
    with pytest.raises(EventError, match=message) as error:
        decode(payload, name)
    assert (name or "an event") in str(error.value)


@pytest.mark.parametrize("case", MENDED)
def test_one_bad_detail_does_not_hide_a_tool_call(case: str) -> None:
    payload, problems, session, news = MENDED[case]
    event, found = decode(payload)
    assert isinstance(event, PreToolUse)
    assert (event.tool_name, event.command, event.session_id) == ("Bash", "ls", session)
    assert found == problems
    assert event.extra == news


def test_a_deep_field_is_cut() -> None:
    event, found = decode(BASH + b',"x":' + b'["]",' * DEEP + b"1" + b"]" * DEEP + b"}")
    assert isinstance(event, PreToolUse)
    assert event.command == "ls"
    assert event.extra == {"x": nested(199)}
    assert found in ((TOO_DEEP,), ()), "some interpreters skip what no field asks for, however deep it is"


def test_the_last_of_several_event_names_counts() -> None:
    event, _ = decode(b'{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}')
    assert event.name == "Stop"


def test_five_mebibytes_are_no_problem() -> None:
    text = "x" * (5 << 20)
    event, problems = decode(BASH + b',"session_id":"' + text.encode() + b'"}')
    assert (event.session_id, problems) == (text, ())


@pytest.mark.parametrize(
    "payload", [b"{}", b'{"hook_event_name":""}', b'{"hook_event_name":null}', b'{"hook_event_name":7}']
)
def test_the_clients_name_counts_where_the_payload_has_none(payload: bytes) -> None:
    event, _ = decode(payload, "PreToolUse")
    assert type(event) is PreToolUse
    assert event.wire == {"hook_event_name": "PreToolUse"}
    nameless, _ = decode(payload)
    assert isinstance(nameless, UnknownEvent)
    assert nameless.name == ""


@pytest.mark.parametrize("name", ["", "NewEvent", *EVENTS])
def test_what_the_payload_says_it_is_does_not_depend_on_the_clients_name(name: str) -> None:
    for stated, kind in EVENTS.items():
        event, oddities = decode(b'{"hook_event_name":"%s","session_id":"s"}' % stated.encode(), name)
        assert (type(event), event.session_id, oddities) == (kind, "s", ())


def test_the_payloads_name_counts_before_the_clients() -> None:
    assert decode(b'{"hook_event_name":"Stop"}', "PreToolUse")[0].name == "Stop"


def typed_fields() -> list[tuple[str, str]]:
    return [
        (name, field)
        for name, kind in EVENTS.items()
        for field, of in known_fields(kind).items()
        if of is not Any
    ]


@pytest.mark.parametrize(("name", "field"), typed_fields())
def test_a_field_of_the_wrong_type_is_named_and_the_others_are_kept(name: str, field: str) -> None:
    kind = EVENTS[name]
    struct_field = next(f for f in msgspec.structs.fields(kind) if f.encode_name == field)
    # A field takes strings, or it does not.
    wrong: Any = 5.5 if "str" in str(struct_field.type).replace("dict[str", "") else "a string"
    wrong = {"an": "object"} if "list" in str(struct_field.type) else wrong
    other = "cwd" if field != "cwd" else "session_id"
    event, problems = decode(json.dumps({"hook_event_name": name, other: "kept", field: wrong}).encode())
    assert type(event) is kind
    assert problems == (f"{name}.{field} has an unexpected type",)
    assert getattr(event, other) == "kept"
    assert getattr(event, struct_field.name) == getattr(kind(), struct_field.name)
    assert event.wire[field] == wrong


def check(payload: bytes, name: str = "") -> None:
    """Decodes, or raises EventError; an event that came out can be passed on and read again."""
    try:
        event, _ = decode(payload, name)
    except EventError:
        return
    assert isinstance(event.wire, dict)
    assert not event.extra.keys() & known_fields(Event).keys()
    assert decode(event.raw)[0] == event


@given(st.binary(), st.sampled_from(["", "PreToolUse", "Later"]))
def test_no_bytes_raise_anything_else(payload: bytes, name: str) -> None:
    check(payload, name)


# As Python writes it: with lone surrogates escaped and NaN spelt out.
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=8)),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=8), inner)
        ),
        max_leaves=12,
    )
)
def test_no_json_raises_anything_else(value: Any) -> None:
    check(json.dumps(value).encode(), "PostToolUse")


@given(st.sampled_from(sorted(EVENTS)), st.data())
def test_no_types_in_an_event_raise_anything_else(name: str, data: st.DataObject) -> None:
    fields = data.draw(st.dictionaries(st.sampled_from(sorted(known_fields(EVENTS[name]))), JSON))
    check(json.dumps({"hook_event_name": name, **fields}).encode())


@given(events_on_the_wire(), st.integers(min_value=0), st.binary(max_size=3))
@example(("Stop", {}, {"x": "y"}), 36, b"\xff")
def test_no_damage_to_an_event_raises_anything_else(
    sent: tuple[str, dict[str, Any], dict[str, Any]], place: int, damage: bytes
) -> None:
    name, fields, news = sent
    payload = json.dumps({"hook_event_name": name, **fields, **news}).encode()
    place %= len(payload)
    check(payload[:place] + damage + payload[place + 1 :])
