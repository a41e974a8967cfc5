"""What the daemon answers, through the real client and the real socket."""

import json

import pytest

from worlds import GUARD, World, wait_until


def test_a_ten_line_hook_blocks_a_command_and_injects_context(each_client_world: World) -> None:
    world = each_client_world
    world.write_hook(GUARD)
    denied = world.bash("acme deploy --now web")
    assert denied["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "force push: use --force-with-lease",
    }
    assert world.bash("git push origin main") is None
    answer = world.send("UserPromptSubmit", prompt="hello")
    assert answer["hookSpecificOutput"]["additionalContext"] == "the deploy freeze ends on Friday"


def test_in_process_gives_the_same_answer_as_the_daemon(world: World) -> None:
    world.write_hook(GUARD)
    payload = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "acme deploy --now"})
    through_daemon = world.send("PreToolUse", payload)
    in_process = json.loads(world.run("hook", "claude-code", "PreToolUse", stdin=payload).stdout)
    assert in_process == through_daemon


BAD_INPUTS = {
    "empty": b"",
    "broken JSON": b'{"hook_event_name": "PreToolUse", "tool_',
    "not JSON": b"hello",
    "an array": b"[1, 2]",
    "a number": b"17",
    "null": b"null",
    "invalid UTF-8": b'{"prompt": "\xff\xfe"}',
    "a NUL byte": b'{"prompt": "a\x00b"}',
    "nested too deeply": b"[" * 200_000 + b"]" * 200_000,
    "wrong types": b'{"tool_name": 7, "tool_input": "ls", "session_id": {}}',
    "16 MiB of one string": b'{"tool_input": {"command": "' + b"x" * (16 * 1024 * 1024 - 64) + b'"}}',
}
READABLE = {"invalid UTF-8", "a NUL byte", "wrong types"}
"""A JSON object all the same, and no command in it."""


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_bad_input_gets_a_valid_answer_and_the_daemon_lives_on(world: World, name: str) -> None:
    answer = world.send("Notification", BAD_INPUTS[name])
    assert answer in (None, {})
    pid = world.daemon_pid()
    at_the_gate = world.send("PreToolUse", BAD_INPUTS[name])
    if name in READABLE:
        assert at_the_gate in (None, {})
    else:  # what cannot be read cannot be judged: the failure policy decides
        assert at_the_gate["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert world.bash("ls") is None
    assert world.daemon_pid() == pid


@pytest.mark.parametrize(("policy", "decision"), [("ask", "ask"), ("deny", "deny"), ("allow", None)])
def test_what_cannot_be_read_at_the_gate_follows_the_failure_policy(
    world: World, policy: str, decision: str | None
) -> None:
    config = world.folders.config / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f'[gate]\non_failure = "{policy}"\n')
    in_process = world.run("hook", "claude-code", "PreToolUse", stdin=b"oops").stdout
    for answer in (world.send("PreToolUse", b"oops"), json.loads(in_process or b"null")):
        said = (answer or {}).get("hookSpecificOutput", {})
        assert said.get("permissionDecision") == decision
        if decision:
            assert "the input for PreToolUse is not JSON" in said["permissionDecisionReason"]


def test_bad_input_is_counted_and_visible_in_status(world: World) -> None:
    for _ in range(3):
        world.send("Stop", b"{nonsense")
    told = wait_until(
        lambda: [p for p in world.status()["problems"] if p["kind"] == "bad input"],
        "status names the bad input",
    )
    assert told[0]["what"] == "the input for Stop is not JSON (JSONDecodeError)"
    assert wait_until(lambda: world.status()["problems"][0]["count"] == 3, "all three are counted")
    assert "bad input" in world.hookd("status")


def test_input_over_the_limit_is_asked_about_at_the_gate_and_passed_elsewhere(world: World) -> None:
    huge = b'{"hook_event_name": "PreToolUse", "x": "' + b"x" * (16 * 1024 * 1024) + b'"}'
    answer = world.send("PreToolUse", huge)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "over 16 MiB" in answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert world.send("PostToolUse", huge) is None


@pytest.mark.parametrize(
    ("env", "fields"),
    [
        ({"CURSOR_VERSION": "3.1"}, {}),
        ({"COPILOT_CLI": "1"}, {}),
        ({}, {"cursor_version": "3.1"}),
        ({}, {"timestamp": 1}),
    ],
)
def test_stands_down_when_another_agent_runs_these_settings(
    world: World, env: dict[str, str], fields: dict[str, object]
) -> None:
    world.write_hook(GUARD)
    tool = {"tool_name": "Bash", "tool_input": {"command": "acme deploy --now"}}
    assert world.send("PreToolUse", **tool)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.send("PreToolUse", env=env, **tool, **fields) is None


def test_an_unknown_event_and_an_unknown_agent_pass(world: World) -> None:
    assert world.send("EventOfTheFuture", new_field=[1]) is None
    process = world.popen("PreToolUse")
    process.communicate(b"{}")
    assert process.returncode == 0


def test_events_in_a_subfolder_reach_the_projects_daemon(world: World) -> None:
    world.bash("ls")
    inner = world.project / "src" / "deep"
    inner.mkdir(parents=True)
    world.bash("ls", env={"CLAUDE_PROJECT_DIR": str(inner)})
    assert world.status()["daemon"]["hooks"]["PreToolUse"]["calls"] == 2
