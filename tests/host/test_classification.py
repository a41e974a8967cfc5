"""Exit code and output, for events that can be stopped and events that cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookd.agents.claude_handlers import Command
from hookd.events.outcome import Decision
from hookd.host.classify import Ended, classify
from hookd.host.protocol import RULES

PLAIN = Command(command="hook")
CLOSED = Command(command="hook", on_failure="block")
DENY = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}})
CONTEXT = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "x"}})


@pytest.mark.parametrize(
    ("stdout", "code", "status", "denied", "denied_if_closed"),
    [
        (CONTEXT, 0, "success", False, False),
        (CONTEXT, 2, "error", True, True),
        (CONTEXT, 1, "error", False, True),
        (DENY, 0, "success", True, True),
        (DENY, 1, "error", True, True),
        ("{broken}", 0, "error", False, True),
        ("{broken}", 2, "error", True, True),
        ("{broken}", 1, "error", False, True),
        ("plain", 0, "success", False, False),
        ("plain", 2, "error", True, True),
        ("plain", 1, "error", False, True),
        ("", 0, "success", False, False),
        ("", 127, "error", False, True),
        ('{"async": true, "decision": "block"}', 0, "success", True, True),
        ('{"async": true, "hookSpecificOutput": "deny", "reason": 3}', 0, "success", False, False),
    ],
)
def test_the_table(stdout: str, code: int, status: str, denied: bool, denied_if_closed: bool) -> None:
    ended = Ended(exit_code=code, stdout=stdout, stderr="why")
    reply = classify("PreToolUse", PLAIN, ended)
    assert reply.status == status
    assert (reply.answer.decision is Decision.DENY) is denied
    closed = classify("PreToolUse", CLOSED, ended)
    assert (closed.answer.decision is Decision.DENY) is denied_if_closed


@pytest.mark.parametrize("event", RULES)
def test_exit_2_refuses_only_where_something_can_be_stopped_or_told(event: str) -> None:
    reply = classify(event, PLAIN, Ended(exit_code=2, stderr="why"))
    assert (reply.answer.decision is Decision.DENY) is (RULES[event].exit_2 in ("block", "tell"))


@pytest.mark.parametrize("event", RULES)
def test_plain_output_is_for_the_model_for_five_events(event: str) -> None:
    reply = classify(event, PLAIN, Ended(exit_code=0, stdout="words\n"))
    five = {"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch", "PreCompact"}
    assert (reply.plain == "words") is (event in five)


def test_a_time_out_stops_a_model_switch_only() -> None:
    late = Ended(timed_out=True)
    assert classify("PreToolUse", PLAIN, late).answer.decision is None
    assert classify("PreModelSwitch", PLAIN, late).answer.decision is Decision.DENY
    assert classify("PreToolUse", CLOSED, late).answer.decision is Decision.DENY
    assert classify("Stop", CLOSED, late).answer.decision is None


@pytest.mark.parametrize(
    ("stdout", "code", "path"),
    [("made\n\x1b[32m/tree/x\x1b[0m\n\n", 0, "/tree/x"), ("", 0, None), ("/tree/x", 1, None)],
)
def test_worktrees(stdout: str, code: int, path: str | None) -> None:
    reply = classify("WorktreeCreate", PLAIN, Ended(exit_code=code, stdout=stdout))
    assert reply.answer.fields.get("worktreePath") == path
    assert (reply.answer.decision is Decision.DENY) is (path is None)


@pytest.mark.parametrize(
    ("event", "specific", "field", "value"),
    [
        ("Elicitation", {"action": "accept", "content": {"a": 1}}, "content", {"a": 1}),
        ("MessageDisplay", {"displayContent": "x"}, "displayContent", "x"),
        ("PermissionDenied", {"retry": True}, "retry", True),
        ("SessionStart", {"watchPaths": ["/a"]}, "watchPaths", ["/a"]),
        ("UserPromptSubmit", {"sessionTitle": "t"}, "sessionTitle", "t"),
        ("PostToolUse", {"classifierContext": "c"}, "classifierContext", "c"),
    ],
)
def test_fields_of_events(event: str, specific: dict[str, Any], field: str, value: Any) -> None:
    output = json.dumps({"hookSpecificOutput": {"hookEventName": event, **specific}})
    assert classify(event, PLAIN, Ended(exit_code=0, stdout=output)).answer.fields[field] == value


def test_a_model_switch_that_nobody_answered_names_no_setting_that_is_not_there() -> None:
    late = Ended(timed_out=True)
    reply = classify("PreModelSwitch", Command(command="x"), late)
    assert reply.answer.decision is Decision.DENY
    assert "onFailure" not in reply.said
    assert "onFailure" in classify("PreModelSwitch", Command(command="x", on_failure="block"), late).said
