"""PostToolUse, PostToolUseFailure and PostToolBatch."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, says, tells, together

POST = "PostToolUse"
FAILURE = "PostToolUseFailure"
BATCH = "PostToolBatch"
FAILING = (bash("echo out; exit 3"), DONE)
WHOLE = {"stdout": "masked", "stderr": "", "interrupted": False}


def post(name: str, *handlers: dict[str, Any]) -> Scenario:
    return Scenario(f"post {name}", {POST: [on("Bash", *handlers)]})


def failure(name: str, *handlers: dict[str, Any]) -> Scenario:
    return Scenario(f"failure {name}", {FAILURE: [on("Bash", *handlers)]}, FAILING)


def batch(name: str, *handlers: dict[str, Any]) -> Scenario:
    return Scenario(f"batch {name}", {BATCH: [on(None, *handlers)], "Stop": [on(None, note("stop"))]})


ONE_BY_ONE = [
    post("context", tells("a", POST, additionalContext="noted")),
    post(
        "contexts stay apart",
        tells("a", POST, additionalContext="one"),
        tells("b", POST, before="sleep 0.4; ", additionalContext="two"),
    ),
    post("plain output is not for the model", says("a", "words")),
    post("exit 2", note("a", "echo wrong >&2; exit 2")),
    post("exit 2 without a word", note("a", "exit 2")),
    post("block", says("a", {"decision": "block", "reason": "redo"})),
    post("block without a reason", says("a", {"decision": "block"})),
    post("block beside a message", says("a", {"decision": "block", "reason": "r", "systemMessage": "psst"})),
    post("exit 1", note("a", "echo wrong >&2; exit 1")),
    post("a failure that blocks", note("a", "exit 1", onFailure="block")),
    post("new output", tells("a", POST, updatedToolOutput=WHOLE)),
    post("new output of another shape", tells("a", POST, updatedToolOutput="masked")),
    post(
        "two new outputs",
        tells("a", POST, updatedToolOutput=WHOLE),
        tells("b", POST, before="sleep 0.4; ", updatedToolOutput={**WHOLE, "stdout": "second"}),
    ),
    post("continue false", says("a", {"continue": False, "stopReason": "enough"})),
    post(
        "permissionDecision is not for it",
        says("a", {"hookSpecificOutput": {"hookEventName": POST, "permissionDecision": "deny"}}),
    ),
    failure("input", note("a")),
    failure("context", tells("a", FAILURE, additionalContext="try again")),
    failure("exit 2", note("a", "echo wrong >&2; exit 2")),
    failure("block", says("a", {"decision": "block", "reason": "redo"})),
    failure("continue false does nothing", says("a", {"continue": False})),
    Scenario(
        "failure is not a success", {POST: [on("*", note("post"))], FAILURE: [on("*", note("f"))]}, FAILING
    ),
    Scenario(
        "a refused call has no result to look at",
        {
            "PreToolUse": [on("*", note("pre", "exit 2"))],
            POST: [on("*", note("post"))],
            FAILURE: [on("*", note("failure"))],
            BATCH: [on(None, note("batch"))],
        },
    ),
    batch("context", tells("a", BATCH, additionalContext="together")),
    batch(
        "contexts",
        tells("a", BATCH, additionalContext="one"),
        tells("b", BATCH, before="sleep 0.4; ", additionalContext="two"),
    ),
    batch("exit 2", note("a", "echo stop >&2; exit 2")),
    batch("block", says("a", {"decision": "block", "reason": "stop"})),
    batch("continue false", says("a", {"continue": False})),
    Scenario(
        "a halt before the batch",
        {POST: [on("*", says("a", {"continue": False}))], BATCH: [on(None, note("batch"))]},
    ),
    Scenario(
        "rewritten input reaches the hooks after",
        {
            "PreToolUse": [on("*", tells("a", "PreToolUse", updatedInput={"command": "echo other"}))],
            POST: [on("*", note("post"))],
            BATCH: [on(None, note("batch"))],
        },
    ),
]

AFTER_FAILURES = [scenario for scenario in ONE_BY_ONE if scenario.turns == FAILING]
SCENARIOS = [
    *together("after a tool", POST, [scenario for scenario in ONE_BY_ONE if scenario not in AFTER_FAILURES]),
    *together("after a failure", FAILURE, AFTER_FAILURES),
]
