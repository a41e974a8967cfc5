"""What the agent hears when nothing can judge: the policy decides, and nothing passes unseen."""

import json
import os
from typing import Any

import pytest
from client_world import World

from hookd import client

ADVICE = ". Run `hookd doctor`, or `hookd uninstall` to remove the hooks."
EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "Notification",
    "PreCompact",
    "SomethingNew",
)


def expected_output(event: str, policy: str, why: str) -> Any:
    judged = f"hookd cannot judge this call: {why}{ADVICE}"
    passed = {"systemMessage": f"hookd let this call pass unjudged: {why}{ADVICE}"}
    absent = {"systemMessage": f"hookd is not running: {why}{ADVICE}"}
    asked = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": policy,
            "permissionDecisionReason": judged,
        }
    }
    denied = {
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": judged},
        }
    }
    return {
        ("PreToolUse", "ask"): asked,
        ("PreToolUse", "deny"): asked,
        ("PreToolUse", "allow"): passed,
        ("PermissionRequest", "deny"): denied,
        ("PermissionRequest", "allow"): passed,
        ("SessionStart", policy): absent,
        ("UserPromptSubmit", policy): absent,
    }.get((event, policy))


def uninstall(world: World, python: str) -> str:
    """Makes the interpreter one that is not there; returns why the client then fails."""
    link = world.bin / "hookd-python"
    link.unlink()
    link.symlink_to(python)
    return f"hookd is gone: {python} cannot run"


@pytest.mark.parametrize("policy", ["ask", "deny", "allow"])
def test_claude_code(world: World, policy: str) -> None:
    why = uninstall(world, "/nonexistent/python")
    for event in EVENTS:
        done = world.run("claude-code", event, "--on-failure", policy)
        assert (event, done.returncode, done.stderr.decode()) == (event, 0, f"hookd-client: {why}\n")
        found = json.loads(done.stdout) if done.stdout else None
        assert (event, found) == (event, expected_output(event, policy, why))


@pytest.mark.parametrize("policy", ["ask", "deny", "allow"])
def test_other_agents(world: World, policy: str) -> None:
    why = uninstall(world, "/nonexistent/python")
    for event in EVENTS:
        done = world.run("codex", event, "--on-failure", policy)
        gate = event in ("PreToolUse", "PermissionRequest")
        assert (event, done.returncode) == (event, 2 if gate and policy != "allow" else 0)
        assert (done.stdout, done.stderr.decode()) == (b"", f"hookd-client: {why}\n")


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ('"quoted"\\', '"quoted"\\'),
        ("\x01\t\n\r\x1f\x7f", "\x01\t\n\r\x1f\x7f"),
        ("Übergröße 🦊", "Übergröße 🦊"),
        (os.fsdecode(b"\xff"), "\N{REPLACEMENT CHARACTER}"),
        (os.fsdecode(b"a\xc3"), "a\N{REPLACEMENT CHARACTER}"),
        (os.fsdecode(b"\xc0\xaf"), "\N{REPLACEMENT CHARACTER}" * 2),
        (os.fsdecode(b"\xed\xa0\x80"), "\N{REPLACEMENT CHARACTER}" * 3),
        (os.fsdecode(b"\xf4\x90\x80\x80"), "\N{REPLACEMENT CHARACTER}" * 4),
    ],
)
def test_reasons_are_valid_json(world: World, name: str, readable: str) -> None:
    uninstall(world, f"/nonexistent/{name}")
    done = world.run("claude-code", "PreToolUse")
    reason = json.loads(done.stdout.decode())["hookSpecificOutput"]["permissionDecisionReason"]
    assert (
        reason == f"hookd cannot judge this call: hookd is gone: /nonexistent/{readable} cannot run{ADVICE}"
    )
    assert done.stderr == os.fsencode(f"hookd-client: hookd is gone: /nonexistent/{name} cannot run\n")


def test_an_interpreter_that_may_not_run(world: World) -> None:
    plain = world.base / "plain"
    plain.touch(0o644)
    why = uninstall(world, str(plain))
    assert world.run("codex", "PreToolUse").stderr.decode() == f"hookd-client: {why}\n"
    assert not world.records("daemon")


def test_the_python_client_never_crashes_open(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr(client, "_answer", crash)
    assert client.main(["codex", "PreToolUse"]) == 2
    assert capfd.readouterr().err == "hookd-client: its client failed (RuntimeError: oops)\n"
