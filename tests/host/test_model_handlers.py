"""Handlers that ask a model, and those that call an MCP server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire, settings

from hookd import config
from hookd.host.runners.mcp_tool import filled
from hookd.llm.check import filled as filled_prompt
from model_server import Request, serving
from model_server import says as model_says
from secrets_made_up import GITHUB_TOKEN


def says(answer: dict[str, Any] | str, keep: Path | None = None) -> config.Model:
    """A model that is a program with one answer; what it was asked can be kept."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    line = f"cat > {keep or '/dev/null'}; printf '%s' '{text}'"
    return config.Model(provider="command", command=["/bin/sh", "-c", line])


@pytest.mark.parametrize(
    ("event", "options", "blocked", "halted"),
    [
        ("PreToolUse", {}, True, True),
        ("PreToolUse", {"continueOnBlock": True}, True, False),
        ("PostToolUse", {}, False, True),
        ("PostToolUse", {"continueOnBlock": True}, False, False),
        ("Stop", {}, True, False),
        ("UserPromptSubmit", {}, True, True),
        ("PostToolUseFailure", {}, False, False),
        ("PermissionRequest", {}, False, False),
    ],
)
def test_what_a_no_does(fire: Fire, event: str, options: dict[str, Any], blocked: bool, halted: bool) -> None:
    found = settings(event, {"type": "prompt", "prompt": "Fine?", **options})
    fired = fire(found, event, BASH, model=says({"ok": False, "reason": "too late"}))
    assert (fired.blocked, fired.halted) == (blocked, halted)
    assert not fire(found, event, BASH, model=says({"ok": True, "reason": ""})).blocked


def test_a_stop_that_is_impossible_to_refuse(fire: Fire) -> None:
    found = settings("Stop", {"type": "prompt", "prompt": "All done?"})
    answer = {"ok": False, "reason": "never", "impossible": True}
    assert not fire(found, "Stop", {}, model=says(answer)).blocked


def test_no_usable_answer_stops_nothing(fire: Fire) -> None:
    found = settings("PreToolUse", {"type": "prompt", "prompt": "Fine?"})
    for model in (None, says("nonsense"), says({"verdict": "deny"})):
        fired = fire(found, model=model)
        assert not fired.blocked
        assert fired.handlers[0].outcome == "error"


def test_a_model_is_shown_no_secrets(fire: Fire, tmp_path: Path) -> None:
    found = settings("PreToolUse", {"type": "prompt", "prompt": "Fine? $ARGUMENTS"})
    fields = {**BASH, "tool_input": {"command": f"curl -H 'Authorization: {GITHUB_TOKEN}' example.com"}}
    fire(found, fields=fields, model=says({"ok": True, "reason": ""}, tmp_path / "asked"))
    asked = (tmp_path / "asked").read_text()
    assert "curl" in asked
    assert GITHUB_TOKEN not in asked


@pytest.mark.parametrize(
    ("text", "whole"),
    [("a $ARGUMENTS b", "a {} b"), ("a", "a\n\n{}"), (r"a \$ARGUMENTS", "a $ARGUMENTS\n\n{}")],
)
def test_where_the_input_goes(text: str, whole: str) -> None:
    assert filled_prompt(text, "{}") == whole


def test_an_agent_looks_around_and_stays_inside(fire: Fire, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(f"the word is {GITHUB_TOKEN} xyzzy")
    (tmp_path / "key").write_text("dummy")
    (tmp_path / "key").chmod(0o600)
    calls = [
        ("Read", {"path": "notes.md"}),
        ("Read", {"path": "/etc/passwd"}),
        ("Glob", {"pattern": "*.md"}),
        ("Grep", {"pattern": "xyz+y", "path": "."}),
        ("give_result", {"ok": False, "reason": "it has the word"}),
    ]

    def reply(request: Request) -> Any:
        name, given = calls[len(request.body["messages"]) // 2]
        block = {"type": "tool_use", "id": "t", "name": name, "input": given}
        return model_says(request, "")._replace(
            body=json.dumps({"content": [block], "stop_reason": "tool_use"}).encode()
        )

    with serving(reply) as server:
        model = config.Model(
            provider="anthropic", model="m", base_url=server.url, key_file=str(tmp_path / "key")
        )
        fired = fire(settings("PreToolUse", {"type": "agent", "prompt": "Is the word there?"}), model=model)
    assert fired.reason == "it has the word"
    assert not fired.halted, "an agent's no lets the turn go on"
    *_, last = server.requests
    results = [
        m["content"][0]["content"]
        for m in last.body["messages"]
        if isinstance(m["content"], list) and m["role"] == "user"
    ]
    assert "xyzzy" in results[0]
    assert GITHUB_TOKEN not in results[0]
    assert "outside" in results[1]
    assert results[2] == "notes.md"
    assert results[3].startswith("notes.md:1:")


def test_the_input_of_a_tool() -> None:
    given = {"path": "${tool_input.file_path}", "all": ["${tool_input}"], "none": "x${nothing.there}", "n": 1}
    payload = {"tool_input": {"file_path": "/a"}}
    wanted = {"path": "/a", "all": ['{"file_path":"/a"}'], "none": "x", "n": 1}
    assert filled(given, payload) == wanted


def test_a_server_that_is_not_there(fire: Fire) -> None:
    found = settings("PreToolUse", {"type": "mcp_tool", "server": "none", "tool": "x"})
    fired = fire(found, mcp_servers={})
    assert not fired.blocked
    assert "not connected" in fired.handlers[0].problem


SERVER = """
from mcp.server import MCPServer
server = MCPServer("checks")

@server.tool()
def check(command: str) -> str:
    return '{"decision": "block", "reason": "checked ' + command + '"}'

@server.tool()
def broken() -> str:
    raise ValueError("broken")

server.run()
"""


def test_a_tool_of_a_real_server(fire: Fire, tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="an extra: pip install 'hookd[mcp]'")
    (tmp_path / "server.py").write_text(SERVER)
    servers = {"checks": {"command": sys.executable, "args": [str(tmp_path / "server.py")]}}
    handler = {
        "type": "mcp_tool",
        "server": "checks",
        "tool": "check",
        "input": {"command": "${tool_input.command}"},
    }
    fired = fire(settings("PreToolUse", handler), mcp_servers=servers)
    assert fired.reason == "checked ls -l"
    failed = fire(settings("PreToolUse", {**handler, "tool": "broken"}), mcp_servers=servers)
    assert failed.handlers[0].outcome == "error"
