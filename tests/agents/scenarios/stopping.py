"""Stop: going on, for how long, and being cut off."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, says, tells
from scripted_model import Text

STOP = "Stop"
FIRST = 'test "$(wc -l < "$HOOK_LOG/{}")" -lt {} || exit 0; '


def stop(name: str, *handlers: dict[str, Any], turns: Any = (DONE, DONE), **options: Any) -> Scenario:
    return Scenario(f"stop {name}", {STOP: [on(None, *handlers)]}, turns, **options)


def once(name: str) -> str:
    """Shell that ends the handler well from its second run on."""
    return FIRST.format(name, 3)


SCENARIOS = [
    stop("input", note("a")),
    stop("exit 2", note("a", once("a") + "echo go on >&2; exit 2")),
    stop("exit 2 without a word", note("a", once("a") + "exit 2")),
    stop("block", says("a", {"decision": "block", "reason": "run the tests"}, before=once("a"))),
    stop("block without a reason", says("a", {"decision": "block"}, before=once("a"))),
    stop("context", tells("a", STOP, before=once("a"), additionalContext="one more thing")),
    stop("continue false", says("a", {"continue": False, "stopReason": "enough"})),
    stop(
        "continue false beats a block",
        says("a", {"continue": False}),
        says("b", {"decision": "block", "reason": "more"}),
    ),
    stop(
        "two reasons",
        says("a", {"decision": "block", "reason": "one"}, before=once("a")),
        note("b", once("b") + "sleep 0.4; echo two >&2; exit 2"),
    ),
    stop("for ever", note("a", "echo again >&2; exit 2"), turns=(DONE,) * 12),
    stop(
        "a lower cap",
        note("a", "echo again >&2; exit 2"),
        turns=(DONE,) * 6,
        env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"},
    ),
    stop(
        "a tool call begins the count anew",
        note("a", FIRST.format("a", 13) + "echo again >&2; exit 2"),
        turns=(DONE, DONE, bash(id="t1"), DONE, DONE, bash(id="t2"), DONE, DONE, DONE, DONE, DONE),
        env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"},
    ),
    stop("a missing script stops nothing", {"type": "command", "command": "python3 /missing.py"}),
    stop("a failure never blocks", note("a", "exit 1", onFailure="block")),
    stop("plain output is not for the model", says("a", "words")),
    stop("the last message", note("a"), turns=([Text("All of it.")],)),
    stop("a matcher means nothing", note("a")),
    stop("a condition means never", note("a", **{"if": "Bash(*)"})),
]
