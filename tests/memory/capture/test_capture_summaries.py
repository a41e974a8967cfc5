"""A tool call in a few words, and what is left out of them."""

from typing import Any

import pytest

from hookd.events.calls import Call
from hookd.memory.capture.calls import FinishedCall
from hookd.memory.capture.summaries import kind_of, paths, summary, written_by
from played import Played
from secrets_made_up import GITHUB_TOKEN

LONG = "x" * 5000


def call(tool: str, output: str = "", **given: Any) -> FinishedCall:
    return FinishedCall(asked=Call(tool, given), output=output, failed=False, root="/w", cwd="/w/src")


@pytest.mark.parametrize(
    ("made", "kind", "provenance", "text"),
    [
        (
            call("Write", file_path="/w/a.py", content="A = 1\n" + LONG),
            "edit",
            "file",
            "wrote a.py\nA = 1\n" + "x" * 194,
        ),
        (
            call("Edit", file_path="b.py", old_string="A = 1", new_string="A = 2"),
            "edit",
            "file",
            "edited src/b.py\nA = 1 -> A = 2",
        ),
        (
            call(
                "MultiEdit",
                file_path="/w/a.py",
                edits=[{"old_string": str(n), "new_string": "z"} for n in range(5)],
            ),
            "edit",
            "file",
            "edited a.py\n0 -> z\n1 -> z\n2 -> z\nand 2 more",
        ),
        (
            call("NotebookEdit", notebook_path="/w/a.ipynb", new_source="1 + 1"),
            "edit",
            "file",
            "edited a.ipynb\nnothing -> 1 + 1",
        ),
        (
            call("Bash", "\x1b[31mtwelve rows\x1b[0m\n\n\n" + LONG, command="./count.sh"),
            "command",
            "tool",
            "./count.sh\ntwelve rows\n" + "x" * 188,
        ),
        (call("Bash", "secret text of the file", command="cat a.py"), "read", "agent", "cat a.py"),
        (call("Read", LONG, file_path="/w/a.py"), "read", "agent", "read a.py"),
        (
            call("Grep", LONG, pattern="def total", path="/w/src"),
            "read",
            "agent",
            "searched def total in src",
        ),
        (
            call("WebFetch", LONG, url="https://example.com/a", prompt="read it"),
            "web",
            "web",
            "looked up https://example.com/a",
        ),
        (call("WebSearch", LONG, query="sqlite wal"), "web", "web", "searched the web for sqlite wal"),
        (
            call("mcp__github__create_issue", LONG, title="Rounding", labels=["bug"]),
            "tool",
            "tool",
            'mcp__github__create_issue\n{"title":"Rounding","labels":"[\\"bug\\"]"}',
        ),
        (call("shell", "ok then", cmd="./run.sh"), "command", "tool", "./run.sh\nok then"),
        (call("my_reader", path="/etc/hosts"), "read", "agent", "read /etc/hosts"),
    ],
)
def test_each_tool_has_its_summary(made: Call, kind: str, provenance: str, text: str) -> None:
    assert (kind_of(made), written_by(made)) == (kind, provenance)
    assert summary(made) == text


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sed -i s/a/b/ x.py", ("src/x.py",)),
        ("cd /w && cat > notes.md <<E\nhi\nE", ("notes.md",)),
        ("mv a.py ../b.py", ("b.py", "src/a.py")),
        ("pytest tests/test_a.py::test_b", ("src/tests/test_a.py",)),
        ("rm -rf /elsewhere/x", ("/elsewhere/x",)),
        ("make deploy", ()),
    ],
)
def test_the_files_of_a_shell_line(command: str, expected: tuple[str, ...]) -> None:
    assert paths(call("Bash", command=command)) == expected


def test_secrets_are_gone_before_anything_is_cut(project: Played) -> None:
    padding = "y" * 190
    project.write("src/a.py", f"{padding} {GITHUB_TOKEN} rest")
    project.bash(f"./send.sh {GITHUB_TOKEN}", f"{padding} {GITHUB_TOKEN}")
    project.bash("./fail.sh", error=f"Exit code 1\n{GITHUB_TOKEN}")
    project.write(".env", "PASSWORD=hunter2hunter2")
    project.prompt(f"We use {GITHUB_TOKEN} because it is there.")
    stored = str(project.rows("SELECT text, detail FROM observation"))
    assert len(project.observations()) == 5
    assert GITHUB_TOKEN[:12] not in stored and "hunter2" not in stored


def test_a_call_whose_beginning_nobody_saw_is_captured_too(project: Played) -> None:
    given = {"file_path": str(project.root / "a.py"), "content": "LIMIT = 50"}
    project.send("PostToolUse", tool_name="Write", tool_input=given, tool_use_id="toolu_9", tool_response={})
    assert project.texts("edit") == ["wrote a.py\nLIMIT = 50"]
    # Where the beginning is on record, its input is not written twice.
    project.write("b.py", "LIMIT = 60")
    inputs = [row["input"] for row in project.rows("SELECT input FROM event WHERE name = 'PostToolUse'")]
    assert ["LIMIT" in each for each in inputs] == [True, False]


def test_the_same_call_and_the_same_reading_are_remembered_once(project: Played) -> None:
    for _ in range(3):
        project.read("src/a.py", "A = 1")
    given = {
        "tool_name": "Write",
        "tool_input": {"file_path": "x.py", "content": "1"},
        "tool_use_id": "toolu_same",
    }
    for _ in range(3):
        project.send("PostToolUse", **given, tool_response={})
    assert project.texts() == ["read src/a.py", "wrote x.py\n1"]
    project.session = "s2"
    project.read("src/a.py", "A = 1")
    assert len(project.texts("read")) == 2
