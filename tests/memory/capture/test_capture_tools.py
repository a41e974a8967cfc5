"""Other agents' tools: what they write, edit and run is remembered as such, whatever they are called."""

from typing import Any

import pytest

from played import Played

PATCH = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@
-limit = 1
+limit = 2
*** Delete File: src/gone.py
*** End Patch"""


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        (
            "str_replace_based_edit_tool",
            {"command": "str_replace", "path": "c.py", "old_str": "a", "new_str": "b"},
            "c.py",
        ),
        ("str_replace_editor", {"command": "create", "path": "d.py", "file_text": "hello"}, "d.py"),
        (
            "str_replace_editor",
            {"command": "insert", "path": "d.py", "insert_line": 2, "insert_text": "x"},
            "d.py",
        ),
        ("write_file", {"absolute_path": "e.py", "content": "hello"}, "e.py"),
        ("apply_patch", {"input": PATCH}, "src/a.py"),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}, "src/a.py"),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}, "src/a.py"),
    ],
)
def test_whatever_writes_a_file_is_an_edit(
    project: Played, tool: str, given: dict[str, Any], path: str
) -> None:
    project.call(tool, given, "ok")
    [made, *_] = project.observations()
    assert (made["kind"], made["path"]) == ("edit", path)


def test_an_editor_that_shows_a_file_reads_it(project: Played) -> None:
    project.call("str_replace_editor", {"command": "view", "path": "d.py"}, "1: hello")
    assert [row["text"] for row in project.observations("read")] == ["read d.py"]


def test_a_command_given_as_words_is_a_command(project: Played) -> None:
    project.call("shell", {"command": ["pytest", "tests/a.py"]}, "FAILED tests/a.py::test_c\n1 failed in 1s")
    project.call("shell", {"command": ["bash", "-lc", "pytest -q tests/b.py"]}, "3 passed in 1s")
    assert project.texts("failure") == ["failed: `pytest tests/a.py` (test_c)"]
    assert project.texts("command") == ["pytest -q tests/b.py\n3 passed in 1s"]


def test_what_a_patch_deletes_and_moves_is_gone_and_moved(project: Played) -> None:
    project.prompt("src/gone.py keeps prices in cents because floats lose them.")
    project.prompt("src/a.py caps the limit because the queue is short.")
    project.call("apply_patch", {"input": PATCH}, "ok")
    assert sorted(project.texts("change")) == ["deleted src/gone.py", "moved src/a.py to src/b.py"]
    assert project.offered("prices cents") == []
    assert project.offered("caps the limit queue") == ["src/b.py caps the limit because the queue is short."]


def test_what_a_tool_deletes_is_gone(project: Played) -> None:
    project.prompt("src/gone.py keeps prices in cents because floats lose them.")
    project.call("delete_file", {"target_file": "src/gone.py"}, "ok")
    assert project.texts("edit") == project.texts("change") == ["deleted src/gone.py"]
    assert project.offered("prices cents") == []
