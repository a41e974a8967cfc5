"""Stop and subagents: answers in every combination."""

from collections.abc import Sequence
from typing import Any

from scenario import DONE, Handler, Hooks, Scenario, note, on, says, tells
from scripted_model import Text, ToolUse, Turn

from scenarios.parts import (
    BLOCK,
    POST,
    PRE,
    STOP,
    SUB_START,
    SUB_STOP,
    in_turn,
    out,
    own,
)
from scenarios.stopping import once

MARK = "SUBAGENT-TASK"
LOOK = {"subagent_type": "general-purpose", "description": "looks", "prompt": f"{MARK} look"}
CALL = [ToolUse("Agent", {**LOOK, "run_in_background": False}, "agent")]


def stop(name: str, *handlers: Handler, turns: Sequence[Turn] = (DONE,) * 6, **options: Any) -> Scenario:
    return Scenario(f"stop {name}", {STOP: [on(None, *handlers)]}, turns, **options)


def sub(name: str, found: Hooks, *turns: Turn, **options: Any) -> Scenario:
    return Scenario(
        f"subagent {name}", found, (CALL, DONE), subagents={MARK: turns or ([Text("Seen.")],)}, **options
    )


SCENARIOS = [
    stop(
        "answers in turn",
        in_turn(
            "a",
            out({**BLOCK, **own(STOP, additionalContext="c")}),
            out({**BLOCK, "systemMessage": "m"}),
            out(own(STOP, additionalContext="c"), 1),
            out(BLOCK, 2, "err"),
            out(own(STOP, additionalContext="c"), 2, "err"),
            out("plain", 2, "err"),
            out("{bad}", 2, "err"),
            out("", 2, "one\\ntwo\\n"),
            out({"decision": "block", "reason": ""}),
            out({"decision": "block", "reason": "a\nb"}),
            out(BLOCK, 1),
            out({"decision": "block", "reason": "x" * 12000}),
            out("", 2, "y" * 10500),
            out(own(STOP, additionalContext="z" * 10500)),
            out({"reason": "only"}),
        ),
        turns=(DONE,) * 16,
        env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"},
    ),
    *(
        stop(f"lets go {i}", says("a", o))
        for i, o in enumerate(
            (
                {"decision": "approve", "reason": "r"},
                {"decision": 5},
                {"decision": "block", "reason": 5},
                own(STOP, additionalContext=""),
                own(STOP, additionalContext=5),
                {"systemMessage": "m"},
                own(SUB_STOP, additionalContext="c"),
                {"continue": False, **own(STOP, additionalContext="c")},
            )
        )
    ),
    stop(
        "two contexts",
        tells("a", STOP, before=once("a"), additionalContext="one"),
        tells("b", STOP, before=once("b") + "sleep 0.4; ", additionalContext="two"),
    ),
    stop("one lets go", note("a"), note("b", once("b") + "echo more >&2; exit 2")),
    stop("a time-out", note("a", "sleep 9", timeout=0.5)),
    stop("a cap of one", note("a", "exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"}),
    stop("a cap that is none", note("a", once("a") + "exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "x"}),
    stop("a negative cap", note("a", once("a") + "exit 2"), env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "-1"}),
    stop("contexts for ever", tells("a", STOP, additionalContext="again"), turns=(DONE,) * 12),
    stop("text in parts", note("a"), turns=([Text("One."), Text("Two.")],)),
    sub(
        "block by JSON",
        {SUB_STOP: [on("*", says("a", BLOCK, before=once("a")))]},
        [Text("Seen.")],
        [Text("Seen more.")],
    ),
    sub(
        "context at its end",
        {SUB_STOP: [on("*", tells("a", SUB_STOP, before=once("a"), additionalContext="c"))]},
        [Text("Seen.")],
        [Text("Seen more.")],
    ),
    sub(
        "continue false at its end", {SUB_STOP: [on("*", says("a", {"continue": False, "stopReason": "s"}))]}
    ),
    sub(
        "two contexts at its start",
        {
            SUB_START: [
                on(
                    "*",
                    tells("a", SUB_START, additionalContext="one"),
                    tells("b", SUB_START, before="sleep 0.3; ", additionalContext="two"),
                    says("c", "plain"),
                )
            ]
        },
    ),
    sub(
        "kept going for ever",
        {SUB_STOP: [on("*", note("a", "echo more >&2; exit 2"))]},
        *([Text("Seen.")] for _ in range(12)),
    ),
    sub(
        "agent context",
        {
            PRE: [on("Agent", tells("a", PRE, additionalContext="c"))],
            POST: [on("Agent", tells("b", POST, additionalContext="d"))],
        },
    ),
]
