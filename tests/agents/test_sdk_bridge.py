"""The bridge to the Claude Agent SDK, with the real SDK and the real agent behind it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claude import clean_env
from scripted_model import Request, Scripted, ScriptedModel, Text, ToolUse, Turn, tool_results

Session = Callable[..., tuple[dict[str, Any], ScriptedModel]]
TWO_CALLS: list[Turn] = [
    [ToolUse("Bash", {"command": "forbidden"}, "refused")],
    [ToolUse("Bash", {"command": "wrong"}, "rewritten")],
]
BEGINNING = [
    "session",
    "agent_start",
    "turn_start 0",
    ["call", "Bash", {"command": "forbidden"}],
    "turn_end 0",
    "turn_start 1",
    ["call", "Bash", {"command": "wrong"}],
]


@pytest.fixture
def session(claude_binary: Path, scripted: Scripted, project: Path, agent_home: Path) -> Session:  # noqa: ARG001
    """Runs a session in which the model says these turns; the project's settings have a hook of their own."""
    right = project / "bin" / "right"
    right.parent.mkdir()
    right.write_text("#!/bin/sh\necho the secret\n")
    right.chmod(0o755)
    (project / ".claude").mkdir()
    handler = {"type": "command", "command": f"echo ran >> {project}/settings-hook"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}
    (project / ".claude" / "settings.json").write_text(json.dumps(settings))

    def run(*turns: Turn, **options: Any) -> tuple[dict[str, Any], ScriptedModel]:
        model = scripted(turns)
        given: dict[str, Any] = {"sources": None, "keep_going": 0, "interrupt_at": ""} | options
        env = clean_env(agent_home, model, f"{right.parent}:/usr/local/bin:/usr/bin:/bin")
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("sdk_bridge.py"))],
            input=json.dumps(given).encode(),
            cwd=project,
            env=env | {"CLAUDE_CODE_MAX_RETRIES": "0"},
            capture_output=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout.splitlines()[-1]), model

    return run


@pytest.mark.parametrize("sources", [None, []])
def test_a_hook_blocks_rewrites_and_changes_and_nothing_runs_twice(
    session: Session, project: Path, sources: list[str] | None
) -> None:
    told, model = session(*TWO_CALLS, [Text("done")], sources=sources)
    last = model.requests[-1]
    assert tool_results(last) == {
        "refused": "PreToolUse:Bash hook error: that is forbidden",
        "rewritten": "the [hidden]",
    }
    end = [["result", "the secret", False], "turn_end 1", "turn_start 2", "turn_end 2", "agent_end"]
    assert told == {"events": [*BEGINNING, *end], "ended": "success", "asked": []}
    # Whether the agent reads the project's settings or only the engine has: once for each of the two calls.
    assert (project / "settings-hook").read_text() == "ran\nran\n"


def test_a_hook_keeps_the_agent_going(session: Session) -> None:
    told, model = session([Text("finished")], [Text("done")], keep_going=1)
    assert "run the tests first" in json.dumps(model.requests[1]["messages"])
    first = ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end"]
    assert told["events"] == [*first, "agent_start", "turn_start 1", "turn_end 1", "agent_end"]


def test_a_hooks_question_is_the_agents_and_its_message_reaches_the_model(session: Session) -> None:
    told, model = session([ToolUse("Bash", {"command": "ask about this"}, "asked")], [Text("done")])
    assert told["asked"] == ["ask about this"]
    assert "the person said no" in tool_results(model.requests[-1])["asked"]
    assert "the person was asked" in json.dumps(model.requests[-1]["messages"])


def test_an_interrupted_session_is_closed_in_order(session: Session) -> None:
    told, _ = session(*TWO_CALLS, [Text("done")], interrupt_at="wrong")
    assert told["events"] == [*BEGINNING, "turn_end 1", "agent_end interrupted"]


def test_a_model_that_fails(session: Session) -> None:
    def fail(_request: Request) -> list[Text]:
        raise BrokenPipeError  # the server drops the connection

    told, _ = session(fail)
    life = ["session", "agent_start", "turn_start 0", "turn_end 0"]
    assert told["events"][:-1] == life
    assert told["events"][-1].startswith("agent_end ")
