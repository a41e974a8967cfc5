"""Hooks that ask, tell, keep and send, with a real daemon and the real client."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from hookd.daemon.outbox import ANY_SESSION, ProjectOutbox
from hookd.events.types import PostToolUse, Stop, UserPromptSubmit
from hookd.hooks.kit.outbox import MOST_WAITING, Sent
from hookd.paths import project_key
from secrets_made_up import GITHUB_TOKEN
from worlds import World, wait_until

ASKS = """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    async def careful(event, ctx):
        if "deploy" in event.command and not await ctx.ui.confirm("Deploy now?", event.command):
            return

    @hookd.on("PermissionRequest", passive=True)
    def beside(event, ctx):
        if "deploy" in event.command:
            ctx.wait(ctx.ui.confirm("Deploy now?"))

    @hookd.on("tool_result")
    def tell(event, ctx):
        ctx.ui.notify("the tool has run", "warning")
"""
ATTENDED = {"CLAUDE_CODE_SESSION_ATTENDED": "1"}


def specific(answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = answer["hookSpecificOutput"]
    return found


def test_confirm_becomes_the_agents_own_question(each_client_world: World) -> None:
    world = each_client_world
    world.write_hook(ASKS)
    asked = specific(world.bash("./deploy", env=ATTENDED))
    assert asked["permissionDecision"] == "ask"
    assert asked["permissionDecisionReason"] == "Deploy now?\n./deploy"
    assert world.bash("ls", env=ATTENDED) is None


def test_with_nobody_there_confirm_denies_and_says_why(world: World) -> None:
    world.write_hook(ASKS)
    for env, why in (
        ({}, "nobody is watching this session"),
        ({**ATTENDED, "CI": "true"}, "nobody is there in continuous integration"),
    ):
        refused = specific(world.bash("./deploy", env=env))
        assert refused["permissionDecision"] == "deny"
        assert why in refused["permissionDecisionReason"]
        assert refused["permissionDecisionReason"].endswith("It wanted to ask: Deploy now?\n./deploy")


def test_a_dialog_that_is_open_stays_the_persons(world: World) -> None:
    world.write_hook(ASKS)
    call = {"tool_name": "Bash", "tool_input": {"command": "./deploy"}}
    assert world.send("PermissionRequest", env=ATTENDED, **call) == {"systemMessage": "Deploy now?"}
    refused = specific(world.send("PermissionRequest", **call))
    assert refused["decision"]["behavior"] == "deny"


def test_notify_is_shown_by_the_agent(world: World) -> None:
    world.write_hook(ASKS)
    done = world.send("PostToolUse", tool_name="Bash", tool_input={}, tool_response={"stdout": ""})
    assert done == {"systemMessage": "warning: the tool has run"}


SENDS = """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    def queue(event, ctx):
        hookd.send("remember: " + event.command)
"""


def told(answer: Any) -> str | None:
    return specific(answer).get("additionalContext") if answer else None


def test_what_is_sent_is_told_once_at_the_next_turn_of_its_session(each_client_world: World) -> None:
    world = each_client_world
    world.write_hook(SENDS, "mail.py")
    world.bash("one")
    world.bash("two")
    world.bash("other", session_id="s2")
    result: dict[str, Any] = {"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": ""}}
    assert told(world.send("PostToolUse", agent_id="sub", **result)) is None, "a subagent is not asked for it"
    assert told(world.send("Stop")) is None, "there it would make the agent go on"
    assert told(world.send("PostToolUse", **result)) == "remember: one\n\nremember: two"
    assert told(world.send("UserPromptSubmit", prompt="go on")) is None
    assert told(world.send("UserPromptSubmit", prompt="go on", session_id="s2")) == "remember: other"
    assert told(world.send("UserPromptSubmit", prompt="go on", session_id="s2")) is None
    assert list((world.folders.data / "outbox").glob("*.msgpack")) == []


def test_it_survives_a_daemon_that_is_killed_and_no_secret_is_on_the_disk(world: World) -> None:
    world.write_hook(SENDS, "mail.py")
    world.bash(f"export TOKEN={GITHUB_TOKEN}")
    [box] = (world.folders.data / "outbox").glob("*.msgpack")
    assert GITHUB_TOKEN.encode() not in box.read_bytes()
    assert box.stat().st_mode & 0o077 == 0
    os.kill(world.daemon_pid(), signal.SIGKILL)
    wait_until(world.no_daemon, "the daemon is gone")
    first = told(world.send("UserPromptSubmit", prompt="go on"))
    assert first is not None and first.startswith("remember: export TOKEN=[REDACTED:")
    assert told(world.send("UserPromptSubmit", prompt="go on")) is None


LEAVES_A_THREAD = """
import pathlib, threading

def register(hookd):
    over, said = threading.Event(), pathlib.Path(__file__).with_suffix(".said")

    @hookd.on("tool_call", tool="Bash")
    def begins(event, ctx):
        def later():
            over.wait()
            try:
                ctx.send("too late")
            except Exception as error:
                said.write_text(f"{type(error).__name__}: {error}")

        threading.Thread(target=later).start()

    @hookd.on("Stop")
    def goes_on(event, ctx):
        over.set()
"""


def test_a_thread_that_outlives_its_handler_is_told_that_its_message_would_be_lost(world: World) -> None:
    said = world.write_hook(LEAVES_A_THREAD, "thread.py").with_suffix(".said")
    world.bash("ls")
    world.send("Stop")
    wait_until(lambda: said.exists() and said.read_text(), "the thread has tried to send")
    assert said.read_text().startswith("UsageError: thread.begins: the handler has ended")
    assert told(world.send("UserPromptSubmit", prompt="go on")) is None


def test_without_a_daemon_it_is_the_same(world: World) -> None:
    world.write_hook(SENDS + ASKS.replace("def register(hookd):", ""), "mail.py")

    def hook(event: str, **fields: Any) -> Any:
        stdin = world.payload(event, **fields)
        done = world.run("hook", "claude-code", event, stdin=stdin, env=ATTENDED)
        return json.loads(done.stdout) if done.stdout.strip() else None

    call = {"tool_name": "Bash", "tool_input": {"command": "./deploy"}}
    assert specific(hook("PreToolUse", **call))["permissionDecision"] == "ask"
    assert told(hook("UserPromptSubmit", prompt="go on")) == "remember: ./deploy"
    assert told(hook("UserPromptSubmit", prompt="go on")) is None
    assert world.no_daemon()


def test_a_prompt_that_is_refused_leaves_it_for_the_next(world: World) -> None:
    refuses = (
        "from hookd import block\ndef register(hookd):\n"
        "    @hookd.on('UserPromptSubmit')\n"
        "    def refuse(event, ctx):\n        return block('no') if event.prompt == 'bad' else None\n"
    )
    world.write_hook(SENDS, "mail.py")
    world.write_hook(refuses, "refuse.py")
    world.bash("one")
    assert told(world.send("UserPromptSubmit", prompt="bad") | {"hookSpecificOutput": {}}) is None
    assert told(world.send("UserPromptSubmit", prompt="good")) == "remember: one"


def test_it_is_on_record_as_told_by_the_hook(world: World) -> None:
    world.write_hook(SENDS, "mail.py")
    (world.project / ".hookd").mkdir()
    world.send("SessionStart", source="startup")
    world.bash("one")
    world.send("UserPromptSubmit", prompt="go on")
    world.send("SessionEnd", reason="other")
    wait_until(world.no_daemon, "the daemon ends")
    [run] = (world.project / ".hookd" / "runs").iterdir()
    injections = [json.loads(line) for line in (run / "injections.jsonl").read_text().splitlines()]
    assert [(each["by"], each["text"]) for each in injections] == [("mail.queue", "remember: one")]


def test_what_does_not_fit_beside_a_sessions_own_messages_is_due_the_next_time(tmp_path: Path) -> None:
    box = ProjectOutbox(tmp_path, "k" * 64)
    box.put(ANY_SESSION, [Sent("a" * 6_000), Sent("b" * 6_000)])
    box.put("s1", [Sent("own")])
    assert [each.text[0] for each in box.take("s1", "e1")] == ["o", "a"]
    assert [each.text[0] for each in box.take("s1", "e1")] == ["o", "a"], "the same event answered again"
    assert [each.text[0] for each in box.take("s2", "e2")] == ["b"]


def test_what_waits_for_another_session_costs_no_write(tmp_path: Path) -> None:
    box = ProjectOutbox(tmp_path, "k" * 64)
    box.put("s2", [Sent("for another")])
    [file] = (tmp_path / "outbox").glob("*.msgpack")
    before = file.stat().st_ino
    assert box.take("s1", "e1") == []
    assert file.stat().st_ino == before


def test_a_hook_attaches_files_by_their_paths(world: World) -> None:
    code = (
        "def register(hookd):\n    @hookd.on('Stop')\n"
        "    def report(event, ctx):\n        ctx.send('see', attach=['report.txt'])\n"
    )
    world.write_hook(code, "mail.py")
    world.send("Stop")
    missing = "report.txt is to be attached and is not there"
    wait_until(lambda: missing in str(world.status()["problems"]), "the missing file is named")
    (world.project / "report.txt").write_text("red")
    world.send("Stop")
    attached = f"see\n\nAttached, to be read when needed:\n- {world.project}/report.txt"
    assert told(world.send("UserPromptSubmit", prompt="go on")) == attached


def test_purge_forgets_what_hooks_keep_and_send(world: World) -> None:
    world.write_hook(SENDS, "mail.py")
    world.write_hook(
        "def register(hookd):\n    hookd.on('Stop', lambda e, c: c.store.set('n', 1))\n", "keep.py"
    )
    world.bash("one")
    world.send("Stop")
    key = project_key(str(world.project))[:16]
    assert list((world.folders.data / "kept" / key).glob("keep-*.json"))
    world.hookd("purge", str(world.project), "--yes")
    assert not (world.folders.data / "kept" / key).exists()
    assert not list((world.folders.data / "outbox").glob("*.msgpack"))


def test_a_bad_message_is_said_to_the_person_with_the_hooks_name(world: World) -> None:
    world.write_hook(
        "def register(hookd):\n    hookd.on('Stop', lambda e, c: c.send(b'x'), name='mail')\n", "a.py"
    )
    assert world.send("Stop") is None
    problems = json.dumps(world.status())
    assert "a.mail: send takes text, not bytes" in problems


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_an_event_that_is_answered_again_has_the_same_messages(world: World, clock: Clock) -> None:
    box = ProjectOutbox(world.folders.data, "k" * 64, clock)
    box.put("s", [Sent("a", "h"), Sent("b", "h")])
    assert box.take("s", "nonce-1") == box.take("s", "nonce-1") == [Sent("a", "h"), Sent("b", "h")]
    assert box.take("s", "nonce-2") == box.take("s", "nonce-1") == []


def test_it_is_bounded_in_number_and_size(world: World, clock: Clock) -> None:
    box = ProjectOutbox(world.folders.data, "k" * 64, clock)
    assert box.put("s", [Sent(str(n)) for n in range(MOST_WAITING + 3)]) == 3
    assert box.take("s", "")[0] == Sent("3")
    box.put("s", [Sent("x" * 6000), Sent("y" * 6000)])
    assert [len(box.take("s", "")) for _ in range(3)] == [1, 1, 0]
    assert not list((world.folders.data / "outbox").glob("*.msgpack"))


def test_a_box_that_is_damaged_is_empty(world: World) -> None:
    box = ProjectOutbox(world.folders.data, "k" * 64)
    box.put("s", [Sent("a")])
    [path] = (world.folders.data / "outbox").glob("*.msgpack")
    path.write_bytes(b"\xc1nonsense")
    assert box.take("s", "") == []
    box.put("s", [Sent("b")])
    assert box.take("s", "") == [Sent("b")]


def test_where_messages_are_told() -> None:
    assert ProjectOutbox.delivers(UserPromptSubmit(session_id="s"))
    assert ProjectOutbox.delivers(PostToolUse(session_id="s"))
    assert not ProjectOutbox.delivers(PostToolUse(session_id="s", agent_id="sub"))
    assert not ProjectOutbox.delivers(PostToolUse())
    assert not ProjectOutbox.delivers(Stop(session_id="s"))
