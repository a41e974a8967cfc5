"""Handlers that ask a model, and those that call an MCP server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire, settings

from hookd import config
from hookd.host import Fired
from hookd.host.runners.mcp_tool import filled
from hookd.llm.check import filled as filled_prompt
from model_server import ModelServer, Reply, Request, serving
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


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"path": "notes.md"}),
    ("Read", {"path": "/etc/passwd"}),
    ("Glob", {"pattern": "*.md"}),
    ("Grep", {"pattern": "xyz+y", "path": "."}),
    ("give_result", {"ok": False, "reason": "it has the word"}),
]
"""What the models of the following tests call, one tool a turn."""


def by_messages(request: Request) -> Reply:
    name, given = CALLS[len(request.body["messages"]) // 2]
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    return Reply(json.dumps({"content": [block], "stop_reason": "tool_use"}).encode())


def by_chat(request: Request) -> Reply:
    done = [message for message in request.body["messages"] if message["role"] == "tool"]
    assert [tool["function"]["name"] for tool in request.body["tools"]][-1] == "give_result"
    name, given = CALLS[len(done)]
    function = {"name": name, "arguments": json.dumps(given)}
    call = {"id": f"c{len(done)}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Reply(json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode())


def results(request: Request) -> list[str]:
    """What the tools gave, as the model was told."""
    told = request.body["messages"]
    if request.path.endswith("/v1/messages"):
        return [message["content"][0]["content"] for message in told[2::2]]
    calls = [call["id"] for message in told for call in message.get("tool_calls", ())]
    given = [message for message in told if message["role"] == "tool"]
    assert calls == [message["tool_call_id"] for message in given], "each call has its result"
    return [message["content"] for message in given]


def project_with_a_word(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "notes.md").write_text(f"the word is {GITHUB_TOKEN} xyzzy")
    (tmp_path / "key").write_text("dummy")
    (tmp_path / "key").chmod(0o600)
    return settings("PreToolUse", {"type": "agent", "prompt": "Is the word there?"})


def endpoint(provider: Any, server: ModelServer, tmp_path: Path) -> config.Model:
    return config.Model(provider=provider, model="m", base_url=server.url, key_file=str(tmp_path / "key"))


def check_what_was_seen(fired: Fired, seen: list[str]) -> None:
    assert fired.reason == "it has the word", fired.notes
    assert not fired.halted, "an agent's no lets the turn go on"
    read, outside, listed, found = seen
    assert "xyzzy" in read and GITHUB_TOKEN not in read
    assert "outside" in outside
    assert listed == "notes.md"
    assert found.startswith("notes.md:1:")


@pytest.mark.parametrize(("provider", "reply"), [("anthropic", by_messages), ("openai", by_chat)])
def test_an_agent_looks_around_and_stays_inside(
    fire: Fire, tmp_path: Path, provider: str, reply: Any
) -> None:
    found = project_with_a_word(tmp_path)
    with serving(reply) as server:
        fired = fire(found, model=endpoint(provider, server, tmp_path))
    check_what_was_seen(fired, results(server.requests[-1]))


PROGRAM = """
import json, pathlib, sys
asked = sys.stdin.read()
gave = [json.loads(line.partition(" gave: ")[2]) for line in asked.splitlines() if " gave: " in line]
pathlib.Path(sys.argv[1]).write_text(json.dumps(gave))
assert '"pattern"' in asked, "the tools are described"
name, given = json.loads(sys.argv[2])[len(gave)]
print(json.dumps(given if name == "give_result" else {"tool": name, "input": given}))
"""


def test_a_program_looks_around_by_printing_what_it_wants(
    fire: Fire, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = project_with_a_word(tmp_path)
    program, kept = (tmp_path_factory.mktemp("beside") / name for name in ("program", "gave"))
    program.write_text(PROGRAM)
    line = [sys.executable, str(program), str(kept), json.dumps(CALLS)]
    fired = fire(found, model=config.Model(provider="command", command=line))
    check_what_was_seen(fired, json.loads(kept.read_text()))


def test_an_endpoint_whose_model_has_no_tools_says_so(fire: Fire, tmp_path: Path) -> None:
    said = Reply(b'{"error": "this model does not support tools"}', 400)
    with serving(lambda _request: said) as server:
        fired = fire(project_with_a_word(tmp_path), model=endpoint("openai", server, tmp_path))
    assert not fired.blocked
    assert "this model does not support tools" in fired.handlers[0].problem


def test_a_call_that_makes_no_sense_and_an_answer_without_one_cost_a_turn_each(
    fire: Fire, tmp_path: Path
) -> None:
    broken = {"id": "c", "type": "function", "function": {"name": "Read", "arguments": "{"}}
    right = broken | {"function": {"name": "give_result", "arguments": '{"ok": false, "reason": "done"}'}}
    turns = [{"content": "I think so."}, {"tool_calls": [broken]}, {"tool_calls": [right]}]

    def reply(request: Request) -> Reply:
        done = sum(message["role"] == "assistant" for message in request.body["messages"])
        return Reply(json.dumps({"choices": [{"message": turns[done]}]}).encode())

    with serving(reply) as server:
        fired = fire(project_with_a_word(tmp_path), model=endpoint("openai", server, tmp_path))
    assert fired.reason == "done"
    *_, aloud, insisted, nothing, told = [each["content"] for each in server.requests[-1].body["messages"]]
    assert (aloud, insisted, nothing) == ("I think so.", "Call give_result now.", "")
    assert "its input is no object" in told


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
