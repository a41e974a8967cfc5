"""Handlers that nobody waits for."""

from scenario import DONE, Scenario, bash, note, on, says, tells

PRE = "PreToolUse"
SLOW = (bash("sleep 1", "t1"), bash("sleep 1", "t2"), DONE)

SCENARIOS = [
    Scenario(
        "async decides nothing",
        {
            PRE: [
                on(
                    "*",
                    {**tells("a", PRE, permissionDecision="deny", additionalContext="later"), "async": True},
                )
            ]
        },
        SLOW,
    ),
    Scenario(
        "async with exit 2",
        {PRE: [on("*", {**note("a", "echo no >&2; exit 2"), "async": True})]},
        SLOW,
    ),
    Scenario(
        "async with a message",
        {PRE: [on("*", {**says("a", {"systemMessage": "psst"}), "async": True})]},
        SLOW,
    ),
    Scenario(
        "asyncRewake where nobody can be woken",
        {PRE: [on("*", {**note("a", "sleep 0.3; echo woken >&2; exit 2"), "asyncRewake": True})]},
        SLOW,
    ),
    Scenario(
        "async said on the first line",
        {PRE: [on("Bash", note("a", "echo '{\"async\": true}'; sleep 0.5; exit 2"))]},
        SLOW,
    ),
]
