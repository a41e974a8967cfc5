"""Whatever settings, matchers, inputs and answers hold: the engine answers, and raises nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookd.agents.claude_handlers import Command
from hookd.errors import PatternError
from hookd.events.types import EVENTS
from hookd.front_matter import load
from hookd.host import Fired, HookEngine
from hookd.host.answers import SPECIFIC, UNIVERSAL
from hookd.host.classify import Ended, classify
from hookd.host.conditions import holds
from hookd.host.matcher import matches
from hookd.host.settings import read_file

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
EVENT = st.sampled_from([*EVENTS, "Newer"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(["allow", "deny", "ask", "block", "approve", "x", "PreToolUse", "accept"])
NAMES = st.sampled_from(
    [*UNIVERSAL, "async", *sorted({name for fields in SPECIFIC.values() for name in fields})]
)
OUTPUT = st.dictionaries(
    NAMES | st.just("hookSpecificOutput"),
    JSON | WORDS | st.dictionaries(NAMES | st.just("hookEventName"), JSON | WORDS | EVENT, max_size=5),
    max_size=5,
)
HANDLER = st.fixed_dictionaries(
    {"type": st.sampled_from(["command", "http", "prompt", "mcp_tool", "python", "nonsense"]) | JSON},
    optional={
        "command": st.just("true") | JSON,
        "url": st.just("http://127.0.0.1:1/x") | JSON,
        "prompt": st.text(max_size=5) | JSON,
        "server": st.text(max_size=5),
        "tool": st.text(max_size=5),
        "call": st.text(max_size=10) | JSON,
        "timeout": st.just(5) | JSON,
        "if": st.text(max_size=20) | JSON,
        "async": st.booleans() | JSON,
    },
)
SETTINGS = st.dictionaries(
    st.sampled_from(["hooks", "disableAllHooks", "allowedHttpHookUrls"]),
    JSON
    | st.dictionaries(
        EVENT,
        JSON
        | st.lists(
            st.fixed_dictionaries({"hooks": st.lists(HANDLER, max_size=3)}, optional={"matcher": JSON}),
            max_size=3,
        ),
        max_size=3,
    ),
    max_size=3,
)


def fired(found: Any, event: str, fields: dict[str, Any], answer: Any = None) -> Fired:
    async def run() -> Fired:
        env = {"PATH": "/usr/bin:/bin", "HOME": "/"}
        async with HookEngine.load(
            "/", settings=[found] if isinstance(found, dict) else [], env=env
        ) as engine:

            async def answers(_event: Any) -> Any:
                return answer

            engine.on(event, answers)
            return await engine.fire(event, **fields)

    return asyncio.run(run())


@QUICK
@given(SETTINGS, EVENT, st.dictionaries(st.text(max_size=10), JSON, max_size=4))
def test_settings_and_inputs(found: dict[str, Any], event: str, fields: dict[str, Any]) -> None:
    assert json.dumps(fired(found, event, fields).output) is not None


@QUICK
@given(EVENT, OUTPUT | JSON)
def test_answers(event: str, answer: Any) -> None:
    result = fired({}, event, {}, answer)
    assert len(result.handlers) == 1


@QUICK
@given(
    EVENT,
    st.integers(-3, 260),
    OUTPUT.map(lambda found: json.dumps(found)) | st.text(max_size=60),
    st.text(max_size=30),
)
def test_exit_codes_and_output(event: str, code: int, stdout: str, stderr: str) -> None:
    reply = classify(event, Command(command="x"), Ended(exit_code=code, stdout=stdout, stderr=stderr))
    assert reply.status in ("success", "error")


@QUICK
@given(
    st.text(max_size=30) | st.from_regex(r"[\[\]().*+?{}|^$\\a-z<>=!:0-9-]{0,20}", fullmatch=True),
    st.text(max_size=20),
)
def test_matchers(matcher: str, value: str) -> None:
    try:
        assert matches(matcher, value) in (True, False)
    except PatternError:
        pass


@QUICK
@given(st.text(max_size=40), st.text(max_size=60), st.sampled_from(["Bash", "Write", "mcp__a__b"]))
def test_conditions(condition: str, text: str, tool: str) -> None:
    payload = {"tool_name": tool, "tool_input": {"command": text, "file_path": text}, "cwd": "/work"}
    assert holds(f"{tool}({condition})", "PreToolUse", payload, "/work", "/home") in (True, False)


@QUICK
@given(
    st.text(max_size=80)
    | st.from_regex(r"([a-z-]{1,4}:? ?[|>\"'\[{]?[a-z]{0,4}\n {0,4}){0,6}", fullmatch=True)
)
def test_front_matter(text: str) -> None:
    try:
        load(text)
    except ValueError:
        pass


@pytest.mark.parametrize("content", [b"", b"\xff", b"[", b"null", b"5", b'{"hooks": 5}', b"[" * 100_000])
def test_settings_that_are_no_settings(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    found = read_file(path, "project")
    assert found is not None
    assert not found.registered
    assert bool(found.problems) is bool(content)
