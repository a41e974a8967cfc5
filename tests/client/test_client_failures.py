"""What the agent hears when nothing can judge: the policy decides, and nothing passes unseen."""

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from client_world import World, registered

from hookd import client
from hookd.client_arguments import ASK_HOOKD, INSTALL_AGAIN, failure, parse

ADVICE = f". {INSTALL_AGAIN}"
JUDGED = f"hookd cannot judge this call: WHY{ADVICE}"
GATES = ("PreToolUse", "PermissionRequest")
EVENTS = (
    *GATES,
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
        done = world.run(*registered(event, policy))
        assert (event, done.returncode, done.stderr.decode()) == (event, 0, f"hookd-client: {why}\n")
        found = json.loads(done.stdout) if done.stdout else None
        assert (event, found) == (event, expected_output(event, policy, why))


@pytest.mark.parametrize("policy", ["ask", "deny", "allow"])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_gate_whose_entry_has_no_words_refuses_by_exit_code(world: World, agent: str, policy: str) -> None:
    why = uninstall(world, "/nonexistent/python")
    folders = [f"{name}={value}" for name, value in world.env.items() if "HOME" in name]
    refused = (2, f"hookd-client: hookd cannot judge this call: {why}{ADVICE}\n")
    passed = (0, f"hookd-client: {why}\n")
    for event in EVENTS:
        # The names tell nothing: whatever has a policy is a gate.
        done = world.run(agent, event, "--on-failure", policy, *folders)
        assert done.stdout == b""
        assert (done.returncode, done.stderr.decode()) == (passed if policy == "allow" else refused)
        done = world.run(agent, event, *folders)
        assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", passed[1])


@pytest.mark.parametrize(
    ("options", "code", "output", "told"),
    [
        (["--on-failure", "deny", "--say", "no: {why}"], 0, "no: WHY", "WHY"),
        (["--on-failure", "deny", "--say", ""], 0, "", "WHY"),
        (["--on-failure", "deny", "--exit", "3"], 3, "", JUDGED),
        (["--on-failure", "ask", "--exit", "2", "--say", "{}"], 2, "{}", JUDGED),
        (["--on-failure", "allow", "--say", "{why}{why}"], 0, "WHYWHY", "WHY"),
        (["--say", "told"], 0, "told", "WHY"),
        (["--say", "{why}", "--exit", "255"], 255, "WHY", "WHY"),
        (["--exit", "7"], 7, "", "WHY"),
    ],
)
def test_what_is_said_is_what_the_entry_says(
    world: World, options: list[str], code: int, output: str, told: str
) -> None:
    why = uninstall(world, "/nonexistent/python")
    done = world.run("toy", "before-tool", *options)
    assert (done.returncode, done.stdout.decode()) == (code, output.replace("WHY", why))
    assert done.stderr.decode() == f"hookd-client: {told.replace('WHY', why)}\n"


@pytest.mark.parametrize("where", ["beside the interpreter", "on the path", "nowhere"])
def test_only_a_command_that_is_there_is_advised(world: World, where: str) -> None:
    gone = world.base / "gone" / "python"
    (world.base / "other").mkdir()
    gone.parent.mkdir()
    uninstall(world, str(gone))
    world.env["PATH"] = f"/usr/bin::{world.base / 'other'}"
    if where != "nowhere":
        command = (
            gone.parent / "hookd" if where == "beside the interpreter" else world.base / "other" / "hookd"
        )
        command.touch(0o755)
    told = json.loads(world.run(*registered("SessionStart")).stdout)["systemMessage"]
    assert told.endswith(INSTALL_AGAIN if where == "nowhere" else ASK_HOOKD)
    assert ("`hookd " in told) is (where != "nowhere")


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
    done = world.run(*registered("PreToolUse"))
    reason = json.loads(done.stdout.decode())["hookSpecificOutput"]["permissionDecisionReason"]
    assert (
        reason == f"hookd cannot judge this call: hookd is gone: /nonexistent/{readable} cannot run{ADVICE}"
    )
    assert done.stderr == os.fsencode(f"hookd-client: hookd is gone: /nonexistent/{name} cannot run\n")


PIECES = (
    *(
        b"{why}",
        b"{advice}",
        b"{{advice}{",
        b"{why",
        b"why}",
        b"{{why}}",
        b"{}",
        b'"',
        b"\\",
        b"\\n",
        b"%s%n%%",
        b"$HOME `id`",
        b"'",
    ),
    *(
        b"\n",
        b"\t\r\b\f\v",
        b"\x01\x1f",
        b"\x7f",
        b"plain words",
        "größe 日本語 🦊".encode(),
        b"\xe2\x80\xa8",
    ),
    *(b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"--say", b"HOME=", b""),
)


class Words:
    """Options with odd templates, in any order, and an interpreter with an odd name, by a number."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)
        options = [("--say", self.text(8)), ("--exit", str(self.random.randint(0, 255))), ("--forward", "CI")]
        options += [("--on-failure", self.random.choice(("ask", "deny", "allow")))]
        kept = self.random.sample(options, self.random.randint(0, len(options)))
        self.arguments = ["toy", "before", *(word for option in kept for word in option)]
        self.python = f"/nonexistent/python {self.text(4)}"

    def text(self, most: int) -> str:
        return os.fsdecode(b"".join(self.random.choices(PIECES, k=self.random.randint(0, most))))


def said(command: list[str], words: Words, cwd: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [*command, *words.arguments],
        input=b"",
        env={"HOME": str(cwd), "HOOKD_HOME": str(cwd)},
        cwd=cwd,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def wanted(words: Words) -> tuple[int, bytes, bytes]:
    given = parse(words.arguments)
    assert given is not None
    return tuple(failure(given, f"hookd is gone: {words.python} cannot run", words.python))


@pytest.fixture
def lone_client(native: Callable[[str], Path]) -> Iterator[World]:
    made = World("native", native)
    made.install("release")
    yield made
    made.close()


def test_the_native_client_says_the_same_for_hundreds_of_templates(lone_client: World) -> None:
    for number in range(300):
        words = Words(number)
        uninstall(lone_client, words.python)
        found = said(lone_client.command, words, lone_client.project)
        assert found == wanted(words), f"case {number}: {words.arguments} {words.python!r}"


def test_both_clients_say_the_same(world: World) -> None:
    for number in range(300, 315):
        words = Words(number)
        uninstall(world, words.python)
        assert said(world.command, words, world.project) == wanted(words), f"case {number}"


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
    assert client.main(["codex", "PreToolUse", "--on-failure", "ask"]) == 2
    assert "its client failed (RuntimeError: oops)" in capfd.readouterr().err
