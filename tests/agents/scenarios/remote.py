"""Handlers elsewhere: HTTP, tools of MCP servers, questions to a model."""

import json
from typing import Any

from scenario import DONE, Scenario, bash, note, on

from scenarios.parts import (
    END,
    POST,
    PRE,
    PROMPT,
    START,
    STOP,
    hooks,
)

CALL = (bash("echo hi"), DONE, DONE)
BLOCK = json.dumps({"decision": "block", "reason": "no"})


def http(name: str, status: int, body: str, event: str = PRE, **options: Any) -> Scenario:
    settings, env = options.pop("settings", {}), options.pop("env", {})
    turns = options.pop("turns", (bash(), DONE, DONE))
    handler = {"type": "http", "url": "<server>/a", **options}
    found = {event: [on(None, handler)]}
    return Scenario(f"http {name}", found, turns, settings=settings, env=env, responses={"a": (status, body)})


def question(name: str, answer: Any, event: str, turns: Any = CALL) -> Scenario:
    handler = {"type": "prompt", "prompt": "Is this all right? $ARGUMENTS"}
    return Scenario(f"question {name}", {event: [on(None, handler)]}, turns, judge=json.dumps(answer))


SCENARIOS = [
    http("created", 201, BLOCK),
    http("no content", 204, ""),
    http("bad request", 400, BLOCK),
    http("blank", 200, "  \n "),
    http("object", 200, "{}"),
    http("text around", 200, "ok " + BLOCK),
    http("lines", 200, '{"a":1}\n{"b":2}'),
    http("broken", 200, "{broken}"),
    http("a string", 200, '"x"'),
    http("after the tool", 200, BLOCK, POST),
    http("at a prompt", 200, BLOCK, PROMPT),
    http(
        "another event",
        200,
        json.dumps({"hookSpecificOutput": {"hookEventName": POST, "additionalContext": "x"}}),
    ),
    http("at the end", 200, "", END),
    http(
        "stop",
        200,
        json.dumps({"hookSpecificOutput": {"hookEventName": STOP, "additionalContext": "x"}}),
        STOP,
        env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"},
        turns=(DONE,) * 5,
    ),
    http("upper case", 200, BLOCK, settings={"allowedHttpHookUrls": ["HTTP://127.0.0.1:*"]}),
    http("a star", 200, BLOCK, settings={"allowedHttpHookUrls": ["*"]}),
    http("stars around", 200, BLOCK, settings={"allowedHttpHookUrls": ["*127.0.0.1*"]}),
    http("no port", 200, BLOCK, settings={"allowedHttpHookUrls": ["http://127.0.0.1/*"]}),
    http("too short", 200, BLOCK, settings={"allowedHttpHookUrls": ["http://127.0.0.1"]}),
    http("a question mark", 200, BLOCK, settings={"allowedHttpHookUrls": ["http://127.0.0.?:*"]}),
    http("path", 200, BLOCK, settings={"allowedHttpHookUrls": ["http://127.0.0.1:*/a"]}),
    http("other path", 200, BLOCK, settings={"allowedHttpHookUrls": ["http://127.0.0.1:*/b"]}),
    http("asks for time", 200, '{"async": true}'),
    http("asks for time and refuses", 200, '{"async": true, "decision": "block", "reason": "no"}'),
    http("asks for time beside nonsense", 200, '{"async": true, "hookSpecificOutput": "deny", "reason": 3}'),
    Scenario(
        "mcp tool says nothing",
        hooks(
            {"type": "mcp_tool", "server": "srv", "tool": "say", "input": {"text": "hello"}}, matcher="Bash"
        ),
        mcp=True,
    ),
    Scenario(
        "mcp tool blocks",
        hooks(
            {
                "type": "mcp_tool",
                "server": "srv",
                "tool": "say",
                "input": {
                    "text": '{"decision": "block", "reason": "${tool_input.command} ${nothing} ${tool_name}"}'
                },
            },
            matcher="Bash",
        ),
        mcp=True,
    ),
    Scenario(
        "mcp tool fails",
        hooks(
            {"type": "mcp_tool", "server": "srv", "tool": "say", "input": {"text": "fail"}}, matcher="Bash"
        ),
        mcp=True,
    ),
    Scenario(
        "mcp tool without a server",
        hooks({"type": "mcp_tool", "server": "none", "tool": "say"}, note("a"), matcher="Bash"),
        mcp=True,
    ),
    Scenario(
        "mcp tool that is none",
        hooks({"type": "mcp_tool", "server": "srv", "tool": "none"}, note("a"), matcher="Bash"),
        mcp=True,
    ),
    Scenario(
        "mcp tool at a prompt",
        {
            PROMPT: [
                on(
                    None,
                    {"type": "mcp_tool", "server": "srv", "tool": "say", "input": {"text": "plain words"}},
                )
            ],
            START: [
                on(
                    None,
                    {"type": "mcp_tool", "server": "srv", "tool": "say", "input": {"text": "at the start"}},
                )
            ],
            STOP: [
                on(
                    None,
                    {"type": "mcp_tool", "server": "srv", "tool": "say", "input": {"text": "stop words"}},
                )
            ],
        },
        mcp=True,
    ),
    Scenario(
        "mcp tool after the tool",
        hooks(
            {
                "type": "mcp_tool",
                "server": "srv",
                "tool": "say",
                "input": {
                    "text": '{"hookSpecificOutput": {"hookEventName": "PostToolUse",'
                    ' "additionalContext": "got ${tool_response.stdout}"}}'
                },
            },
            event=POST,
            matcher="Bash",
        ),
        mcp=True,
    ),
    question("about a batch", {"ok": False, "reason": "no"}, "PostToolBatch"),
    question(
        "about a failure", {"ok": False, "reason": "no"}, "PostToolUseFailure", (bash("exit 3"), DONE, DONE)
    ),
    question("yes about a stop", {"ok": True}, STOP, (DONE,)),
    question("without a reason", {"ok": False}, PRE),
    question("ok as text", {"ok": "false", "reason": "x"}, PRE),
    question("more fields", {"ok": True, "reason": "x", "more": 1}, PRE),
    question("a list", [1], PRE),
    Scenario(
        "question about a stop once",
        {STOP: [on(None, {"type": "prompt", "prompt": "ok?"})]},
        (DONE,) * 5,
        judge='{"ok": false, "reason": "more"}',
        env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"},
    ),
]
