"""PreToolUse, PermissionRequest and what comes after tools: answers in every combination."""

import json
from typing import Any

from scenario import DONE, Handler, Scenario, bash, note, on, says, tells, together
from scripted_model import ToolUse, Turn

from scenarios.parts import ASK, BATCH, BLOCK, POST, PRE, STOP, after_each_other, own


def asked(name: str, *handlers: Handler, **options: Any) -> Scenario:
    turns = (bash("touch made"), DONE)
    return Scenario(f"request {name}", {ASK: [on("*", *handlers)]}, turns, asks=True, **options)


def pre(name: str, *handlers: Handler, **options: Any) -> Scenario:
    return Scenario(f"pre {name}", {PRE: [on("Bash", *handlers)]}, **options)


def batch(name: str, *handlers: Handler, **options: Any) -> Scenario:
    found = {BATCH: [on(None, *handlers)], STOP: [on(None, note("stop"))]}
    return Scenario(f"batch {name}", found, **options)


def says_over_mcp(text: str, id: str = "t1") -> Turn:  # noqa: A002 - the protocol's word
    return [ToolUse("mcp__srv__say", {"text": text}, id)]


ONE_BY_ONE = [
    asked("deny without words", tells("a", ASK, decision={"behavior": "deny"})),
    asked("deny with empty words", tells("a", ASK, decision={"behavior": "deny", "message": ""})),
    asked(
        "deny with a context",
        says(
            "a",
            {
                "systemMessage": "m",
                **own(ASK, decision={"behavior": "deny", "message": "x"}, additionalContext="c"),
            },
        ),
    ),
    asked(
        "allow with rules",
        tells(
            "a",
            ASK,
            decision={
                "behavior": "allow",
                "updatedPermissions": [
                    {
                        "type": "addRules",
                        "rules": [{"toolName": "Bash", "ruleContent": "touch *"}],
                        "behavior": "allow",
                        "destination": "session",
                    }
                ],
            },
        ),
    ),
    asked("allow with bad rules", tells("a", ASK, decision={"behavior": "allow", "updatedPermissions": "x"})),
    asked("allow with exit 1", tells("a", ASK, "; exit 1", decision={"behavior": "allow"})),
    asked("allow with exit 2", tells("a", ASK, "; exit 2", decision={"behavior": "allow"})),
    asked(
        "deny with exit 2",
        tells("a", ASK, "; echo err >&2; exit 2", decision={"behavior": "deny", "message": "m"}),
    ),
    asked("block", says("a", BLOCK)),
    asked("approve", says("a", {"decision": "approve"})),
    asked("permissionDecision", tells("a", ASK, permissionDecision="allow")),
    asked("decision as text", tells("a", ASK, decision="allow")),
    asked("a time-out", note("a", "sleep 9", timeout=0.5)),
    asked("a time-out that blocks", note("a", "sleep 9", timeout=0.5, onFailure="block")),
    asked(
        "by condition",
        {**tells("a", ASK, decision={"behavior": "allow"}), "if": "Bash(touch *)"},
        {**tells("b", ASK, decision={"behavior": "deny", "message": "x"}), "if": "Bash(rm *)"},
    ),
    asked(
        "silence and then a deny",
        note("a"),
        tells("b", ASK, before="sleep 0.4; ", decision={"behavior": "deny", "message": "late"}),
    ),
    asked(
        "interrupt as text",
        tells("a", ASK, decision={"behavior": "deny", "message": "x", "interrupt": "yes"}),
    ),
    asked("a question", {"type": "prompt", "prompt": "ok?"}, judge='{"ok": false, "reason": "no"}'),
    asked(
        "allow over http",
        {"type": "http", "url": "<server>/a"},
        responses={"a": (200, json.dumps(own(ASK, decision={"behavior": "allow"})))},
    ),
    Scenario(
        "pre ask and then a request",
        {
            PRE: [on("*", tells("p", PRE, permissionDecision="ask"))],
            ASK: [on("*", tells("a", ASK, decision={"behavior": "allow"}))],
        },
        (bash("touch made"), DONE),
        asks=True,
    ),
    pre(
        "ask twice",
        tells("a", PRE, permissionDecision="ask", permissionDecisionReason="one"),
        tells("b", PRE, before="sleep 0.4; ", permissionDecision="ask", permissionDecisionReason="two"),
    ),
    pre(
        "allow twice with rewrites",
        tells("a", PRE, permissionDecision="allow", updatedInput={"command": "echo one"}),
        tells(
            "b", PRE, before="sleep 0.4; ", permissionDecision="allow", updatedInput={"command": "echo two"}
        ),
    ),
    pre(
        "deny beside a rewrite",
        tells("a", PRE, updatedInput={"command": "echo one"}),
        tells("b", PRE, before="sleep 0.4; ", permissionDecision="deny", permissionDecisionReason="no"),
    ),
    pre(
        "ask beside a rewrite",
        tells("a", PRE, updatedInput={"command": "echo one"}),
        tells("b", PRE, before="sleep 0.4; ", permissionDecision="ask", permissionDecisionReason="hm"),
    ),
    pre(
        "exit 2 beside a later deny",
        note("a", "echo first >&2; exit 2"),
        tells("b", PRE, before="sleep 0.4; ", permissionDecision="deny", permissionDecisionReason="second"),
    ),
    pre(
        "deny beside a later exit 2",
        tells("a", PRE, permissionDecision="deny", permissionDecisionReason="first"),
        note("b", "sleep 0.4; echo second >&2; exit 2"),
    ),
    pre(
        "halt beside a deny",
        says("a", {"continue": False, "stopReason": "s"}),
        note("b", "sleep 0.4; exit 2"),
    ),
    pre(
        "halt beside a context",
        says("a", {"continue": False, "stopReason": "s"}),
        tells("b", PRE, before="sleep 0.4; ", additionalContext="c"),
    ),
    pre(
        "several broken hooks",
        note("a", "exit 127"),
        note("b", "exit 126"),
        note("c", "sleep 9", timeout=0.4),
    ),
    pre("a rewrite with more", tells("a", PRE, updatedInput={"command": "echo new", "nonsense": 1})),
    Scenario(
        "batch of two",
        {BATCH: [on(None, note("a"))], POST: [on("*", note("post"))]},
        (
            [ToolUse("Bash", {"command": "echo one"}, "t1"), ToolUse("Bash", {"command": "echo two"}, "t2")],
            DONE,
        ),
    ),
    Scenario(
        "a failing call in a batch",
        {
            BATCH: [on(None, note("a"))],
            POST: [on("*", note("post"))],
            "PostToolUseFailure": [on("*", note("f"))],
        },
        (
            [ToolUse("Bash", {"command": "echo one"}, "t1"), ToolUse("Bash", {"command": "exit 3"}, "t2")],
            DONE,
        ),
    ),
    batch("exit 2 with a context", says("a", own(BATCH, additionalContext="c"), "; echo err >&2; exit 2")),
    batch("block with a context", says("a", {**BLOCK, **own(BATCH, additionalContext="c")})),
    batch("block without a reason", says("a", {"decision": "block"})),
    batch("exit 1", note("a", "exit 1")),
    batch("a failure that blocks", note("a", "exit 1", onFailure="block")),
    batch("plain", says("a", "plain")),
    batch("wrong types", *after_each_other(BATCH, "additionalContext")),
    Scenario(
        "post halt beside a block",
        {
            POST: [
                on(
                    "*",
                    says("a", {"continue": False, "stopReason": "s"}),
                    note("b", "sleep 0.3; echo wrong >&2; exit 2"),
                )
            ]
        },
    ),
    Scenario(
        "post a time-out that blocks", {POST: [on("*", note("a", "sleep 9", timeout=0.4, onFailure="block"))]}
    ),
    Scenario(
        "post a rewrite and a block",
        {
            POST: [
                on(
                    "*",
                    says(
                        "a",
                        {
                            **BLOCK,
                            **own(
                                POST, updatedToolOutput={"stdout": "new", "stderr": "", "interrupted": False}
                            ),
                        },
                    ),
                )
            ]
        },
    ),
    Scenario(
        "post mcp",
        {POST: [on("mcp__.*", tells("a", POST, updatedMCPToolOutput="changed"))]},
        (says_over_mcp("hello", "t1"), DONE),
        mcp=True,
    ),
    Scenario(
        "post mcp blocks",
        {POST: [on("mcp__.*", tells("a", POST, updatedMCPToolOutput=[{"type": "text", "text": "changed"}]))]},
        (says_over_mcp("hello", "t1"), DONE),
        mcp=True,
    ),
    Scenario(
        "post mcp by the common field",
        {POST: [on("mcp__.*", tells("a", POST, updatedToolOutput="changed"))]},
        (says_over_mcp("hello", "t1"), DONE),
        mcp=True,
    ),
    Scenario(
        "post mcp by both fields",
        {POST: [on("mcp__.*", tells("a", POST, updatedToolOutput="one", updatedMCPToolOutput="two"))]},
        (says_over_mcp("hello", "t1"), DONE),
        mcp=True,
    ),
    Scenario(
        "mcp deny and failure",
        {
            PRE: [
                on(
                    "mcp__srv__say",
                    note("pre", "if grep -q deny; then exit 2; fi", **{"if": "mcp__srv__say"}),
                )
            ],
            "PostToolUseFailure": [on("mcp__.*", note("f"))],
            POST: [on("mcp__.*", note("p"))],
        },
        (says_over_mcp("fail it", "t2"), says_over_mcp("fine", "t3"), DONE),
        mcp=True,
    ),
]

REQUESTS = [scenario for scenario in ONE_BY_ONE if scenario.name.startswith("request ")]
BEFORE = [scenario for scenario in ONE_BY_ONE if scenario.name.startswith("pre ")]
SCENARIOS = [
    *together("before a tool once more", PRE, sorted(BEFORE, key=lambda scenario: scenario.asks)),
    *together("requests once more", ASK, REQUESTS),
    *(scenario for scenario in ONE_BY_ONE if scenario not in BEFORE + REQUESTS),
]
