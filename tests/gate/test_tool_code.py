"""Tools that run code, whatever they are called and however their input holds it."""

import json
from typing import Any

import pytest
from gate_world import call, judged, said

GONE = "rm -rf ~"
PYTHON = "import shutil\nshutil.rmtree('/home/user')\n"
SCRIPT = "require('fs').rmSync('/home/user', {recursive: true})"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__shell__execute", {"input": GONE}),
        ("mcp__box__run", {"source": GONE}),
        ("mcp__box__run", {"argv": ["rm", "-rf", "/home/user"]}),
        ("mcp__box__anything", {"argv": ["rm", "-rf", "/home/user"]}),
        ("mcp__box__call", {"program": "rm", "args": ["-rf", "/home/user"]}),
        ("mcp__box__start", {"executable": "/bin/rm", "arguments": ["-rf", "/home/user"]}),
        ("mcp__term__batch", {"commands": ["ls", GONE]}),
        ("mcp__ci__pipeline", {"steps": [{"name": "a", "command": "ls"}, {"name": "b", "command": GONE}]}),
        ("mcp__ci__pipeline", {"jobs": [{"steps": [{"run": GONE}]}]}),
        ("mcp__flow__node", {"type": "x.executeCommand", "parameters": {"command": GONE}}),
        ("mcp__box__tool", {"payload": {"type": "shell", "value": GONE}}),
        ("mcp__hub__invoke", {"name": "shell", "arguments": json.dumps({"command": GONE})}),
        ("batch", {"tool_calls": [{"tool": "bash", "parameters": {"command": GONE}}]}),
        ("mcp__terminal__send_input", {"session": "main", "input": f"{GONE}\n"}),
        ("mcp__tmux__send_keys", {"keys": [GONE, "Enter"]}),
        ("mcp__cloud__call", {"cli_command": GONE}),
        ("mcp__ide__run", {"commandLine": GONE}),
        ("mcp__box__run_code", {"language": "python", "code": PYTHON}),
        ("mcp__box__run_code", {"code": PYTHON}),
        ("mcp__box__run_code", {"files": [{"name": "a.py", "content": PYTHON}]}),
        ("mcp__blender__execute_code", {"code": PYTHON}),
        ("run_python", {"script": PYTHON}),
        ("mcp__jupyter__execute_cell", {"source": PYTHON.splitlines(keepends=True)}),
        ("mcp__jupyter__execute_cell", {"source": f"!{GONE}"}),
        ("mcp__node__eval", {"js": SCRIPT}),
        ("mcp__repl__eval", {"expression": SCRIPT}),
        ("execute_code", {"code": f"const a = 1;\n{SCRIPT}"}),
    ],
)
def test_what_a_tool_runs_is_judged(tool: str, given: dict[str, Any]) -> None:
    assert judged(call(tool, **given)).rule == "filesystem.delete-root"


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("mcp__git__run", {"args": ["push", "--force", "origin", "main"]}, "git.force-push"),
        ("mcp__kube__kubectl", {"args": "delete namespace shop"}, "kubernetes.delete"),
        ("mcp__redis__command", {"command": "FLUSHALL"}, "databases.flush-keys"),
        ("mcp__pg__apply_migration", {"query": "drop table users"}, "databases.drop-by-tool"),
    ],
)
def test_a_tool_for_one_program_is_that_program(tool: str, given: dict[str, Any], rule: str) -> None:
    assert rule in said(call(tool, **given))


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__notes__create", {"text": GONE, "source": GONE, "input": GONE}),
        ("mcp__tracker__create_comment", {"body": f"```\n{GONE}\n```"}),
        ("mcp__docs__search_code", {"code": GONE}),
        ("mcp__box__run_code", {"language": "python", "code": "print(sum(range(9)))"}),
        ("mcp__box__run_tests", {"commands": ["pytest -q", "ruff check"]}),
        ("mcp__browser__evaluate", {"function": "() => document.title"}),
        (
            "mcp__jupyter__execute_cell",
            {"source": "!pip install pandas\nimport pandas as pd\npd.read_csv('a.csv')"},
        ),
        ("mcp__shell__execute", {"input": "npm test"}),
        ("mcp__pg__query", {"sql": "select 1"}),
    ],
)
def test_everyday_calls_of_such_tools_pass(tool: str, given: dict[str, Any]) -> None:
    assert judged(call(tool, **given)).verdict == "none"


@pytest.mark.parametrize("count", [5, 400])
def test_the_last_of_many_commands_counts_as_the_first(count: int) -> None:
    commands = [f"test -f packages/p{number}/package.json" for number in range(count)]
    assert judged(call("mcp__shell__run_batch", commands=commands)).verdict == "none"
    assert judged(call("mcp__shell__run_batch", commands=[*commands, GONE])).rule == "filesystem.delete-root"


@pytest.mark.parametrize(
    "given",
    [
        {"title": "x", "text": "a line of text\n" * 80_000},
        {"rows": [{"a": 1}] * 6_000},
        {"a": json.loads('{"a":' * 20 + "1" + "}" * 20)},
    ],
    ids=["long", "many", "deep"],
)
def test_more_than_is_read_is_asked_about(given: dict[str, Any]) -> None:
    assert said(call("mcp__wiki__create_page", **given))["context.no-command"] == "ask"
