"""Subagents: the session's hooks run inside them, too."""

from typing import Any

from scenario import DONE, Scenario, bash, note, on, says, tells
from scripted_model import Text, ToolUse

MARK = "SUBAGENT-TASK"
CALL = [
    ToolUse(
        "Agent",
        {
            "subagent_type": "general-purpose",
            "description": "looks",
            "prompt": f"{MARK} look",
            "run_in_background": False,
        },
        "agent",
    )
]


def sub(name: str, hooks: dict[str, Any], *turns: Any, **options: Any) -> Scenario:
    return Scenario(
        f"subagent {name}", hooks, (CALL, DONE), subagents={MARK: turns or ([Text("Seen.")],)}, **options
    )


SCENARIOS = [
    sub(
        "start and stop", {"SubagentStart": [on("*", note("start"))], "SubagentStop": [on("*", note("stop"))]}
    ),
    sub(
        "by type",
        {
            "SubagentStart": [on("general-purpose", note("a")), on("Explore", note("b"))],
            "SubagentStop": [on("general-.*", note("c")), on("Explore", note("d"))],
        },
    ),
    sub(
        "its tools",
        {
            "PreToolUse": [on("Bash", note("pre"))],
            "PostToolUse": [on("Bash", note("post"))],
            "Stop": [on(None, note("stop"))],
        },
        bash("echo inside", "inner"),
        [Text("Seen.")],
    ),
    sub(
        "a refusal inside",
        {"PreToolUse": [on("Bash", note("pre", "exit 2"))]},
        bash("touch made", "inner"),
        [Text("Seen.")],
    ),
    sub(
        "kept going",
        {
            "SubagentStop": [
                on(
                    "*",
                    note("stop", 'test "$(wc -l < "$HOOK_LOG/stop")" -lt 3 || exit 0; echo more >&2; exit 2'),
                )
            ]
        },
        [Text("Seen.")],
        [Text("Seen more.")],
    ),
    sub(
        "context at its start",
        {"SubagentStart": [on("*", tells("a", "SubagentStart", additionalContext="known"))]},
    ),
    sub("exit 2 at its start", {"SubagentStart": [on("*", note("a", "exit 2"))]}),
    sub("continue false at its start", {"SubagentStart": [on("*", says("a", {"continue": False}))]}),
]
