"""A tool call taken apart: its kind, and what it is about, whatever agent it comes from."""

from pathlib import Path
from typing import Any

import pytest

import hookd
from hookd.events.calls import Call, Edit, Shell
from hookd.events.codec import decode
from hookd.events.tools import KINDS, TOOLS, verb_of
from hookd.events.types import PostToolUse, PreToolUse

PATCH = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@
-limit = 1
+limit = 2
*** Delete File: src/gone.py
*** End Patch"""


@pytest.mark.parametrize(
    ("tool", "given", "kind"),
    [
        ("Bash", {"command": "ls"}, "shell"),
        ("exec_command", {"cmd": "ls"}, "shell"),
        ("PowerShell", {"command": "dir"}, "shell"),
        ("Read", {"file_path": "a"}, "read"),
        ("Write", {"file_path": "a", "content": "x"}, "write"),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "edit"),
        ("apply_patch", {"input": PATCH}, "edit"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, "read"),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a", "file_text": "x"}, "write"),
        ("str_replace_based_edit_tool", {"command": "insert", "path": "a", "insert_text": "x"}, "edit"),
        ("delete_file", {"target_file": "a"}, "delete"),
        ("Grep", {"pattern": "x"}, "search"),
        ("Glob", {"pattern": "*.py"}, "search"),
        ("WebFetch", {"url": "https://a.example"}, "fetch"),
        ("WebSearch", {"query": "x"}, "fetch"),
        ("mcp__files__read_file", {"path": "a"}, "mcp"),
        ("mcp__ide__executeCode", {"code": "1"}, "mcp"),
        ("Task", {"prompt": "x"}, "agent"),
        ("TodoWrite", {"todos": []}, "other"),
        ("Bash", {}, "shell"),
    ],
)
def test_a_tools_name_tells_its_kind(tool: str, given: dict[str, Any], kind: str) -> None:
    assert Call(tool, given).kind == kind


@pytest.mark.parametrize(
    ("tool", "given", "kind"),
    [
        ("anything", {"command": "ls"}, "shell"),
        ("anything", {"command": ["ls", "-l"]}, "shell"),
        ("an_editor", {"command": "view", "path": "a"}, "read"),
        ("an_editor", {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}, "edit"),
        ("anything", {"path": "a", "edits": []}, "edit"),
        ("anything", {"patch": PATCH}, "edit"),
        ("look_at", {"path": "a"}, "read"),
        ("look_at", {"path": "a", "content": "x"}, "write"),
        ("saveFile", {"path": "a"}, "write"),
        ("remove_file", {"path": "a"}, "delete"),
        ("anything", {"url": "https://a.example"}, "fetch"),
        ("anything", {"query": "x"}, "search"),
        ("anything", {"paths": ["a", "b"]}, "other"),
        ("delete", {}, "other"),
        ("anything", {}, "other"),
    ],
)
def test_a_tool_of_another_name_is_known_by_what_it_is_given(
    tool: str, given: dict[str, Any], kind: str
) -> None:
    call = Call(tool, given)
    assert (call.kind, call.is_known) == (kind, False)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_adapters_word_on_the_kind_counts(kind: str) -> None:
    assert Call("whatever", {}, kind).kind == kind
    assert Call("whatever", {}, kind).is_known is (kind not in ("mcp", "other"))


def test_an_adapters_word_beats_the_table_and_keeps_the_form_where_they_agree() -> None:
    assert Call("view", {}, "shell").kind == "shell"
    assert Call("PowerShell", {}, "shell").form == "powershell"
    assert Call("Bash", {"command": "ls"}, "nonsense").kind == "shell"
    assert Call("TodoWrite", {}, "other").form == "todos"
    assert Call("read", {"path": "a"}, "mcp").kind == "mcp"
    assert not Call("read", {"path": "a"}, "mcp").is_known


def test_what_an_adapter_calls_a_shell_and_gives_no_command_is_not_readable() -> None:
    assert Call("whatever", {"line": "ls"}, "shell").shell == Shell(
        unread="what it would run is not given as text"
    )


@pytest.mark.parametrize(
    ("call", "command"),
    [
        (Call("Bash", {"command": "ls"}), "ls"),
        (Call("exec_command", {"cmd": "ls", "workdir": "/a"}), "ls"),
        (Call("shell", {"command": ["bash", "-lc", "ls | wc"]}), "ls | wc"),
        (Call("shell", {"command": ["grep", "a b", "c"]}), "grep 'a b' c"),
        (Call("mcp__a__run", {"command": "rm", "args": ["-r", "x y"]}), "rm -r 'x y'"),
        (Call("Bash", {"command": "ls", "script": "pwd"}), "ls\npwd"),
        (Call("write_stdin", {"chars": "y\n"}), "y\n"),
        (Call("REPL", {"code": "1"}), ""),
        (Call("Skill", {"command": "pdf"}), ""),
        (Call("an_editor", {"command": "view", "path": "a"}), ""),
        (Call("Bash", {"command": 3}), ""),
    ],
)
def test_the_command(call: Call, command: str) -> None:
    assert call.command == command


@pytest.mark.parametrize(
    ("call", "path", "paths"),
    [
        (Call("Read", {"file_path": "a"}), "a", ("a",)),
        (Call("read", {"filePath": "a"}), "a", ("a",)),
        (Call("read_many_files", {"paths": ["a", "b", "a"]}), "", ("a", "b")),
        (Call("apply_patch", {"input": PATCH}), "src/a.py", ("src/a.py", "src/b.py", "src/gone.py")),
        (Call("some_patcher", {"patch": PATCH}), "src/a.py", ("src/a.py", "src/b.py", "src/gone.py")),
        (Call("some_patcher", {"patch": PATCH}, "edit"), "src/a.py", ("src/a.py", "src/b.py", "src/gone.py")),
        (
            Call("Edit", {"file_path": "c", "input": PATCH}),
            "c",
            ("c", "src/a.py", "src/b.py", "src/gone.py"),
        ),
        (Call("Bash", {"command": f"apply_patch <<'E'\n{PATCH}\nE"}), "", ()),
        (Call("Read", {"file_path": 3, "path": "b"}), "b", ("b",)),
        (Call("Read", {"file_path": "a\nb"}), "a\nb", ()),
        (Call("mcp__a__open", {"file": "a"}), "a", ("a",)),
        (Call("Bash", {"command": "cat a"}), "", ()),
    ],
)
def test_the_paths(call: Call, path: str, paths: tuple[str, ...]) -> None:
    assert (call.path, call.paths) == (path, paths)


def test_the_text_is_what_is_written() -> None:
    assert Call("Write", {"file_path": "a", "content": "x"}).text == "x"
    edits = [{"old_string": "a", "new_string": "b"}, {"oldString": "c", "newString": "d", "replaceAll": True}]
    several = Call("MultiEdit", {"file_path": "a", "edits": edits})
    assert several.edits == (Edit("a", "b"), Edit("c", "d", everywhere=True))
    assert several.text == "b\nd"
    assert Call("NotebookEdit", {"notebook_path": "a", "new_source": "x"}).text == "x"
    assert Call("apply_patch", {"input": PATCH}).text == "limit = 2"
    assert Call("Read", {"file_path": "a"}).text == ""


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ({"content": "new"}, "new"),
        ({"old_string": "a", "new_string": "b"}, "b a"),
        ({"old_string": "a", "new_string": "b", "replace_all": True}, "b b"),
        ({"edits": [{"old_str": "a", "new_str": "b"}, {"old_str": "b", "new_str": "c"}]}, "c a"),
        ({"content": "new", "old_string": "a"}, None),
        ({"content": "new", "text": "other"}, None),
        ({"content": 3}, None),
        ({"old_string": "a"}, None),
        ({"old_string": "", "new_string": "b"}, None),
        ({"old_string": "a", "old_str": "b", "new_string": "c"}, None),
        ({"edits": [{"old_string": 3, "new_string": "b"}]}, None),
        ({"edits": ["a"]}, None),
        ({}, None),
    ],
)
def test_a_file_after_the_call_only_if_that_is_certain(given: dict[str, Any], after: str | None) -> None:
    assert Call("Edit", given).applied_to("a a") == after


@pytest.mark.parametrize("value", [None, 3, True, {}, [], [None], {"a": [1]}, "\ud800", "a\0b", "\n" * 9])
def test_no_input_is_too_odd(value: Any) -> None:
    keys = "command cmd args path paths file_path url edits old_string new_string content input code".split()
    for tool in (*TOOLS, "unknown", "mcp__a__b", ""):
        call = Call(tool, dict.fromkeys(keys, value))
        assert call.kind in KINDS
        assert all(isinstance(text, str) for text in (call.command, call.path, call.url, call.text))
        assert all(isinstance(path, str) for path in call.paths)
        assert call.applied_to("a") is None or isinstance(call.applied_to("a"), str)


def test_an_event_has_its_call_once_and_passes_on_what_its_adapter_said() -> None:
    said = b'"tool_kind": "shell", "agent_tool": "Zap!"'
    call = b'"tool_name": "zap", "tool_input": {"cmd": "ls"}'
    event, _ = decode(b'{"hook_event_name": "PreToolUse", %s, %s}' % (said, call))
    assert isinstance(event, PreToolUse)
    assert event.call is event.call
    assert (event.kind, event.command, event.agent_tool) == ("shell", "ls", "Zap!")
    again, _ = decode(event.raw)
    assert again == event
    made = PostToolUse(tool_name="zap", tool_kind="delete", tool_input={"path": "a"})
    assert decode(made.raw)[0] == made


@pytest.mark.parametrize(
    ("tool", "verb"),
    [
        ("mcp__a__read_file", "read"),
        ("mcp__a__deleteFile", "delete"),
        ("createIssue", "create"),
        ("append-line", "append"),
        ("mcp__a__move", "move"),
        ("mcp__read__list", None),
    ],
)
def test_the_verb_in_a_name(tool: str, verb: str | None) -> None:
    assert verb_of(tool) == verb


def test_there_is_one_table_of_tool_names() -> None:
    """Rules, samples and models are told of tools by name; nobody else tells by one what a tool does."""
    root = Path(hookd.__file__).parent
    speaking = {
        "events/tools.py",
        "gate/case/tools.py",
        "testing/samples.py",
        "llm/file_tools.py",
        "cli/new.py",
    }
    modules = (
        file for room in root.iterdir() if room.name not in ("host", "bridges") for file in room.rglob("*.py")
    )
    named = {
        str(file.relative_to(root))
        for file in modules
        if any(f'"{name}"' in file.read_text() for name in ("Write", "Edit", "Read", "Grep", "TodoWrite"))
    }
    assert named == speaking
