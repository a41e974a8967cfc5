"""Where handlers come from beside settings files, and what of a session is kept."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, command, settings

from hookd.front_matter import load
from hookd.host import Fired, HookEngine
from hookd.host import settings as settings_module
from secrets_made_up import GITHUB_TOKEN


def fired(engine: HookEngine, event: str = "PreToolUse", **fields: Any) -> Fired:
    async def run() -> Fired:
        async with engine:
            return await engine.fire(event, **(fields or BASH))

    return asyncio.run(run())


def test_settings_on_top_of_all_others(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / ".claude").mkdir()
    own = settings("PreToolUse", command("true"))
    (tmp_path / ".claude/settings.json").write_text(json.dumps(own))
    more = settings("PreToolUse", command("exit 2"))
    both = fired(HookEngine.load(tmp_path, extra=[more], env=environment))
    assert [run.name for run in both.handlers] in (["true", "exit 2"], ["exit 2", "true"])
    assert both.blocked


def test_the_last_of_two_alike_is_the_one_that_runs(tmp_path: Path, environment: dict[str, str]) -> None:
    first = settings("PreToolUse", command("exit 1"))
    last = settings("PreToolUse", command("exit 1", onFailure="block"))
    found = fired(HookEngine.load(tmp_path, settings=[first, last], env=environment))
    assert len(found.handlers) == 1
    assert found.blocked


def test_an_administrator_comes_first(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings_module, "MANAGED_FOLDER", tmp_path)
    rewrite = {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "echo safe"}}
    }
    managed = settings("PreToolUse", command(f"echo '{json.dumps(rewrite)}'"))
    (tmp_path / "managed-settings.json").write_text(json.dumps(managed))
    seen = fired(
        HookEngine.load(tmp_path, extra=[settings("PreToolUse", command("cat >&2; exit 2"))], env=environment)
    )
    assert json.loads(seen.reason)["tool_input"] == {"command": "echo safe"}

    refuse = settings("PreToolUse", command("echo no >&2; exit 2"))
    (tmp_path / "managed-settings.json").write_text(json.dumps(refuse))
    marker = tmp_path / "ran"
    other = settings("PreToolUse", command(f"touch {marker}"))
    refused = fired(HookEngine.load(tmp_path, extra=[other], env=environment))
    assert refused.refusal == (
        "<tool_use_error>PreToolUse:Bash hook error: [echo no >&2; exit 2]: no\n</tool_use_error>"
    )
    assert not marker.exists()


def test_contexts_are_kept_if_that_is_wanted(tmp_path: Path, environment: dict[str, str]) -> None:
    found = settings("UserPromptSubmit", command("echo remember"))
    wanted = {**environment, "CLAUDE_CODE_SAVE_HOOK_ADDITIONAL_CONTEXT": "1"}
    for env, kept in ((environment, False), (wanted, True)):
        engine = HookEngine.load(tmp_path, settings=[found], env=env, folder=tmp_path)
        fired(engine, "UserPromptSubmit", prompt="x")
        assert engine.session.context_file.exists() is kept
    (line,) = (tmp_path / "additional-context.jsonl").read_text().splitlines()
    entry = json.loads(line)
    assert (entry["hook_event_name"], entry["additionalContext"]) == ("UserPromptSubmit", "remember")


def test_kept_contexts_survive_the_engine_without_their_secrets(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    found = settings("SessionStart", command(f"echo remember {GITHUB_TOKEN}; echo x > $CLAUDE_ENV_FILE"))
    env = {**environment, "CLAUDE_CODE_SAVE_HOOK_ADDITIONAL_CONTEXT": "1"}
    engine = HookEngine.load(tmp_path, settings=[found], env=env)

    async def session() -> None:
        async with engine:
            await engine.fire("SessionStart", source="startup")

    asyncio.run(session())
    file = engine.session.context_file
    try:
        assert [each.name for each in file.parent.iterdir()] == [file.name], "nothing else is left"
        assert "remember [REDACTED:" in file.read_text()
        assert GITHUB_TOKEN not in file.read_text()
        assert file.parent.stat().st_mode & 0o077 == 0
    finally:
        shutil.rmtree(file.parent)


def test_contexts_that_cannot_be_kept_are_said(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "additional-context.jsonl").mkdir()
    env = {**environment, "CLAUDE_CODE_SAVE_HOOK_ADDITIONAL_CONTEXT": "1"}
    found = settings("UserPromptSubmit", command("echo remember"))
    result = fired(
        HookEngine.load(tmp_path, settings=[found], env=env, folder=tmp_path), "UserPromptSubmit", prompt="x"
    )
    assert result.context == ("remember",)
    assert "not kept" in result.notes[-1]


def test_what_is_named_and_not_there_is_said(tmp_path: Path, environment: dict[str, str]) -> None:
    engine = HookEngine.load(tmp_path, settings=[], plugins=["nope"], env=environment)
    (problem,) = engine.problems
    assert problem == "plugin nope: nope is no folder"
    engine.enter_agent(tmp_path / "nope.md")
    engine.use_skill(tmp_path / "none.md")
    assert engine.problems[1:] == [
        f"{tmp_path / name} is not there, so none of its hooks run" for name in ("nope.md", "none.md")
    ]


def test_a_plugins_options(tmp_path: Path, environment: dict[str, str]) -> None:
    plugin = tmp_path / "plug"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / "hooks").mkdir()
    declared = {"name": "plug", "userConfig": {"level": {"default": "low"}, "place": {"default": "here"}}}
    (plugin / ".claude-plugin/plugin.json").write_text(json.dumps(declared))
    line = 'echo "$1 $2 $CLAUDE_PLUGIN_OPTION_LEVEL" >&2; exit 2'
    handler = command("sh", args=["-c", line, "sh", "${user_config.level}", "${user_config.place}"])
    (plugin / "hooks/hooks.json").write_text(json.dumps(settings("PreToolUse", handler)))
    chosen = {"pluginConfigs": {"plug@inline": {"options": {"level": "high"}}}}
    found = fired(HookEngine.load(tmp_path, settings=[chosen], plugins=[plugin], env=environment))
    assert found.reason == "high here high"


def test_variables_in_settings(tmp_path: Path, environment: dict[str, str]) -> None:
    found = settings("PreToolUse", command('echo "$A $HOME" >&2; exit 2')) | {"env": {"A": 1, "HOME": "/x"}}
    assert fired(HookEngine.load(tmp_path, settings=[found], env=environment)).reason == f"1 {tmp_path}"


def test_lists_and_maps_on_one_line() -> None:
    text = "a: [{type: command, command: 'x, {y}'}, [1, 2], plain]\nb: {c: {d: [e]}, f: \"g, h\"}\n"
    wanted = {
        "a": [{"type": "command", "command": "x, {y}"}, [1, 2], "plain"],
        "b": {"c": {"d": ["e"]}, "f": "g, h"},
    }
    assert load(text) == wanted
    assert load("a: {b}") == {"a": {"b": None}}
    for broken in ("a: [b", "a: {b: [c}", "a: {b"):
        with pytest.raises(ValueError, match="line 1"):
            load(broken)
