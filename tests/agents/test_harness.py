"""Proves the harness on the real Claude Code, and what hookd relies on: events, payloads, processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from claude import Agent, ClaudeTimeoutError, Run, run_claude
from plain_hooks import Record, Recorder, execute, on, write_settings
from scripted_model import Script, ScriptedModel, Text, ToolUse, Turn, texts_of

TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest")
SESSION_EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd")
EVENTS = (*TOOL_EVENTS, *SESSION_EVENTS, "SubagentStart", "SubagentStop")


def bash(command: str) -> list[ToolUse]:
    return [ToolUse("Bash", {"command": command})]


@dataclass(frozen=True)
class Story:
    project: Path
    run: Run
    model: ScriptedModel
    records: list[Record]

    def one(self, label: str) -> Record:
        return next(record for record in self.records if record.label == label)


@pytest.fixture(scope="module")
def story(
    claude_binary: Path,  # noqa: ARG001
    new_folder: Callable[[], Path],
    new_project: Callable[[], Path],
) -> Story:
    """One session with a command, a file, a failure and a subagent, seen by a hook on every event."""
    project, folder = new_project(), new_folder()
    recorder = Recorder(folder / "log")
    write_settings(project, recorder.hooks(EVENTS))
    # In the foreground: by default a subagent runs beside the main agent, and their order is left to chance.
    errand = {"description": "an errand", "prompt": "ERRAND: look", "run_in_background": False}
    main: list[Turn] = [
        bash("echo hi"),
        [ToolUse("Write", {"file_path": str(project / "new.txt"), "content": "new\n"})],
        bash("exit 3"),
        [ToolUse("Agent", errand)],
        [Text("All done.")],
    ]
    with ScriptedModel(Script(main, {"ERRAND": [bash("echo from below"), [Text("Looked.")]]})) as model:
        run = run_claude(project, "go", model, home=folder, extra_args=["--allowedTools", "Bash"])
    return Story(project, run, model, recorder.records())


def test_the_events_of_a_session_in_order(story: Story) -> None:
    assert story.run.exit_code == 0
    assert story.run.text == "All done."
    assert story.model.unused_turns() == 0
    assert len(story.model.requests_of("ERRAND")) == 2
    assert [record.label for record in story.records] == [
        "SessionStart startup",
        "UserPromptSubmit",
        *("PreToolUse Bash", "PostToolUse Bash", "PostToolBatch"),
        *("PreToolUse Write", "PostToolUse Write", "PostToolBatch"),
        *("PreToolUse Bash", "PostToolUseFailure Bash", "PostToolBatch"),
        *("PreToolUse Agent", "SubagentStart"),
        *("PreToolUse Bash", "PostToolUse Bash", "PostToolBatch", "SubagentStop"),
        *("PostToolUse Agent", "PostToolBatch"),
        "Stop",
        "SessionEnd",
    ]


def test_what_the_events_carry(story: Story) -> None:
    always = {"session_id": story.run.session_id, "cwd": str(story.project)}
    for record in story.records:
        assert record.payload.items() >= always.items()
        assert record.payload["transcript_path"].endswith(f"/{story.run.session_id}.jsonl")
        assert ("prompt_id" in record.payload) == (record.event != "SessionStart")
    assert story.one("UserPromptSubmit").payload["prompt"] == "go"
    call = story.one("PreToolUse Bash").payload
    assert call["tool_input"] == {"command": "echo hi"}
    assert call["permission_mode"] == "acceptEdits"
    done = story.one("PostToolUse Bash").payload
    assert done["tool_use_id"] == call["tool_use_id"]
    assert done["tool_response"].items() >= {"stdout": "hi", "stderr": "", "interrupted": False}.items()
    assert story.one("PostToolUse Write").payload["tool_response"]["type"] == "create"
    assert story.one("PostToolUseFailure Bash").payload["error"] == "Exit code 3"
    assert story.one("PostToolBatch").payload["tool_calls"][0]["tool_response"] == "hi"
    assert story.one("PostToolUse Agent").payload["tool_response"]["status"] == "completed"
    assert story.one("Stop").payload["stop_hook_active"] is False
    assert story.one("SessionEnd").payload["reason"] == "other"


def test_a_subagents_events_name_it(story: Story) -> None:
    start, stop = story.one("SubagentStart").payload, story.one("SubagentStop").payload
    inside = [record.payload for record in story.records if "agent_id" in record.payload]
    assert {payload["agent_id"] for payload in inside} == {start["agent_id"]}
    assert {payload["agent_type"] for payload in inside} == {"general-purpose"}
    assert [payload["hook_event_name"] for payload in inside] == [
        *("SubagentStart", "PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStop")
    ]
    assert stop["last_assistant_message"] == "Looked."
    assert start["transcript_path"] != stop["agent_transcript_path"]


def test_the_process_of_a_hook(story: Story) -> None:
    for record in story.records:
        assert record.cwd == str(story.project)
        assert record.group == record.session == record.pid, "a hook leads a session of its own"
        assert record.env["CLAUDE_PROJECT_DIR"] == str(story.project)
        assert record.env["CLAUDE_CODE_SESSION_ID"] == story.run.session_id
        assert record.env["CLAUDE_CODE_SESSION_ATTENDED"] == "0", "under -p nobody is watching"
        assert record.env["ANTHROPIC_API_KEY"] == "dummy", "a hook inherits the key: it must not pass it on"
        assert ("CLAUDE_ENV_FILE" in record.env) == (record.event == "SessionStart")
    assert "CLAUDE_EFFORT" in story.one("PreToolUse Bash").env


def test_hook_events_are_in_the_stream(story: Story) -> None:
    for event in ("SessionStart", "PreToolUse", "Stop"):
        responses = story.run.hook_responses(event)
        assert len(responses) == len(story.run.hooks_started(event)) > 0
        assert {response["outcome"] for response in responses} == {"success"}
    assert not story.run.hooks_started("SessionEnd"), "by then the stream is over"


def test_a_background_subagent_reports_back_as_a_prompt(
    agent: Agent, project: Path, agent_home: Path
) -> None:
    recorder = Recorder(agent_home / "log")
    write_settings(project, recorder.hooks(EVENTS))
    main_went_on = threading.Event()

    def report(_: dict[str, Any]) -> list[Text]:
        main_went_on.wait(20)
        return [Text("Found it.")]

    def go_on(_: dict[str, Any]) -> list[Text]:
        main_went_on.set()
        return [Text("Waiting.")]

    launch = [ToolUse("Agent", {"description": "an errand", "prompt": "ERRAND: look"})]
    run, model = agent(launch, go_on, [Text("All done.")], subagents={"ERRAND": [report]})
    assert run.text == "All done."
    assert recorder.records("PostToolUse")[0].payload["tool_response"]["status"] == "async_launched"
    assert "Found it." in texts_of(model.requests_of(None)[-1])
    assert recorder.records("UserPromptSubmit")[-1].payload["prompt"].startswith("<task-notification>")


def test_resume_and_compact(agent: Agent, project: Path, agent_home: Path) -> None:
    recorder = Recorder(agent_home / "log")
    write_settings(project, recorder.hooks(SESSION_EVENTS))
    first, _ = agent([Text("Hello.")])
    seen = len(recorder.records())
    # The request for a summary has tools, so it takes a turn; without the tags it would be made twice.
    summary = [Text("<summary>We said hello.</summary>")]
    again, model = agent(summary, prompt="/compact", extra_args=["--continue"])
    assert again.session_id == first.session_id
    assert len(model.requests) == 1
    records = recorder.records()[seen:]
    assert [record.label for record in records] == [
        *("SessionStart resume", "PreCompact", "SessionStart compact", "PostCompact", "SessionEnd")
    ]
    assert {record.payload["session_id"] for record in records} == {first.session_id}
    assert records[1].payload["trigger"] == "manual"
    assert "We said hello." in records[3].payload["compact_summary"]


def test_two_sessions_at_once_in_one_project(agent: Agent, project: Path, agent_home: Path) -> None:
    recorder = Recorder(agent_home / "log")
    write_settings(project, recorder.hooks(EVENTS))
    both_are_here = threading.Barrier(2, timeout=20)

    def meet(_: dict[str, Any]) -> list[ToolUse]:
        both_are_here.wait()
        return bash("echo met")

    def session(name: str) -> Run:
        run, _ = agent(meet, [Text(name)], prompt=name)
        return run

    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(session, ("one", "two")))
    assert [run.text for run in runs] == ["one", "two"]
    events = [
        [record.event for record in recorder.records() if record.payload["session_id"] == run.session_id]
        for run in runs
    ]
    assert events[0] == events[1]
    assert events[0][-2:] == ["Stop", "SessionEnd"]


# Starts something that is to outlive the session, then hangs. The second fork is needed: a hook is ended with
# its process group and with all its descendants, whatever session those are in.
HANGING_HOOK = """
import os, signal, sys, time
def note(name, text):
    with open(os.path.join(sys.argv[1], name), "w") as file:
        file.write(text)
def asked_to_end(*_):
    note("end", "asked to end")
    os._exit(0)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note("daemon", str(os.getpid()))
        os.closerange(0, 3)
        time.sleep(60)
    os._exit(0)
os.wait()
signal.signal(signal.SIGTERM, asked_to_end)
time.sleep(60)
"""


def test_a_hanging_session_end_hook_is_ended_but_not_what_it_detached(
    agent: Agent, project: Path, agent_home: Path
) -> None:
    hanging = execute(sys.executable, "-ISc", HANGING_HOOK, str(agent_home))
    write_settings(project, {"SessionEnd": [on("*", hanging)]})
    run, _ = agent([Text("Bye.")])
    assert run.exit_code == 0
    assert "Hook cancelled" in run.stderr
    assert (agent_home / "end").read_text() == "asked to end"
    daemon = int((agent_home / "daemon").read_text())
    os.kill(daemon, signal.SIGKILL)


def test_an_agent_that_does_not_finish_is_ended(agent: Agent) -> None:
    over = threading.Event()

    def never(_: dict[str, Any]) -> list[Text]:
        over.wait(20)
        return []

    with pytest.raises(ClaudeTimeoutError, match=r"no end after 2 s; stderr ends:"):
        agent(never, timeout=2)
    over.set()
