"""What settings of older versions name, understood with `compat`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from host_settings import BASH, Fire, command, settings

from hookd.cli.fire import fire as fire_command
from hookd.errors import ToolBlockedError
from hookd.host import HookEngine, wrap_tool

OLDER = "PreToolUseFailure"


def refusing(log: Path, *failures: dict[str, Any], matcher: str | None = None) -> dict[str, Any]:
    """Settings that refuse every Bash call, and note what they hear of it under the older name."""
    found = settings("PreToolUse", command("echo no >&2; exit 2"), matcher="Bash")
    heard = failures or (command(f"cat >> {log}"),)
    return {"hooks": found["hooks"] | settings(OLDER, *heard, matcher=matcher)["hooks"]}


def called(engine: HookEngine, name: str, function: Any, *args: str) -> str:
    tool = wrap_tool(engine, function, name=name)
    with pytest.raises(ToolBlockedError) as refused:
        asyncio.run(tool(*args))
    return str(refused.value)


async def shell(command: str) -> str:
    return command


@pytest.mark.parametrize(
    ("matcher", "hears"), [("Bash", True), ("B.*h", True), ("Edit", False), (None, True)]
)
def test_a_refused_call_is_told_by_its_tools_name(
    tmp_path: Path, environment: dict[str, str], matcher: str | None, hears: bool
) -> None:
    log = tmp_path / "log"
    found = refusing(log, matcher=matcher)
    engine = HookEngine.load(tmp_path, settings=[found], env=environment, compat=True)
    assert engine.problems == []
    refusal = called(engine, "Bash", shell, "ls")
    assert log.exists() is hears
    if hears:
        told = json.loads(log.read_text())
        assert told["hook_event_name"] == OLDER
        assert (told["tool_name"], told["tool_input"]) == ("Bash", {"command": "ls"})
        assert told["error"] == refusal


def test_a_call_that_failed_before_it_ran_is_told_too(tmp_path: Path, environment: dict[str, str]) -> None:
    log = tmp_path / "log"
    output = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"no": "such"}}}
    rewriting = settings("PreToolUse", command(f"echo '{json.dumps(output)}'"))
    found = {"hooks": rewriting["hooks"] | settings(OLDER, command(f"cat >> {log}"))["hooks"]}
    engine = HookEngine.load(tmp_path, settings=[found], env=environment, compat=True)
    called(engine, "Bash", shell, "ls")
    assert "does not fit the tool" in json.loads(log.read_text())["error"]


def test_what_it_says_is_for_the_model(tmp_path: Path, environment: dict[str, str]) -> None:
    context = {"hookSpecificOutput": {"hookEventName": OLDER, "additionalContext": "use make"}}
    found = refusing(tmp_path, command(f"echo '{json.dumps(context)}'"), command("echo why >&2; exit 2"))
    engine = HookEngine.load(tmp_path, settings=[found], env=environment, compat=True)
    called(engine, "Bash", shell, "ls")
    late = "\n".join(each.text for each in engine.take_late())
    assert f"{OLDER}:Bash hook additional context: use make" in late
    assert "why" in late


def test_without_compat_it_never_runs_and_that_is_said(
    tmp_path: Path, environment: dict[str, str], fire: Fire
) -> None:
    log = tmp_path / "log"
    engine = HookEngine.load(tmp_path, settings=[refusing(log)], env=environment)
    assert engine.problems == ["hooks.PreToolUseFailure never runs: it is known with compat only"]
    called(engine, "Bash", shell, "ls")
    assert not log.exists()
    assert not fire(refusing(log), OLDER, BASH).handlers


def test_the_command_fires_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings(OLDER, command("cat"), matcher="Bash")))
    arguments = [OLDER, "--settings", str(file), "--cwd", str(tmp_path), "--input", "-", "--compat", "--json"]
    done = CliRunner().invoke(fire_command, arguments, input=json.dumps({**BASH, "error": "no"}))
    [handler] = json.loads(done.stdout)["handlers"]
    assert json.loads(handler["stdout"])["error"] == "no"
