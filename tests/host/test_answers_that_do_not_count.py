"""Answers, or parts of them, that the protocol gives no effect, and those that go somewhere special."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire, command, settings

from hookd import block, respond
from hookd.events.outcome import Decision
from hookd.host import HookEngine


def says(output: dict[str, Any], code: int = 0) -> dict[str, Any]:
    return command(f"cat > /dev/null; printf '%s' '{json.dumps(output)}'; exit {code}")


def own(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def test_what_a_hook_prints_in_front_of_a_compaction_is_instructions(fire: Fire) -> None:
    fired = fire(settings("PreCompact", command("echo keep the names")), "PreCompact", {"trigger": "manual"})
    assert fired.context == fired.for_model == ("keep the names",)
    assert fired.output == {}
    assert not fire(settings("PreCompact", command("echo x; exit 1")), "PreCompact", {}).for_model


@pytest.mark.parametrize(
    ("sequence", "passes"),
    [
        ("\a", True),
        ("\x1b]0;title\a", True),
        ("\x1b]777;notify;a;b\x1b\\", True),
        ("\x1b]9;done\a\x1b]2;two\a\a", True),
        ("", False),
        ("text", False),
        ("\x1b[2J", False),
        ("\x1b]52;c;aGk=\a", False),
        ("\x1b]10;?\a", False),
        ("\x1b]0;open", False),
        ("\x1b]0;a\x1b[2J\a", False),
        ("\x1b]0;a\nb\a", False),
        ("\x1b]0;a\x9b2J\a", False),
        ("\a\x1b]52;c;aGk=\a", False),
    ],
)
@pytest.mark.parametrize("as_outcome", [True, False])
def test_only_harmless_sequences_reach_a_terminal(sequence: str, passes: bool, as_outcome: bool) -> None:
    engine = HookEngine()
    given = {"terminalSequence": sequence}
    engine.on("Notification", lambda _event: respond(**given) if as_outcome else given)
    fired = engine.fire_sync("Notification", message="x")
    assert fired.output == (given if passes else {})
    assert fired.outcome.fields == (given if passes else {})
    assert bool(fired.notes) is not passes


@pytest.mark.parametrize(
    "event",
    "SessionStart SubagentStart SessionEnd PostModelSwitch CwdChanged FileChanged PostCompact".split(),
)
def test_exit_code_2_where_there_is_nothing_to_stop_is_shown(fire: Fire, event: str) -> None:
    two, one = (settings(event, command(f"echo look here >&2; exit {code}")) for code in (2, 1))
    fired = fire(two, event, {}, interactive=True)
    assert not fired.blocked
    (line,) = fired.for_person
    assert line.endswith("look here")
    assert not fire(one, event, {}, interactive=True).for_person
    unattended = fire(two, event, {})
    assert not unattended.for_person
    assert unattended.notes[0].endswith("look here")


@pytest.mark.parametrize("event", ["Setup", "Notification", "StopFailure", "MessageDisplay"])
def test_exit_code_2_where_it_means_nothing_is_not_shown(fire: Fire, event: str) -> None:
    found = settings(event, command("echo look >&2; exit 2"))
    assert not fire(found, event, {}, interactive=True).for_person


@pytest.mark.parametrize("line", [command("exit 2"), says({"decision": "block", "reason": "no"})])
def test_an_administrators_settings_change_whatever_hooks_say(fire: Fire, line: dict[str, Any]) -> None:
    found = settings("ConfigChange", line)
    assert fire(found, "ConfigChange", {"source": "user_settings"}).blocked
    fired = fire(found, "ConfigChange", {"source": "policy_settings"})
    assert (fired.blocked, fired.decision, fired.refusal, fired.output) == (False, None, None, {})


@pytest.mark.parametrize("code", [1, 2])
def test_a_worktree_that_is_gone_is_removed(fire: Fire, tmp_path: Path, code: int) -> None:
    found = settings("WorktreeRemove", command(f"exit {code}"))
    (tmp_path / "tree").mkdir()
    assert fire(found, "WorktreeRemove", {"worktree_path": str(tmp_path / "tree")}).blocked
    assert not fire(found, "WorktreeRemove", {"worktree_path": str(tmp_path / "gone")}).blocked
    assert fire(found, "WorktreeRemove", {}).blocked


@pytest.mark.parametrize("event", ["Elicitation", "ElicitationResult"])
def test_forms(fire: Fire, event: str) -> None:
    accepts = own(event, action="accept", content={"a": 1})
    assert fire(settings(event, says(accepts)), event, {}).output == accepts
    assert fire(settings(event, says(accepts, 1)), event, {}).output == {}
    assert fire(settings(event, says(own(event, action="decline"), 1)), event, {}).decision is None
    declined = own(event, action="decline")
    for both in ((accepts, declined), (declined, accepts)):
        assert fire(settings(event, *map(says, both)), event, {}).output == declined
    unsaid = fire(settings(event, says(own(event, content={"a": 1}))), event, {})
    assert unsaid.output == {}
    assert "no action" in unsaid.notes[0]


def test_a_message_about_a_directory_is_for_the_model(fire: Fire) -> None:
    found = settings("DirectoryAdded", says({"systemMessage": "it has its own rules"}))
    fired = fire(found, "DirectoryAdded", {"source": "slash_command"})
    (text,) = fired.for_model
    assert text.endswith("it has its own rules")
    assert not fired.for_person
    other = fire(found, "DirectoryAdded", {"source": "register_repo_root"})
    assert not other.for_model
    assert not other.for_person


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_to_the_agent_is_no_context(fire: Fire, value: str) -> None:
    fired = fire(settings("UserPromptSubmit", command(f"echo '{{\"a\":{value}}}'")), "UserPromptSubmit", {})
    assert not fired.context
    assert fired.handlers[0].outcome == "error"
    assert "is not valid JSON" in fired.notes[0]


def test_a_bash_result_is_replaced_in_its_own_shape(fire: Fire) -> None:
    response = {"stdout": "a", "stderr": "", "interrupted": False}
    fields = {**BASH, "tool_response": response}
    for wrong in ("text", {"stdout": "x"}, ["x"]):
        found = settings("PostToolUse", says(own("PostToolUse", updatedToolOutput=wrong)))
        fired = fire(found, "PostToolUse", fields)
        assert fired.updated_output is None
        assert fired.output == {}
        assert "updatedToolOutput is ignored" in fired.notes[0]
    right = {**response, "stdout": "b"}
    found = settings("PostToolUse", says(own("PostToolUse", updatedToolOutput=right)))
    assert fire(found, "PostToolUse", fields).updated_output == right
    text = settings("PostToolUse", says(own("PostToolUse", updatedToolOutput="text")))
    assert fire(text, "PostToolUse", {**fields, "tool_response": "a"}).updated_output == "text"


def test_a_stop_past_the_cap_is_refused_in_no_way() -> None:
    engine = HookEngine(env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"})
    engine.on("Stop", lambda _event: block("more"))
    assert engine.fire_sync("Stop").decision is Decision.DENY
    past = engine.fire_sync("Stop")
    assert (past.blocked, past.goes_on, past.decision, past.reason) == (False, False, None, "")
    assert (past.output, past.refusal, past.for_model) == ({}, None, ())
    assert "overriding and ending turn" in past.notes[-1]
