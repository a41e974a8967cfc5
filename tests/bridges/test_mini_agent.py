"""The example agent against a scripted model: in a real terminal, and where nobody is."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from scripted_model import Request, Script, ScriptedModel, Text, ToolUse, Turn, tool_results
from terminal import PATIENCE, PYTHON, Terminal

AGENT = Path(__file__).parents[2] / "examples" / "mini_agent" / "agent.py"
DELETE: Turn = [ToolUse("Bash", {"command": "rm notes.txt"}, "delete")]
SELECTING = """
from hookd import block

def register(hookd):
    @hookd.on("tool_call", tool="Read")
    async def which(event, ctx):
        chosen = await ctx.ui.select("Which?", ["one", "two"])
        typed = await ctx.ui.input("Why?")
        return block(f"has_ui={ctx.has_ui} select={chosen} input={typed}")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("password: 12345\n")
    return folder


def environment(project: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(project.parent),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "dummy",
        "PYTHONUNBUFFERED": "1",
    }


def command(model: ScriptedModel, *arguments: str) -> list[str]:
    return [PYTHON, str(AGENT), "--base-url", model.url, *arguments]


def run_alone(project: Path, line: list[str]) -> subprocess.CompletedProcess[str]:
    """Without a terminal."""
    return subprocess.run(
        line,
        cwd=project,
        env=environment(project),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        start_new_session=True,
        check=False,
    )


def headless(project: Path, turns: Sequence[Turn], *arguments: str) -> tuple[str, ScriptedModel]:
    with ScriptedModel(Script(turns)) as model:
        done = run_alone(project, command(model, *arguments))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, model


def test_it_works_with_its_tools(project: Path) -> None:
    turns: list[Turn] = [
        [Text("I look."), ToolUse("Read", {"file_path": "notes.txt"}, "read")],
        [
            ToolUse("Write", {"file_path": "a/b.txt", "content": "one"}, "write"),
            ToolUse("Bash", {"command": "cat a/b.txt; exit 3"}, "run"),
            ToolUse("Edit", {"file_path": "a/b.txt", "old_string": "one", "new_string": "two"}, "edit"),
            ToolUse("Edit", {"file_path": "a/b.txt", "old_string": "one", "new_string": "two"}, "wrong"),
            ToolUse("Unknown", {}, "unknown"),
        ],
        [Text("All done.")],
    ]
    shown, model = headless(project, turns, "do it")
    assert "I look." in shown
    assert "All done." in shown
    results = tool_results(model.requests[-1])
    assert results["read"] == "password: [hidden]\n", "the hook had the last word"
    assert results["run"] == "one\n(exit code 3)"
    assert "occurs 0 times" in results["wrong"]
    assert "KeyError" in results["unknown"]
    assert (project / "a/b.txt").read_text() == "two"


def test_where_nobody_is_the_answer_is_no(project: Path) -> None:
    (project / "asking.py").write_text(SELECTING)
    turns: list[Turn] = [DELETE, [ToolUse("Read", {"file_path": "notes.txt"}, "read")], [Text("Fine.")]]
    _, model = headless(project, turns, "--hook", "asking.py", "clean up")
    results = tool_results(model.requests[-1])
    assert "the user does not want this deleted" in results["delete"]
    assert "has_ui=False select=None input=None" in results["read"]
    assert (project / "notes.txt").exists()


@pytest.mark.parametrize(("key", "deleted"), [("y", True), ("n", False)])
def test_a_person_answers(project: Path, key: str, deleted: bool) -> None:
    with (
        ScriptedModel(Script([DELETE, [Text("So be it.")]])) as model,
        Terminal(command(model, "clean up"), cwd=project, env=environment(project)) as terminal,
    ):
        terminal.see("Delete this?")
        terminal.type(key)
        terminal.see("So be it.")
        assert terminal.ended() == 0
        assert terminal.now == terminal.before
    assert (project / "notes.txt").exists() is not deleted
    refused = "the user does not want this deleted" in tool_results(model.requests[-1])["delete"]
    assert refused is not deleted


def test_ctrl_c_at_a_question_is_a_no(project: Path) -> None:
    with (
        ScriptedModel(Script([DELETE, [Text("So be it.")]])) as model,
        Terminal(command(model, "clean up"), cwd=project, env=environment(project)) as terminal,
    ):
        terminal.see("Delete this?")
        terminal.type("\x03")
        terminal.see("So be it.")
        assert terminal.ended() == 0
        assert terminal.now == terminal.before
    assert (project / "notes.txt").exists()


def test_ctrl_c_while_the_model_thinks(project: Path) -> None:
    asked, leave = threading.Event(), threading.Event()

    def think(_request: Request) -> Sequence[Text]:
        asked.set()
        leave.wait(PATIENCE)
        return [Text("too late")]

    with (
        ScriptedModel(Script([think])) as model,
        Terminal(command(model), cwd=project, env=environment(project)) as terminal,
    ):
        terminal.see("> ")
        terminal.type("think hard\n")
        assert asked.wait(PATIENCE)
        terminal.type("\x03")
        assert terminal.ended() == 130
        assert terminal.now == terminal.before
        leave.set()


def test_an_interrupt_at_a_question(project: Path) -> None:
    with (
        ScriptedModel(Script([DELETE, [Text("So be it.")]])) as model,
        Terminal(command(model, "clean up"), cwd=project, env=environment(project)) as terminal,
    ):
        terminal.see("Delete this?")
        assert terminal.now != terminal.before, "a question reads keys, not lines"
        terminal.interrupt()
        assert terminal.ended() == 130
        assert terminal.now == terminal.before
    assert (project / "notes.txt").exists()


def test_a_server_that_is_not_there(project: Path) -> None:
    done = run_alone(project, [PYTHON, str(AGENT), "--base-url", "http://127.0.0.1:9", "go"])
    assert done.returncode == 1
    assert done.stderr.startswith("mini-agent: ")
    assert "Traceback" not in done.stderr
