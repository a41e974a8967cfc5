"""An agent is one module and a line in the tuple: whatever it calls things, all of hookd works for it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy_world import ToyWorld

from hookd.cli.launcher import packaged_client
from secrets_made_up import GITHUB_TOKEN
from worlds import NO_NATIVE_CLIENT

TOY = Path(__file__).with_name("toy.py")

HOOK = """
from hookd import block, context

def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    def by_its_canonical_name(event, ctx):
        if "deploy" in event.command:
            return block(f"{ctx.agent} may not deploy")

    @hookd.on("tool_call", tool="shred")
    def by_its_own_name(event, ctx):
        return block(f"{event.kind} {event.path}")

    @hookd.on("tool_result", kind="write")
    def by_its_kind(event, ctx):
        return context(f"{event.agent_tool} wrote {event.text} into {event.path}: {event.content}")
"""


def test_the_adapter_is_small() -> None:
    assert len(TOY.read_text().splitlines()) < 155


def test_mypy_holds_it_to_the_protocol(world: ToyWorld, tmp_path: Path) -> None:
    def checked() -> subprocess.CompletedProcess[str]:
        files = [str(world.package / "agents" / name) for name in ("__init__.py", "toy.py")]
        options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path)]
        return subprocess.run(
            [sys.executable, "-m", "mypy", *options, *files],
            capture_output=True,
            text=True,
            env={**world.env, "MYPYPATH": str(world.package.parent)},
            cwd=tmp_path,
            check=False,
        )

    done = checked()
    assert done.returncode == 0, done.stdout
    world.change("agents/toy.py", "def attended(env: Mapping[str, str]) -> bool:", "def attended() -> bool:")
    world.change("agents/toy.py", 'env.get("TOY_WATCHED") == "yes"', "True")
    assert 'has type "tuple[Module, Module]", variable has type "tuple[Adapter, ...]"' in checked().stdout


def test_the_gate_answers_in_its_words(world: ToyWorld) -> None:
    world.init()
    assert world.action("run", line="rm -rf /")["toy"] == "no"
    assert world.action("put", into=f"{world.base}/.bashrc", body="alias ls=rm")["toy"] == "maybe"
    assert world.action("run", line="ls") is None
    assert world.action("peek", at=".env")["toy"] == "no"
    assert world.action("shred", path=f"{world.base}/elsewhere/notes.txt")["toy"] == "maybe"
    assert world.action("shred", path="build/notes.txt") is None


def test_a_question_is_asked_only_where_somebody_is(world: ToyWorld) -> None:
    world.write_hook(
        """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    async def sure(event, ctx):
        await ctx.ui.confirm("Really?")
"""
    )
    world.init()
    assert world.action("run", line="ls")["toy"] == "maybe"
    assert world.action("run", line="ls", env={})["toy"] == "no"


def test_its_settings_are_protected(world: ToyWorld) -> None:
    world.init()
    text = world.settings.read_text()
    file = ".toy/hooks.conf"
    denied = [
        world.action("put", into=file, body=""),
        world.action("swap", into=file, this="hookd-client", that="true"),
        world.action("swap", into=file, this=text.splitlines()[0], that=""),
        world.action("run", line=f"rm {file}"),
        world.action("run", line="rm -r .toy"),
        world.action("run", line=f"echo > {file}"),
        world.action("run", line=f"""python3 -c 'open("{file}", "w").write("")'"""),
        world.action("shred", path=file),
    ]
    assert [answer["toy"] for answer in denied] == ["no"] * len(denied)
    assert "out of the agent's settings" in denied[0]["because"]
    others = world.action("put", into=file, body=f"{text}session.open: make\n")
    assert others["toy"] == "maybe"  # a person may agree to that
    assert world.action("peek", at=file) is None


def test_users_hooks_get_canonical_events(world: ToyWorld) -> None:
    world.write_hook(HOOK)
    world.init()
    assert world.action("run", line="./deploy")["because"] == "toy may not deploy"
    assert world.action("shred", path="a.txt")["because"] == "delete a.txt"
    assert world.action("put", into="a.txt", body="x") is None
    said = world.action("put", gave={"content": "done"}, into="a.txt", body="x")
    assert said == {"think": ["put wrote x into a.txt: done"]}
    problems = [line["what"] for line in world.status()["problems"]]
    assert problems == []


def play(world: ToyWorld) -> None:
    """A short session: a prompt, an edit and a command with a secret in what it says."""
    world.init()
    world.toy("session.open", why="startup")
    world.toy("turn.asked", words="Have the parser take tabs for blanks, please.")
    world.action("swap", into="src/parser.py", this="blank = ' '", that="blank = '\\t'")
    world.action("swap", gave={"ok": True}, into="src/parser.py", this="blank = ' '", that="blank = '\\t'")
    command = f"GH_TOKEN={GITHUB_TOKEN} python -m pytest tests/test_parser.py"
    world.action("run", line=command)
    seen = {"stdout": f"3 passed in 1s with {GITHUB_TOKEN}"}
    shown = world.action("run", gave=seen, line=command)
    assert shown["instead"].startswith("3 passed in 1s with [REDACTED:")
    world.toy("turn.done")
    world.toy("session.close", reason="quit")


def test_record_memory_and_redaction(world: ToyWorld) -> None:
    play(world)
    events = world.rows("SELECT agent, name, tool, tool_kind FROM event ORDER BY seq")
    assert events == [
        ("toy", "SessionStart", "", ""),
        ("toy", "UserPromptSubmit", "", ""),
        ("toy", "PreToolUse", "Edit", "edit"),
        ("toy", "PostToolUse", "Edit", "edit"),
        ("toy", "PreToolUse", "Bash", "shell"),
        ("toy", "PostToolUse", "Bash", "shell"),
        ("toy", "Stop", "", ""),
        ("toy", "SessionEnd", "", ""),
    ]
    [run] = (world.project / ".hookd" / "runs").iterdir()
    calls = [json.loads(line) for line in (run / "tool_calls.jsonl").read_text().splitlines()]
    assert [(call["tool"], call["outcome"]) for call in calls] == [("Edit", "ok"), ("Bash", "ok")]
    assert calls[0]["input"]["file_path"] == "src/parser.py"
    figures = json.loads((run / "run.json").read_text())
    assert (figures["agent"], figures["tools"]) == ("toy", {"Bash": 1, "Edit": 1})
    made = dict(world.rows("SELECT kind, path FROM observation WHERE kind IN ('edit', 'command')"))
    assert made == {"edit": "src/parser.py", "command": "tests/test_parser.py"}
    assert leaks(world) == []
    assert "REDACTED:" in (run / "tool_calls.jsonl").read_text()


def leaks(world: ToyWorld) -> list[Path]:
    """Files of hookd's that hold the secret."""
    places = (world.home, world.project / ".hookd", Path(world.files.folder))
    files = [file for place in places for file in place.rglob("*") if file.is_file()]
    return [file for file in files if GITHUB_TOKEN.encode() in file.read_bytes()]


def test_its_story_is_told_by_canonical_names(world: ToyWorld) -> None:
    play(world)
    told = world.hookd("runs", "show", "last")
    assert "Edit: src/parser.py" in told
    assert "You: Have the parser take tabs for blanks, please." in told


def test_nobody_misses_events_that_it_does_not_have(world: ToyWorld) -> None:
    world.init()
    assert world.status()["missing_events"] == []
    lines = world.settings.read_text().splitlines()
    world.settings.write_text("\n".join(line for line in lines if not line.startswith("action.after")))
    assert world.status()["missing_events"] == ["PostToolUse"]


def test_input_that_cannot_be_read_is_no_reason_to_fail(world: ToyWorld) -> None:
    world.init()
    assert world.toy("action.before", {"action": {"name": "run", "with": {"line": "ls"}, "id": None}}) is None
    broken: Any = {"action": "what?"}
    assert world.toy("action.before", broken)["toy"] == "maybe"
    assert world.toy("turn.asked", broken) is None


@pytest.mark.parametrize(("policy", "word"), [("ask", "maybe"), ("deny", "no")])
def test_without_hookd_it_fails_closed_in_its_own_words(world: ToyWorld, policy: str, word: str) -> None:
    (world.folders.config / "config.toml").write_text(f'[gate]\non_failure = "{policy}"\n')
    if packaged_client() is None:
        pytest.skip(NO_NATIVE_CLIENT)
    world.init()
    assert world.action("run", line="ls") is None
    world.take_hookd_away()
    refused = world.action("run", line="ls")
    assert refused["toy"] == word
    assert "hookd cannot judge this call" in refused["because"]
    assert world.action("run", gave={"stdout": ""}, line="ls") is None


def test_claude_code_is_served_beside_it(world: ToyWorld) -> None:
    world.init()
    assert world.action("run", line="rm -rf /")["toy"] == "no"
    answer = world.bash("rm .toy/hooks.conf")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "out of the agent's settings" in answer["permissionDecisionReason"]
