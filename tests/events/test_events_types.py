"""The events themselves: their names, their fields, and that nothing an agent sends is lost."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from event_values import JSON, OBJECTS, events_on_the_wire, known_fields
from hypothesis import given
from hypothesis import strategies as st

from hookd.events.codec import decode
from hookd.events.types import EVENTS, Event, PermissionRequest, PreToolUse, ToolEvent, UnknownEvent

NAMES = [
    "SessionStart",
    "Setup",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "MessageDisplay",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "Stop",
    "StopFailure",
    "TeammateIdle",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Elicitation",
    "ElicitationResult",
    "SessionEnd",
]

PROTOCOL = Path(__file__).parents[2].parent / "shared/protocol/claude-code-events.json"
needs_protocol = pytest.mark.skipif(
    not PROTOCOL.exists(), reason=f"the protocol's own list of fields is not on this machine ({PROTOCOL})"
)


def protocol() -> dict[str, dict[str, Any]]:
    return {entry["event"]: entry for entry in json.loads(PROTOCOL.read_bytes())} if PROTOCOL.exists() else {}


def test_there_are_33_events() -> None:
    assert list(EVENTS) == NAMES
    assert len(NAMES) == 33


@pytest.mark.parametrize("name", NAMES)
def test_an_event_is_named_as_on_the_wire(name: str) -> None:
    assert EVENTS[name]().name == name
    event, problems = decode(json.dumps({"hook_event_name": name}).encode())
    assert (type(event), problems) == (EVENTS[name], ())


@given(events_on_the_wire())
def test_an_event_keeps_every_field_known_or_not(sent: tuple[str, dict[str, Any], dict[str, Any]]) -> None:
    name, fields, news = sent
    wire = {"hook_event_name": name, **fields, **news}
    payload = json.dumps(wire).encode()
    event, problems = decode(payload)
    assert type(event) is EVENTS[name]
    assert problems == ()
    assert event.raw == payload
    assert event.wire == wire
    assert event.extra == news
    for field in msgspec.structs.fields(type(event)):
        if field.encode_name in fields:
            assert getattr(event, field.name) == fields[field.encode_name]


@given(st.text(min_size=1, max_size=20).filter(lambda name: name not in EVENTS), OBJECTS)
def test_an_unknown_event_keeps_its_name_and_every_field(name: str, fields: dict[str, Any]) -> None:
    wire = fields | {"hook_event_name": name}
    event, _ = decode(json.dumps(wire).encode())
    assert isinstance(event, UnknownEvent)
    assert event.name == name
    assert event.wire == wire
    shared = known_fields(Event)
    assert event.extra == {
        key: value for key, value in fields.items() if key not in {*shared, "hook_event_name"}
    }


def test_an_unknown_event_may_have_a_field_that_hookd_uses_for_something_else() -> None:
    event, problems = decode(b'{"hook_event_name":"Later","event_name":7,"name":"x","raw":1}')
    assert (event.name, problems) == ("Later", ())
    assert event.extra == {"event_name": 7, "name": "x", "raw": 1}


@given(events_on_the_wire())
def test_an_event_made_in_python_has_the_same_json_as_one_that_was_sent(
    sent: tuple[str, dict[str, Any], dict[str, Any]],
) -> None:
    name, fields, _ = sent
    made = msgspec.convert(fields | {"hook_event_name": name}, EVENTS[name])
    again, problems = decode(made.raw)
    assert (again, problems) == (made, ())
    assert again.extra == {}


def test_what_is_nested_too_deeply_to_be_read_again_costs_only_the_unknown_fields() -> None:
    nested = b"[" * 800 + b"]" * 800
    event, _ = decode(b'{"hook_event_name":"Stop","session_id":"s","news":' + nested + b"}")

    def deep_in_the_stack(frames: int) -> dict[str, Any]:
        return deep_in_the_stack(frames - 1) if frames else event.wire

    wire = deep_in_the_stack(800)
    assert (wire["hook_event_name"], wire["session_id"]) == ("Stop", "s")
    assert "news" not in wire


@pytest.mark.parametrize(
    ("tool_input", "command", "path"),
    [
        ({"command": "ls -l"}, "ls -l", ""),
        ({"command": ["ls"]}, "", ""),
        ({"command": None}, "", ""),
        ({"file_path": "/a/b.py"}, "", "/a/b.py"),
        ({"notebook_path": "/a/b.ipynb"}, "", "/a/b.ipynb"),
        ({"path": "src", "pattern": "x"}, "", "src"),
        ({"file_path": "/a", "notebook_path": "/b", "path": "/c"}, "", "/a"),
        ({"file_path": 5, "path": "/c"}, "", "/c"),
        ({"url": "https://example.org"}, "", ""),
        ({}, "", ""),
    ],
)
def test_a_tool_events_command_and_path(tool_input: dict[str, Any], command: str, path: str) -> None:
    event = PreToolUse(tool_input=tool_input)
    assert (event.command, event.path) == (command, path)


# What the protocol says of a field, by how its description begins, and the struct's type for it.
TYPES: list[tuple[str, Any]] = [
    ("array<string>", list[str]),
    ("array<{tool_name", list[dict[str, Any]]),
    ("array", list[Any]),
    ("string", str),
    ("enum", str),
    ("number", float),
    ("integer", int),
    ("boolean", bool),
    ("any", Any),
]
# Objects whose shape is an open set stay as they are.
OPEN_OBJECTS = {"effort", "mcp_server"}


def wanted_type(field: str, description: str) -> Any:
    if description.startswith("object"):
        return Any if field in OPEN_OBJECTS else dict[str, Any]
    return next(kind for start, kind in TYPES if description.startswith(start))


def may_be_missing(description: str) -> bool:
    return description.partition(" ")[0].endswith("?") or "|null" in description


@needs_protocol
def test_the_protocol_names_the_same_events() -> None:
    assert sorted(protocol()) == sorted(NAMES)


@needs_protocol
@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_the_protocol_is_typed(name: str) -> None:
    types = known_fields(EVENTS[name])
    for field, description in protocol()[name]["input_fields"].items():
        if field == "hook_event_name":
            continue
        kind = types[field]
        options = {kind} if kind is Any else set(get_args(kind)) or {kind}
        bare = options - {type(None)} if type(None) in options else {kind}
        assert bare == {wanted_type(field, description)}, f"{name}.{field}: {description}"
        if may_be_missing(description) and kind is not Any:
            assert type(None) in options, f"{name}.{field} may be null or missing"


@needs_protocol
@pytest.mark.parametrize("name", NAMES)
def test_no_field_is_invented(name: str) -> None:
    shared = {*known_fields(Event)}
    # PermissionRequest shares a base with the other tool events; agents other than this one send the id.
    shared |= {"tool_use_id"} if EVENTS[name] is PermissionRequest else set()
    # What another agent's adapter says beside the protocol.
    shared |= {"tool_kind", "agent_tool"} if issubclass(EVENTS[name], ToolEvent) else set()
    assert set(known_fields(EVENTS[name])) - shared <= set(protocol()[name]["input_fields"])


@needs_protocol
@pytest.mark.parametrize("name", NAMES)
def test_the_protocols_example_is_understood_completely(name: str) -> None:
    example = protocol()[name]["example_input"]
    event, problems = decode(json.dumps(example).encode())
    assert (type(event), problems) == (EVENTS[name], ())
    assert event.extra == {}
    for field in msgspec.structs.fields(type(event)):
        if field.encode_name in example:
            assert getattr(event, field.name) == example[field.encode_name]


@needs_protocol
@given(st.sampled_from(NAMES), st.text(max_size=12), JSON)
def test_an_example_with_news_in_it_is_still_understood(name: str, key: str, value: Any) -> None:
    example = protocol()[name]["example_input"]
    wire = {key: value} | example
    event, problems = decode(json.dumps(wire).encode())
    assert (event.wire, event.name) == (wire, name)
    if key not in known_fields(EVENTS[name]):
        assert problems == ()
