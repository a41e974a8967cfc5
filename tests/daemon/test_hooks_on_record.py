"""What hooks did is on record: it outlives the daemon, and whatever process answered is counted."""

import json
from typing import Any

from worlds import World

HOOKS = """
from hookd import block

def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    def denies(event, ctx):
        if "deploy" in event.command:
            return block("not on a Friday")

    @hookd.on("PostToolUse")
    def fails(event, ctx):
        raise ValueError("as always")

    @hookd.on("UserPromptSubmit")
    def sends(event, ctx):
        ctx.send("mind the freeze")
"""


def hooks(world: World) -> dict[str, Any]:
    return {each["hook"]: each for each in world.json("analyze", "hooks")["hooks"]}


def work(world: World) -> None:
    world.write_hook(HOOKS, "mine.py")
    world.bash("ls")
    world.bash("acme deploy")
    world.bash("git push --force origin main")
    world.send("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response={"stdout": "x"})


def test_figures_are_still_there_after_a_restart_of_the_daemon(world: World) -> None:
    assert "No hook was called" in world.hookd("analyze", "hooks")
    work(world)
    before = hooks(world)
    assert (before["mine.denies"]["calls"], before["mine.denies"]["outcomes"]) == (3, {"deny": 1})
    assert (before["mine.fails"]["failures"], before["mine.fails"]["outcomes"]) == (1, {"failed": 1})
    assert before["gate.judge"]["outcomes"] == {"deny": 1}
    assert all(0 <= each["p50_ms"] <= each["p95_ms"] <= each["max_ms"] for each in before.values())
    world.hookd("daemon", "restart")
    assert hooks(world) == before
    status = world.status()
    assert {each["hook"]: each for each in status["hooks"]} == before
    assert status["daemon"]["hooks"] == {}  # the new daemon has answered nothing yet
    world.bash("ls")
    assert hooks(world)["mine.denies"]["calls"] == 4


def test_what_a_process_without_a_daemon_answered_is_counted_too(world: World) -> None:
    work(world)
    world.hookd("daemon", "stop")
    payload = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "acme deploy"})
    answer = json.loads(world.run("hook", "claude-code", "PreToolUse", stdin=payload).stdout)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.no_daemon()
    found = hooks(world)["mine.denies"]
    assert (found["calls"], found["outcomes"]) == (4, {"deny": 2})


def test_a_message_that_is_told_later_is_no_call_of_its_hook(world: World) -> None:
    world.write_hook(HOOKS, "mine.py")
    world.send("UserPromptSubmit", prompt="go on")
    told = world.send("UserPromptSubmit", prompt="go on")
    assert "mind the freeze" in told["hookSpecificOutput"]["additionalContext"]
    assert hooks(world)["mine.sends"]["calls"] == 2


def test_they_are_shown_as_a_table(world: World) -> None:
    work(world)
    lines = world.hookd("analyze", "hooks").splitlines()
    assert lines[0].split()[:3] == ["hook", "calls", "failures"]
    at = next(number for number, line in enumerate(lines) if line.startswith("mine.fails"))
    assert lines[at].split()[1:3] == ["1", "1"] and lines[at + 1].strip() == "1 failed"


def test_they_are_in_the_audit_trail_by_name(world: World) -> None:
    work(world)
    events = [json.loads(line) for line in world.hookd("runs", "export").splitlines()]
    said = [{call["hook"]: call["outcome"] for call in event["hook_calls"]} for event in events]
    assert said[1]["mine.denies"] == "deny" and said[3]["mine.fails"] == "failed"
    assert all(call["ms"] >= 0 for event in events for call in event["hook_calls"])
