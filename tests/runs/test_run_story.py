"""A session told as its story."""

import re
from typing import Any

from runs_world import KEY, Project, entry

from hookd.journal.entries import Entry, Told
from hookd.journal.repository import Events
from hookd.runs.story import lines, steps

SESSION = [
    entry(
        0,
        "SessionStart",
        detail="startup",
        told=(Told(by="rules.freeze", what="context", text="no deploys"),),
    ),
    entry(1, "UserPromptSubmit", input={"prompt": "fix the test\nand nothing else"}),
    entry(2, "PreToolUse", tool="Bash", tool_use="t1", input={"tool_input": {"command": "pytest -q"}}),
    entry(
        4,
        "PostToolUse",
        tool="Bash",
        tool_use="t1",
        output="\n".join(f"line {number}" for number in range(9)),
        told=(Told(by="rules.hint", what="context", text="two did not run"), Told(by="x", what="replace")),
    ),
    entry(5, "PostToolBatch", turn=1),
    entry(
        6,
        "PreToolUse",
        tool="Bash",
        tool_use="t2",
        verdict="deny",
        by="rules.guard",
        input={"tool_input": {"command": "rm -rf data"}},
        told=(Told(by="rules.guard", what="deny", text="move it to the trash"),),
    ),
    entry(
        7,
        "PreToolUse",
        tool="Read",
        tool_use="t3",
        subagent="a1b2c3",
        input={"tool_input": {"file_path": "/p/x"}},
    ),
    entry(8, "PostToolUseFailure", tool="Read", tool_use="t3", subagent="a1b2c3", output="no such file"),
    entry(9, "Stop", input={"last_assistant_message": "It is fixed."}),
    entry(10, "SomethingNew"),
    entry(11, "SessionEnd", detail="logout"),
]

STORY = """\
The session begins (startup).
  rules.freeze told the model: no deploys
You: fix the test
and nothing else
Bash: pytest -q
  ok after 2.0 s
  | line 0
  | line 1
  | line 2
  | line 3
  | ... 5 more lines
  rules.hint told the model: two did not run
Bash: rm -rf data
  stopped by rules.guard: move it to the trash
Read: /p/x (subagent a1b2c3)
  failed after 1.0 s
  | no such file
The agent is done: It is fixed.
SomethingNew.
The session ends (logout)."""


def told(project: Project, *entries: Entry) -> list[dict[str, Any]]:
    project.record(*entries)
    with project.store.reading() as db:
        return steps(Events(db, KEY).events("s1"))


def text(found: list[dict[str, Any]]) -> str:
    """The story without its clock."""
    return "\n".join(re.sub(r"^(\d\d:\d\d:\d\d| {8})  ", "", line) for line in lines(found))


def test_the_story(project: Project) -> None:
    assert text(told(project, *SESSION)) == STORY


def test_a_story_is_told_in_the_order_things_happened_whatever_the_clock_said(project: Project) -> None:
    jumped = [
        entry(number, "Notification", at=5000.0 - number, input={"message": f"{number}"})
        for number in range(5)
    ]
    found = told(project, *jumped)
    assert [step["text"] for step in found] == ["0", "1", "2", "3", "4"]


def test_a_call_without_a_result_says_so(project: Project) -> None:
    assert text(told(project, SESSION[2])) == "Bash: pytest -q\n  unknown: no result is on the record"


def test_a_result_without_a_call_is_told_too(project: Project) -> None:
    assert text(told(project, SESSION[3])).startswith("Bash: \n  ok\n  | line 0")


def test_what_was_said_where_nothing_else_is_told_is_not_lost(project: Project) -> None:
    said = entry(1, "PostToolBatch", told=(Told(by="rules.cost", what="message", text="$ 3 so far"),))
    assert text(told(project, said)) == "At PostToolBatch:\n  rules.cost told you: $ 3 so far"


def test_long_lines_are_clipped(project: Project) -> None:
    found = told(project, entry(1, "UserPromptSubmit", input={"prompt": "x" * 1000}))
    assert len(text(found)) < 200
    assert found[0]["text"] == "x" * 1000


def test_what_an_agent_sends_in_a_texts_place_is_told_as_it_is(project: Project) -> None:
    odd = [
        entry(1, "UserPromptSubmit", input={"prompt": 12345}),
        entry(2, "PreToolUse", tool="Bash", tool_use="t1", input={"tool_input": "a string"}),
        entry(3, "Notification", input={"message": {"a": 1}}),
        entry(4, "PreToolUse", tool="Bash", verdict="deny", told=(Told(by="x", what="deny"),)),
        entry(5, "Stop", input={"last_assistant_message": ["b"]}),
    ]
    found = text(told(project, *odd))
    assert "You: 12345" in found and '{"a":1}' in found and '["b"]' in found and "a string" in found
    assert "stopped by x: " in found


def test_what_would_drive_a_terminal_is_spelled_out(project: Project) -> None:
    found = told(project, entry(1, "UserPromptSubmit", input={"prompt": "a\x1b]0;title\x07b\x9bc"}))
    assert text(found) == "You: a\\x1b]0;title\\x07b\\x9bc"
