"""SessionStart, UserPromptSubmit and SessionEnd."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, says, tells

START = "SessionStart"
PROMPT = "UserPromptSubmit"
END = "SessionEnd"


def prompt(name: str, *handlers: dict[str, Any]) -> Scenario:
    return Scenario(f"prompt {name}", {PROMPT: [on(None, *handlers)]}, (DONE,))


def start(name: str, *handlers: dict[str, Any], turns: Any = (DONE,)) -> Scenario:
    return Scenario(f"start {name}", {START: [on("*", *handlers)]}, turns)


SCENARIOS = [
    prompt("input", note("a")),
    prompt("plain output is context", says("a", "plain words")),
    prompt("an array is plain output", says("a", "[1, 2]")),
    prompt("half an object is plain output", says("a", "{open")),
    prompt("broken JSON is not", says("a", "{broken}")),
    prompt("output of a failure is not", says("a", "words", "; exit 1")),
    prompt("context", tells("a", PROMPT, additionalContext="known")),
    prompt(
        "contexts",
        says("a", "first"),
        tells("b", PROMPT, before="sleep 0.3; ", additionalContext="second"),
        tells("c", PROMPT, before="sleep 0.6; ", additionalContext="third"),
    ),
    prompt("exit 2", note("a", "echo no >&2; exit 2")),
    prompt("exit 2 cuts the others short", note("a", "sleep 0.7; exit 2"), note("b", "sleep 9; touch late")),
    prompt("block", says("a", {"decision": "block", "reason": "not that"})),
    prompt("continue false", says("a", {"continue": False, "stopReason": "later"})),
    prompt("a failure that blocks", note("a", "exit 1", onFailure="block")),
    start("plain output is context", says("a", "plain words")),
    start(
        "contexts",
        tells("a", START, additionalContext="one"),
        tells("b", START, before="sleep 0.4; ", additionalContext="two"),
    ),
    start("exit 2 stops nothing", note("a", "echo bad >&2; exit 2")),
    start("continue false does nothing", says("a", {"continue": False, "stopReason": "no"})),
    start("first message", tells("a", START, initialUserMessage="before all"), turns=(DONE, DONE)),
    start(
        "exports",
        note("a", "echo 'export FOUND=here' >> \"$CLAUDE_ENV_FILE\""),
        turns=(bash('echo "found=$FOUND"'), DONE),
    ),
    Scenario(
        "start by source",
        {START: [on("startup", note("a")), on("resume", note("b")), on("startup|resume", note("c"))]},
        (DONE,),
    ),
    Scenario("end by reason", {END: [on("other", note("a")), on("clear", note("b"))]}, (DONE,)),
    Scenario("end within its time", {END: [on("*", note("a", "sleep 5; touch late"))]}, (DONE,)),
    Scenario(
        "end with a time of its own", {END: [on("*", note("a", "sleep 2; touch late", timeout=8))]}, (DONE,)
    ),
    Scenario(
        "end with a time from the environment",
        {END: [on("*", note("a", "sleep 2; touch late"))]},
        (DONE,),
        env={"CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "8000"},
    ),
    Scenario(
        "every step",
        {
            event: [on(None, note(event))]
            for event in (START, PROMPT, "PreToolUse", "PostToolUse", "PostToolBatch", "Stop", END)
        },
    ),
]
