"""The engine as an agent uses it: functions, several events of a session, the stream, what it leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire, command, settings

from hookd import allow, block, context, halt, replace, rewrite
from hookd.events.outcome import Decision
from hookd.events.types import PreToolUse
from hookd.host import HookEngine


def test_three_lines(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    found = settings("PreToolUse", command("echo no >&2; exit 2"), matcher="Bash")
    (tmp_path / ".claude/settings.json").write_text(json.dumps(found))
    engine = HookEngine.load(tmp_path, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    fired = engine.fire_sync("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    assert fired.blocked
    assert fired.decision is Decision.DENY
    assert fired.output["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (block("no"), {"permissionDecision": "deny", "permissionDecisionReason": "no"}),
        (allow(), {"permissionDecision": "allow"}),
        (context("known"), {"additionalContext": "known"}),
        (rewrite({"command": "pwd"}), {"updatedInput": {"command": "pwd"}}),
        ([context("a"), context("b")], {"additionalContext": "a\nb"}),
        (
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "x"}},
            {"additionalContext": "x"},
        ),
    ],
)
def test_a_function_may_answer_in_several_ways(answer: Any, output: dict[str, Any]) -> None:
    engine = HookEngine()
    engine.on("PreToolUse", lambda _event: answer, matcher="Bash")
    fired = engine.fire_sync("PreToolUse", **BASH)
    assert fired.output == {"hookSpecificOutput": {"hookEventName": "PreToolUse", **output}}


def test_a_function_gets_the_typed_event() -> None:
    engine = HookEngine()
    seen: list[PreToolUse] = []

    @engine.on("PreToolUse")
    async def see(event: PreToolUse) -> None:
        seen.append(event)

    engine.fire_sync("PreToolUse", **BASH, newer=5)
    assert seen[0].command == "ls -l"
    assert seen[0].extra["newer"] == 5
    assert seen[0].session_id == engine.session.id


def test_results_and_halts() -> None:
    engine = HookEngine()
    engine.on("PostToolUse", lambda _event: [replace(details={"stdout": "x"}), halt("enough")])
    fired = engine.fire_sync("PostToolUse", **BASH, tool_response={"stdout": "y"})
    assert fired.updated_output == {"stdout": "x"}
    assert fired.halted
    assert not fired.blocked


def test_functions_from_settings(fire: Fire, tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "def check(event):\n    return {'decision': 'block', 'reason': event.command}\n"
    )
    fired = fire(settings("PreToolUse", {"type": "python", "call": "checks.py:check"}))
    assert fired.reason == "ls -l"
    missing = fire(settings("PreToolUse", {"type": "python", "call": "checks.py:none"}))
    assert missing.handlers[0].outcome == "error"


def test_the_older_answers_are_understood_where_asked_for(fire: Fire) -> None:
    old = settings(
        "PreToolUse",
        command('echo "{\\"action\\": \\"deny\\", \\"reason\\": \\"$(echo "$TOOL_INPUT" | wc -c)\\"}"'),
    )
    assert not fire(old).blocked
    fired = fire(old, compat=True)
    assert fired.blocked
    assert int(fired.reason) > 10


def test_the_life_of_a_hook_is_told(fire: Fire) -> None:
    told: list[dict[str, Any]] = []
    fire(settings("PreToolUse", command("echo out; echo err >&2; exit 1")), on_event=told.append)
    started, response = told
    assert (started["type"], started["subtype"]) == ("system", "hook_started")
    assert started["hook_name"] == response["hook_name"] == "PreToolUse:Bash"
    assert started["hook_id"] == response["hook_id"]
    assert response["subtype"] == "hook_response"
    assert (response["stdout"], response["stderr"], response["output"]) == ("out\n", "err\n", "out\nerr\n")
    assert (response["exit_code"], response["outcome"]) == (1, "error")


def test_quiet_events_tell_nothing(fire: Fire) -> None:
    told: list[dict[str, Any]] = []
    fired = fire(
        settings("SessionEnd", command("true")), "SessionEnd", {"reason": "other"}, on_event=told.append
    )
    assert len(fired.handlers) == 1
    assert not told


def test_long_texts_go_to_a_file(tmp_path: Path) -> None:
    engine = HookEngine(folder=tmp_path)
    engine.on("UserPromptSubmit", lambda _event: context("line\n" * 5000))
    (text,) = engine.fire_sync("UserPromptSubmit", prompt="x").context
    assert len(text) < 3000
    (file,) = tmp_path.rglob("*.txt")
    assert str(file) in text
    assert file.read_text() == "line\n" * 5000


def test_a_session_leaves_nothing_behind(tmp_path: Path, environment: dict[str, str]) -> None:
    async def run() -> Path:
        found = settings("SessionStart", command("echo export A=1 > $CLAUDE_ENV_FILE"))
        async with HookEngine.load(tmp_path, settings=[found], env=environment) as engine:
            await engine.fire("SessionStart", source="startup")
            assert engine.exports == "export A=1"
            return engine.session.folder

    assert not asyncio.run(run()).exists()


def test_what_the_background_says_comes_later(tmp_path: Path, environment: dict[str, str]) -> None:
    async def run() -> None:
        said = json.dumps(
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "late"}}
        )
        found = settings("PreToolUse", command(f"cat > /dev/null; echo '{said}'", **{"async": True}))
        async with HookEngine.load(tmp_path, settings=[found], env=environment) as engine:
            fired = await engine.fire("PreToolUse", **BASH)
            assert fired.handlers[0].background
            assert not fired.context
            await engine.settle()
            assert [late.text for late in engine.take_late()] == ["late"]
            assert not engine.take_late()

    asyncio.run(run())


def test_a_person_can_be_woken(tmp_path: Path, environment: dict[str, str]) -> None:
    async def run() -> None:
        found = settings("PostToolUse", command("echo look >&2; exit 2", asyncRewake=True))
        options: dict[str, Any] = {"settings": [found], "env": environment, "interactive": True}
        async with HookEngine.load(tmp_path, **options) as engine:
            await engine.fire("PostToolUse", **BASH)
            await engine.settle()
            (late,) = engine.take_late()
            assert (late.text, late.wake) == ("look", True)

    asyncio.run(run())


def test_untrusted_settings_are_not_run(fire: Fire) -> None:
    found = settings("PreToolUse", command("exit 2"))
    assert fire(found).blocked
    assert not fire(found, trusted=False).blocked


def test_managed_settings_can_rule_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    managed = tmp_path / "managed"
    (managed / "managed-settings.d").mkdir(parents=True)
    (managed / "managed-settings.json").write_text(json.dumps({"allowManagedHooksOnly": True}))
    drop_in = settings("PreToolUse", command("touch by-managed"))
    (managed / "managed-settings.d" / "10.json").write_text(json.dumps(drop_in))
    monkeypatch.setattr("hookd.host.settings.MANAGED_FOLDER", managed)
    (tmp_path / ".claude").mkdir()
    own = settings("PreToolUse", command("touch by-project"))
    (tmp_path / ".claude/settings.json").write_text(json.dumps(own))
    engine = HookEngine.load(tmp_path, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    engine.fire_sync("PreToolUse", **BASH)
    assert (tmp_path / "by-managed").exists()
    assert not (tmp_path / "by-project").exists()


def test_an_event_that_is_newer_than_hookd(fire: Fire) -> None:
    fired = fire(settings("Newer", command("cat; exit 2")), "Newer", {"field": 1})
    assert json.loads(fired.handlers[0].stdout)["field"] == 1
    assert not fired.blocked


def test_edited_settings_take_effect_at_once(tmp_path: Path) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    engine = HookEngine.load(tmp_path, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert not engine.fire_sync("PreToolUse", **BASH).blocked
    file.write_text(json.dumps(settings("PreToolUse", command("exit 2"))))
    assert engine.fire_sync("PreToolUse", **BASH).blocked
    file.unlink()
    assert not engine.fire_sync("PreToolUse", **BASH).blocked


@pytest.mark.parametrize("content", ["{broken", "", " \n", "[]", '{"hooks": {"Stop": [{}]}}', '{"env": 1}'])
def test_a_gate_outlives_a_file_that_is_caught_while_it_is_saved(
    tmp_path: Path, environment: dict[str, str], content: str
) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(settings("PreToolUse", command("exit 2"))))
    engine = HookEngine.load(tmp_path, env=environment | {"HOME": str(tmp_path / "home")})
    for broken in (content, content + " ", content + "  "):
        file.write_text(broken)
        fired = engine.fire_sync("PreToolUse", **BASH)
        assert fired.blocked
        (note,) = [note for note in fired.notes if "last good version stays in force" in note]
        assert str(file) in note
        assert engine.problems == [note]
    file.write_text("{}")
    opened = engine.fire_sync("PreToolUse", **BASH)
    assert not opened.blocked
    assert not opened.notes
    assert not engine.problems


@pytest.mark.parametrize("content", ["{nonsense", ""])
def test_a_file_that_never_was_good_counts_for_nothing(
    tmp_path: Path, environment: dict[str, str], content: str
) -> None:
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(content)
    engine = HookEngine.load(tmp_path, env=environment)
    assert not engine.fire_sync("PreToolUse", **BASH).blocked
    assert bool(engine.problems) is bool(content)
    file.write_text(json.dumps(settings("PreToolUse", command("exit 2"))))
    assert engine.fire_sync("PreToolUse", **BASH).blocked
