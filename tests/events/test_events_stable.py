"""The small set of events that stays the same: what each of the protocol's events amounts to."""

from typing import Any

import msgspec
import pytest

from hookd.events.stable import (
    ORIGINS,
    STABLE_EVENTS,
    AgentEnd,
    AgentStart,
    Session,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    stable_events,
    text_of,
    turn_after,
)
from hookd.events.types import EVENTS, Event, PostToolUse, PreToolUse, SessionStart, Stop, UnknownEvent

TURN = 4


def event(name: str, **fields: Any) -> Event:
    common = {"hook_event_name": name, "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p"}
    return msgspec.convert(common | fields, EVENTS[name])


def own_fields(stable: Any) -> dict[str, Any]:
    return {name: getattr(stable, name) for name in stable.__struct_fields__ if name != "origin"}


BASH: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
START = ("session", {"reason": "start", "path": "/t.jsonl", "previous_path": "/before.jsonl"})

# protocol event, its fields -> the stable events in order
TABLE: list[tuple[str, dict[str, Any], list[tuple[str, dict[str, Any]]]]] = [
    ("SessionStart", {"source": "startup"}, [START]),
    ("SessionStart", {"source": "resume"}, [("session", START[1] | {"reason": "switch"})]),
    ("SessionStart", {"source": "fork"}, [("session", START[1] | {"reason": "switch"})]),
    ("SessionStart", {"source": "clear"}, [("session", START[1] | {"reason": "clear"})]),
    ("SessionStart", {"source": "compact"}, []),
    ("SessionStart", {"source": "newer than hookd"}, []),
    (
        "UserPromptSubmit",
        {"prompt": "go"},
        [("agent_start", {"prompt": "go"}), ("turn_start", {"turn_index": TURN})],
    ),
    ("SubagentStart", {"agent_id": "a", "agent_type": "Explore"}, [("agent_start", {"prompt": ""})]),
    ("PreToolUse", BASH, [("tool_call", {})]),
    ("PreToolUse", {**BASH, "agent_id": "a"}, [("tool_call", {})]),
    (
        "PostToolUse",
        {**BASH, "tool_response": {"stdout": "ok", "stderr": ""}},
        [
            (
                "tool_result",
                {"content": "ok", "details": {"stdout": "ok", "stderr": ""}, "is_error": False},
            )
        ],
    ),
    (
        "PostToolUseFailure",
        {**BASH, "error": "exit code 1"},
        [("tool_result", {"content": "exit code 1", "details": None, "is_error": True})],
    ),
    (
        "PostToolBatch",
        {"tool_calls": []},
        [("turn_end", {"turn_index": TURN}), ("turn_start", {"turn_index": TURN + 1})],
    ),
    ("PostToolBatch", {"tool_calls": [], "agent_id": "a"}, []),
    (
        "Stop",
        {"last_assistant_message": "done"},
        [("turn_end", {"turn_index": TURN}), ("agent_end", {"last_message": "done", "error": None})],
    ),
    (
        "StopFailure",
        {"error": "rate_limit"},
        [("turn_end", {"turn_index": TURN}), ("agent_end", {"last_message": None, "error": "rate_limit"})],
    ),
    (
        "SubagentStop",
        {"agent_id": "a", "last_assistant_message": "found it"},
        [("agent_end", {"last_message": "found it", "error": None})],
    ),
]
SILENT = sorted(EVENTS.keys() - {name for name, _, _ in TABLE})


@pytest.mark.parametrize(("name", "fields", "wanted"), TABLE)
def test_what_an_event_amounts_to(
    name: str, fields: dict[str, Any], wanted: list[tuple[str, dict[str, Any]]]
) -> None:
    origin = event(name, **fields)
    found = stable_events(origin, turn=TURN, previous_path="/before.jsonl")
    assert [(key, own_fields(stable)) for key, stable in found.items()] == wanted
    for key, stable in found.items():
        assert type(stable) is STABLE_EVENTS[key]
        assert stable.origin is origin
        assert (stable.session_id, stable.cwd, stable.agent_id) == ("s", "/p", fields.get("agent_id"))


@pytest.mark.parametrize("name", SILENT)
def test_all_other_events_have_no_stable_one(name: str) -> None:
    assert stable_events(event(name), turn=TURN) == {}


def test_an_unknown_event_has_no_stable_one() -> None:
    assert stable_events(UnknownEvent(event_name="Later")) == {}


def test_the_stable_events_are_these() -> None:
    assert dict(STABLE_EVENTS) == {
        "session": Session,
        "agent_start": AgentStart,
        "agent_end": AgentEnd,
        "turn_start": TurnStart,
        "turn_end": TurnEnd,
        "tool_call": ToolCall,
        "tool_result": ToolResult,
    }


@pytest.mark.parametrize("stable", STABLE_EVENTS)
def test_an_installer_is_told_every_event_that_a_stable_one_sits_on(stable: str) -> None:
    from_table = {name for name, _, wanted in TABLE if stable in dict(wanted)}
    assert ORIGINS[stable] == from_table


def test_a_tool_call_shows_the_tool() -> None:
    call = ToolCall(origin=PreToolUse(tool_name="Edit", tool_input={"file_path": "/a.py"}, tool_use_id="t1"))
    assert (call.tool_name, call.tool_input, call.tool_use_id) == ("Edit", {"file_path": "/a.py"}, "t1")
    assert (call.path, call.command) == ("/a.py", "")


def test_a_session_counts_its_turns_from_0_and_subagents_do_not_count() -> None:
    steps: list[tuple[Event, list[tuple[str, int]]]] = [
        (event("SessionStart", source="startup"), []),
        (event("UserPromptSubmit", prompt="go"), [("turn_start", 0)]),
        (event("PreToolUse", **BASH), []),
        (event("PostToolUse", **BASH), []),
        (event("PostToolBatch"), [("turn_end", 0), ("turn_start", 1)]),
        (event("SubagentStart", agent_id="a"), []),
        (event("PostToolBatch", agent_id="a"), []),
        (event("SubagentStop", agent_id="a"), []),
        (event("PostToolBatch"), [("turn_end", 1), ("turn_start", 2)]),
        (event("Stop"), [("turn_end", 2)]),
        (event("UserPromptSubmit", prompt="more"), [("turn_start", 3)]),
        (event("StopFailure", error="overloaded"), [("turn_end", 3)]),
        (event("SessionEnd", reason="other"), []),
    ]
    turn = 0
    for step, wanted in steps:
        seen = stable_events(step, turn=turn)
        turns = [(name, s.turn_index) for name, s in seen.items() if isinstance(s, TurnStart | TurnEnd)]
        assert turns == wanted, step.name
        turn = turn_after(step, turn)
    assert turn == 4


def test_a_session_without_a_transcript_has_no_path() -> None:
    found = stable_events(SessionStart(source="startup"))["session"]
    assert isinstance(found, Session)
    assert (found.path, found.previous_path) == (None, None)


def test_events_of_the_main_agent_have_no_agent_id() -> None:
    assert stable_events(Stop())["agent_end"].agent_id is None


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("plain", "plain"),
        ({"stdout": "out", "stderr": ""}, "out"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ({"stdout": "out", "stderr": None}, "out"),
        ({"stdout": None, "content": "text"}, "text"),
        ({"type": "create", "content": "text"}, "text"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ([{"type": "text", "text": "a"}, {"type": "image", "data": "x"}, "b", {"text": 5}], "a\nb"),
        ({"type": "text", "file": {"filePath": "/a", "content": "text"}}, "text"),
        ({"type": "text", "text": "text"}, "text"),
        ({"filePath": "/a", "oldString": "x"}, ""),
        ({}, ""),
        ([], ""),
        (None, ""),
        (5, ""),
    ],
)
def test_the_part_of_a_tools_output_that_a_person_would_read(response: Any, text: str) -> None:
    assert text_of(response) == text


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("plain", "plain"),
        ({"stdout": "", "stderr": "", "interrupted": False}, ""),
        ({"stdout": "out", "stderr": "", "interrupted": False}, "out"),
        ({"output": "hidden"}, '{"output":"hidden"}'),
        ({"rows": [["hidden"]]}, '{"rows":[["hidden"]]}'),
        ({"content": [["hidden"]]}, '{"content":[["hidden"]]}'),
        (["q", 5], '["q",5]'),
        ([["hidden"]], '[["hidden"]]'),
        ([{"name": "hidden"}], '[{"name":"hidden"}]'),
        ([{"type": "text", "text": "a"}, {"type": "image", "data": "x"}, "b"], "a\nb"),
        ([{"type": "image", "data": "x"}], ""),
        ({"half": "\ud800"}, '{"half": "\\ud800"}'),
        (5, "5"),
        (0, "0"),
        (False, "false"),
        (None, ""),
        ({}, ""),
        ([], ""),
    ],
)
def test_a_hook_reads_all_of_an_output_that_has_no_text(response: Any, text: str) -> None:
    found = stable_events(PostToolUse(tool_name="Ask", tool_response=response))["tool_result"]
    assert isinstance(found, ToolResult)
    assert (found.content, found.details) == (text, response)
