"""Handlers that are no commands: HTTP and questions to a model."""

import json
from typing import Any

from scenario import DONE, Scenario, bash, note, on

PRE = "PreToolUse"
DENY = json.dumps(
    {
        "hookSpecificOutput": {
            "hookEventName": PRE,
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }
    }
)


def http(name: str, status: int, body: str, event: str = PRE, **options: Any) -> Scenario:
    handler = {"type": "http", "url": "<server>/a", **options}
    settings = options.pop("settings", {})
    handler.pop("settings", None)
    return Scenario(
        f"http {name}",
        {event: [on(None, handler)]},
        settings=settings,
        responses={"a": (status, body), "b": (200, DENY)},
    )


def prompt(name: str, answer: dict[str, Any] | str, event: str = PRE, **options: Any) -> Scenario:
    handler = {"type": "prompt", "prompt": "Is this all right?", **options}
    return Scenario(
        f"question {name}",
        {event: [on(None, handler)]},
        (bash("touch made"), DONE, DONE) if event != "Stop" else (DONE,),
        judge=answer if isinstance(answer, str) else json.dumps(answer),
    )


NO = {"ok": False, "reason": "not like this"}
SCENARIOS = [
    http("deny", 200, DENY),
    http("nothing", 200, ""),
    http("plain text", 200, "plain words"),
    http("a list", 200, "[1]"),
    http("wrong type", 200, json.dumps({"decision": 5})),
    http("an error with a deny", 500, DENY),
    http("refused", 403, "no"),
    http("a redirect", 302, "b"),
    http(
        "context",
        200,
        json.dumps({"hookSpecificOutput": {"hookEventName": PRE, "additionalContext": "by http"}}),
    ),
    http("continue false", 200, json.dumps({"continue": False, "stopReason": "x"})),
    http("no session starts over it", 200, "", "SessionStart"),
    http(
        "prompt context",
        200,
        json.dumps(
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "by http"}}
        ),
        "UserPromptSubmit",
    ),
    http("prompt text is no context", 200, "plain", "UserPromptSubmit"),
    http("an error that blocks", 500, "", onFailure="block"),
    http("not on the list", 200, DENY, settings={"allowedHttpHookUrls": ["https://example.com/*"]}),
    http("on the list", 200, DENY, settings={"allowedHttpHookUrls": ["http://127.0.0.1:*"]}),
    http("an empty list", 200, DENY, settings={"allowedHttpHookUrls": []}),
    Scenario(
        "http named twice",
        {
            PRE: [
                on("*", {"type": "http", "url": "<server>/a"}),
                on("Bash", {"type": "http", "url": "<server>/a", "timeout": 5}),
            ]
        },
        responses={"a": (200, "")},
    ),
    Scenario(
        "http beside a command",
        {PRE: [on("*", {"type": "http", "url": "<server>/a"}, note("command"))]},
        responses={"a": (200, DENY)},
    ),
    Scenario("http to nobody", {PRE: [on("*", {"type": "http", "url": "http://127.0.0.1:1/x"}, note("a"))]}),
    prompt("yes", {"ok": True, "reason": "fine"}),
    prompt("no", NO),
    prompt("no, and go on", NO, continueOnBlock=True),
    prompt("after the tool", NO, "PostToolUse"),
    prompt("after the tool, and go on", NO, "PostToolUse", continueOnBlock=True),
    prompt("nonsense", "nonsense"),
    prompt("about a prompt", NO, "UserPromptSubmit"),
    prompt("about stopping", {"ok": True, "reason": "done"}, "Stop"),
    prompt("an impossible wish", {"ok": False, "reason": "never", "impossible": True}, "Stop"),
]
