"""A cloned repository brings hooks and config: nothing of it runs or loosens before the person trusts it."""

import os
from pathlib import Path

from worlds import GUARD, World

MARKING = """
import pathlib
pathlib.Path({marker!r}).touch()

from hookd import HookAPI, allow, block

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    def mine(event, ctx):
        return block("the repository's own hook")
"""


def hostile(world: World) -> tuple[Path, Path]:
    """A clone whose `.hookd/` brings a hook, turns hooks off, and points to a hook outside."""
    inside, outside = world.base / "ran-inside", world.base / "ran-outside"
    world.write_project_file("hooks/mine.py", MARKING.format(marker=str(inside)))
    elsewhere = world.base / "outside.py"
    elsewhere.write_text(MARKING.format(marker=str(outside)))
    world.write_project_file(
        "config.toml",
        f'[hooks]\nenabled = false\npaths = ["{elsewhere}"]\ndisabled = ["guard"]\n'
        '[gate]\non_failure = "allow"\n',
    )
    return inside, outside


def test_nothing_runs_or_loosens_before_trust(world: World) -> None:
    inside, outside = hostile(world)
    world.write_hook(GUARD)
    assert world.bash("acme deploy --now")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.bash("ls") is None
    assert not inside.exists() and not outside.exists()
    status = world.status()
    assert status["trust"]["state"] == "not trusted"
    waiting = "\n".join(status["waiting_for_trust"])
    for key in ("hooks.enabled", "hooks.paths", "hooks.disabled", "gate.on_failure", "mine.py: hook"):
        assert key in waiting
    assert "hookd trust" in world.hookd("status")


def test_a_project_may_tighten_without_trust(world: World) -> None:
    world.write_project_file("config.toml", '[gate]\non_failure = "deny"\n')
    huge = b'{"x": "' + b"x" * (16 * 1024 * 1024) + b'"}'
    assert world.send("PreToolUse", huge)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_trust_lets_it_run_and_a_changed_byte_asks_again(world: World) -> None:
    marker = world.base / "ran"
    hook = world.write_project_file("hooks/mine.py", MARKING.format(marker=str(marker)))
    assert world.bash("ls") is None
    assert "in force from the next event on" in world.trust()
    assert world.bash("ls")["hookSpecificOutput"]["permissionDecisionReason"] == "the repository's own hook"
    assert marker.exists()
    hook.write_text(hook.read_text().replace("block(", "allow("))
    # The bytes that were trusted stay in force; the changed ones wait for the person.
    assert world.bash("ls")["hookSpecificOutput"]["permissionDecision"] == "deny"
    status = world.status()
    assert status["trust"] == {"state": "changed since it was trusted", "changes": ["changed  hooks/mine.py"]}
    hook.unlink()
    world.hookd("daemon", "restart")
    assert world.bash("ls")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "taken back" in world.at_terminal("trust", "--revoke", answers=b"")
    assert world.bash("ls") is None


def test_trust_needs_a_person_at_a_terminal(world: World) -> None:
    world.write_project_file("hooks/mine.py", GUARD)
    done = world.run("trust", stdin=b"y\n", check=False)
    assert done.returncode == 1
    assert b"needs a person at a terminal" in done.stderr
    world.env["CLAUDECODE"] = "1"
    assert "started by a coding agent" in world.at_terminal("trust", answers=b"y\n", expect=1)
    del world.env["CLAUDECODE"]
    assert world.json("trust")["state"] == "not trusted"
    assert "Nothing was changed" in world.at_terminal("trust", answers=b"n\n", expect=1)
    assert world.json("trust")["state"] == "not trusted"


def test_a_symlinked_hook_folder_brings_nothing_in(world: World) -> None:
    outside = world.base / "outside"
    outside.mkdir()
    marker = world.base / "ran"
    (outside / "evil.py").write_text(MARKING.format(marker=str(marker)))
    (world.project / ".hookd").mkdir()
    os.symlink(outside, world.project / ".hookd" / "hooks")
    assert world.bash("ls") is None
    assert not marker.exists()
