"""Users' hooks that misbehave, through the whole of hookd: named, stopped, and nobody else's problem."""

import threading

from worlds import GUARD, World, wait_until

STUCK = """
import asyncio
from hookd import HookAPI

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash", deadline=2)
    async def blocks(event, ctx):
        if "block" in event.command:
            while True:
                pass

    @hookd.on("tool_call", tool="Bash", deadline=0.5)
    async def waits(event, ctx):
        if "wait" in event.command:
            await asyncio.sleep(3600)

    @hookd.on("UserPromptSubmit", deadline=0.5)
    def loops(event, ctx):
        while event.prompt == "loop":
            pass
"""

CRASHING = """
import os, sys
from hookd import HookAPI, block

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    def crash(event, ctx):
        if event.command == "raise":
            raise ValueError("hunter2")
        if event.command == "exit":
            sys.exit(0)
        if event.command == "die":
            os._exit(0)
        if event.command == "shout":
            for _ in range(1024):
                sys.stdout.write("x" * 1024 * 1024)
        if event.command == "flood":
            return block("x" * 100 * 1024 * 1024)
        if event.command == "wrong":
            return "no"

    @hookd.on("PostToolUse")
    def after(event, ctx):
        raise ValueError("hunter2")
"""


def reason(answer: dict[str, dict[str, str]]) -> str:
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    return answer["hookSpecificOutput"]["permissionDecisionReason"]


def test_a_hook_that_crashes_at_the_gate_blocks_and_is_named(world: World) -> None:
    world.write_hook(CRASHING, "bad.py")
    said = {command: reason(world.bash(command)) for command in ("raise", "exit", "die", "flood", "wrong")}
    assert all("bad.crash" in text for text in said.values()), said
    assert "ValueError (line" in said["raise"]
    assert "SystemExit" in said["exit"]
    assert "ended its process" in said["die"]
    assert "bytes" in said["flood"]
    assert "not str" in said["wrong"]
    assert world.bash("shout") is None
    assert world.bash("ls") is None


def test_a_hook_that_crashes_elsewhere_reaches_the_person_not_the_agent(world: World) -> None:
    world.write_hook(CRASHING, "bad.py")
    assert world.send("PostToolUse", tool_name="Bash", tool_response={"stdout": "ok"}) is None
    told = wait_until(lambda: [p["what"] for p in world.status()["problems"]], "the person is told")
    assert told == ["bad.after on PostToolUse: ValueError (line 24)"]
    assert "bad.after" in world.hookd("status")


def test_what_a_hook_raised_is_not_kept_because_it_may_quote_a_secret(world: World) -> None:
    world.write_hook(CRASHING, "bad.py")
    world.bash("raise")
    world.hookd("daemon", "stop")
    copies = world.folders.data / "good"  # the hook's own code, which has the word in it
    files = [p for p in world.base.rglob("*") if p.is_file() and p.name != "bad.py" and p.parent != copies]
    assert files
    assert not [path for path in files if b"hunter2" in path.read_bytes()]


def test_a_stuck_hook_is_stopped_named_and_quarantined_while_others_are_answered(world: World) -> None:
    world.write_hook(STUCK, "stuck.py")
    world.bash("ls")
    answers: dict[str, str] = {}
    hanging = threading.Thread(target=lambda: answers.update(hung=reason(world.bash("block"))))
    hanging.start()
    answered_meanwhile = 0
    while hanging.is_alive():
        answered_meanwhile += world.bash("ls") is None
    assert answered_meanwhile >= 3
    assert "stuck.blocks" in answers["hung"]
    assert "did not finish within 2 s" in answers["hung"]
    assert "stuck.blocks" in world.status()["daemon"]["quarantined"]
    # It costs no second event its time, but a guard that is out of order is not silent about it.
    answer = world.bash("ls")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert "hung before and is quarantined" in answer["permissionDecisionReason"]


def test_every_way_to_hang_is_stopped(world: World) -> None:
    world.write_hook(STUCK, "stuck.py")
    world.hookd("init")
    assert "stuck.waits" in reason(world.bash("wait"))
    assert world.send("UserPromptSubmit", prompt="loop") is None
    assert set(world.status()["daemon"]["quarantined"]) == {"stuck.waits", "stuck.loops"}
    assert "quarantined" in world.run("statusline").stdout.decode()


def test_mending_a_quarantined_hook_gives_it_another_chance(world: World) -> None:
    path = world.write_hook(STUCK, "stuck.py")
    world.bash("wait")
    path.write_text(STUCK.replace("await asyncio.sleep(3600)", "raise ValueError"))
    assert "ValueError" in reason(world.bash("wait"))
    assert world.status()["daemon"]["quarantined"] == {}


SLOW_PROMPT = """
import time
from hookd import context

def register(hookd):
    @hookd.on("UserPromptSubmit")
    def hangs(event, ctx):
        time.sleep(3600)

    @hookd.on("UserPromptSubmit")
    def helps(event, ctx):
        return context("still here")
"""


def test_a_hook_that_hangs_away_from_the_gate_takes_no_other_hooks_answer_along(world: World) -> None:
    (world.folders.config / "config.toml").write_text("[limits]\nhook_seconds = 0.5\n")
    world.write_hook(SLOW_PROMPT, "slow.py")
    for _ in range(2):
        answer = world.send("UserPromptSubmit", prompt="hi")
        assert answer["hookSpecificOutput"]["additionalContext"] == "still here"
    assert list(world.status()["daemon"]["quarantined"]) == ["slow.hangs"]


def test_a_broken_hook_keeps_its_last_good_version_for_the_next_daemon_too(world: World) -> None:
    path = world.write_hook(GUARD)
    assert "force push" in reason(world.bash("acme deploy --now"))
    path.write_text("def register(hookd:\n")
    world.hookd("daemon", "stop")
    assert "force push" in reason(world.bash("acme deploy --now"))
    found = {f["check"]: f for f in world.json("doctor")}
    assert not found["hooks"]["ok"] and "SyntaxError" in found["hooks"]["what"]


def test_a_hook_that_cannot_be_read_keeps_its_last_good_version(world: World) -> None:
    path = world.write_hook(GUARD)
    assert "force push" in reason(world.bash("acme deploy --now"))
    path.unlink()
    path.symlink_to(world.base / "nowhere")
    assert "force push" in reason(world.bash("acme deploy --now"))
    assert "cannot be read; its last good version stays in force" in world.hookd("status")


def test_a_terminal_of_another_agent_does_not_turn_the_guard_off(world: World) -> None:
    world.write_hook(GUARD)
    inherited = {"CURSOR_VERSION": "3.1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    assert "force push" in reason(world.bash("acme deploy --now", env=inherited))


def test_links_do_not_lead_the_record_or_a_purge_out_of_the_project(world: World) -> None:
    victim = world.base / "victim"
    (victim / "runs").mkdir(parents=True)
    (victim / "runs" / "precious").touch()
    (world.project / ".hookd").symlink_to(victim)
    world.send("SessionStart", source="startup")
    wait_until(lambda: "is a link" in str(world.status()["problems"]), "the person is told")
    assert world.run("purge", str(world.project), "--yes", check=False).returncode == 1
    assert [path.name for path in (victim / "runs").iterdir()] == ["precious"]
    assert [path.name for path in victim.iterdir()] == ["runs"]


def test_a_purge_is_for_exactly_the_project_named(world: World) -> None:
    world.hookd("init")
    inner = world.project / "old"
    inner.mkdir()
    done = world.run("purge", str(inner), "--yes", check=False)
    assert done.returncode == 2 and str(world.project).encode() in done.stderr
    world.hookd("purge", str(world.project / "gone"), "--yes")
    assert world.status()["registered"]
