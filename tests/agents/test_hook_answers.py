"""What the real Claude Code makes of a hook's answer: the ground the gate and every injection stand on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude import Agent
from plain_hooks import Recorder, answer, execute, on, shell, specific, write_settings
from scripted_model import Text, ToolUse, texts_of, tool_results

DONE = [Text("Done.")]


def bash(command: str) -> list[ToolUse]:
    return [ToolUse("Bash", {"command": command}, id="call")]


def test_deny_keeps_the_file_and_the_model_reads_why(agent: Agent, project: Path) -> None:
    deny = specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="Keep it.")
    write_settings(project, {"PreToolUse": [on("Bash", deny)]})
    run, model = agent(bash("rm README.md"), DONE)
    assert (project / "README.md").exists()
    assert tool_results(model.requests[1])["call"] == "PreToolUse:Bash hook error: Keep it."
    assert [denial["tool_use_id"] for denial in run.result["permission_denials"]] == ["call"]


def test_exit_code_2_refuses_with_stderr(agent: Agent, project: Path) -> None:
    write_settings(project, {"PreToolUse": [on("Bash", shell("echo Keep it. >&2; exit 2"))]})
    run, model = agent(bash("rm README.md"), DONE)
    assert (project / "README.md").exists()
    assert tool_results(model.requests[1])["call"].rstrip().endswith("]: Keep it.")
    assert [response["exit_code"] for response in run.hook_responses("PreToolUse")] == [2]


def test_added_context_is_in_the_next_request(agent: Agent, project: Path) -> None:
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
    hooks = {event: [on("*", specific(event, additionalContext=f"<{event} knows>"))] for event in events}
    hooks["SessionStart"].append(on("*", shell("echo plain words")))
    write_settings(project, hooks)
    _, model = agent(bash("echo hi"), DONE)
    before, after = map(texts_of, model.requests)
    assert "<SessionStart knows>" in before
    assert "plain words" in before
    assert "<UserPromptSubmit knows>" in before
    assert "<PreToolUse knows>" in after
    assert "<PostToolUse knows>" in after
    assert "hi" in tool_results(model.requests[1])["call"], "the result itself stays as it was"


def test_a_missing_hook_lets_the_call_pass(agent: Agent, project: Path) -> None:
    write_settings(project, {"PreToolUse": [on("Bash", execute("/missing/hook", "gate"))]})
    run, model = agent(bash("echo ran"), DONE)
    assert tool_results(model.requests[1])["call"] == "ran"
    assert [notice["tag"] for notice in run.system("informational")] == ["hook_no_verdict"]


@pytest.mark.parametrize(
    ("handler", "why"),
    [
        (execute("/missing/hook", "gate", onFailure="block"), "failed; blocking because onFailure"),
        (shell("echo '{broken}'", onFailure="block"), "failed; blocking because onFailure"),
        (shell("sleep 60", onFailure="block", timeout=1), "timed out; blocking because onFailure"),
    ],
    ids=["missing", "broken", "slow"],
)
def test_a_failing_hook_refuses_where_told_to(
    agent: Agent, project: Path, handler: dict[str, Any], why: str
) -> None:
    write_settings(project, {"PreToolUse": [on("Bash", handler)]})
    _, model = agent(bash("rm README.md"), DONE)
    assert (project / "README.md").exists()
    assert why in tool_results(model.requests[1])["call"]


def test_ask_is_a_refusal_when_nobody_is_watching(agent: Agent, project: Path, agent_home: Path) -> None:
    recorder = Recorder(agent_home / "log")
    ask = specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="Sure?")
    write_settings(project, {"PreToolUse": [on("Bash", ask)], **recorder.hooks(["PermissionRequest"])})
    run, model = agent(bash("rm README.md"), DONE)
    assert (project / "README.md").exists()
    assert tool_results(model.requests[1])["call"] == "Sure?"
    assert [event["decision_reason_type"] for event in run.system("permission_denied")] == ["hook"]
    assert not recorder.records(), "no other hook is asked in the person's place"


@pytest.mark.parametrize(
    ("decision", "runs"),
    [(None, False), ({"behavior": "deny", "message": "Not today."}, False), ({"behavior": "allow"}, True)],
    ids=["silent", "deny", "allow"],
)
def test_a_permission_request(
    agent: Agent, project: Path, agent_home: Path, decision: dict[str, str] | None, runs: bool
) -> None:
    recorder = Recorder(agent_home / "log")
    hooks = recorder.hooks(["PermissionRequest"])
    if decision:
        decided = recorder.first(specific("PermissionRequest", decision=decision))
        hooks["PermissionRequest"].append(on("*", decided))
    write_settings(project, hooks)
    _, model = agent(bash("touch made"), DONE, permission_mode="default", extra_args=[])
    (request,) = recorder.records()
    assert request.payload["tool_input"] == {"command": "touch made"}
    assert "tool_use_id" not in request.payload
    assert (project / "made").exists() is runs
    assert (decision or {}).get("message", "") in tool_results(model.requests[1])["call"]


def test_a_system_message_is_for_the_person(agent: Agent, project: Path) -> None:
    events = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    message = on("*", answer({"systemMessage": "psst"}))
    write_settings(project, {event: [message] for event in events})
    run, model = agent(bash("echo hi"), DONE)
    assert run.notices == [
        *("UserPromptSubmit says: psst", "PreToolUse:Bash says: psst"),
        *("PostToolUse:Bash says: psst", "Stop says: psst"),
    ]
    assert "psst" not in texts_of(model.requests[1]), "the model does not see it"


def test_stop_is_refused_once(agent: Agent, project: Path) -> None:
    once = answer({"decision": "block", "reason": "Run the tests."})
    once["command"] = f"grep -q '\"stop_hook_active\":true' || {{ {once['command']}; }}"
    write_settings(project, {"Stop": [on("*", once)]})
    run, model = agent([Text("Finished?")], DONE)
    assert run.text == "Done."
    assert "Run the tests." in texts_of(model.requests[1])


def test_a_refused_prompt_never_reaches_the_model(agent: Agent, project: Path) -> None:
    refuse = answer({"decision": "block", "reason": "Not that."})
    write_settings(project, {"UserPromptSubmit": [on("*", refuse)]})
    run, model = agent(DONE)
    assert not model.requests
    assert "Not that." in run.text


def test_updated_input_replaces_the_command(agent: Agent, project: Path) -> None:
    rewrite = specific("PreToolUse", permissionDecision="allow", updatedInput={"command": "echo safer"})
    write_settings(project, {"PreToolUse": [on("Bash", rewrite)]})
    _, model = agent(bash("rm README.md"), DONE)
    assert (project / "README.md").exists()
    assert tool_results(model.requests[1])["call"] == "safer"


@pytest.mark.parametrize(
    ("output", "heard"),
    [
        ({"stdout": "masked", "stderr": "", "interrupted": False}, "masked"),
        ({"stdout": "masked"}, "secret"),
        ("masked", "secret"),
    ],
    ids=["whole", "part", "text"],
)
def test_updated_output_has_to_be_a_whole_bash_result(
    agent: Agent, project: Path, output: dict[str, Any] | str, heard: str
) -> None:
    write_settings(project, {"PostToolUse": [on("Bash", specific("PostToolUse", updatedToolOutput=output))]})
    _, model = agent(bash("echo secret"), DONE)
    assert tool_results(model.requests[1])["call"] == heard
