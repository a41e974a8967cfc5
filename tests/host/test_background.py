"""Handlers that nobody waits for, handlers that are cut short, and those who look on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, Fire, command, settings

from hookd.host import HookEngine

# Goes on until it is told to, or for so long that nobody who waits for it could be overlooked.
UNTIL_TOLD = "for i in $(seq 200); do [ -e go ] && break; sleep 0.05; done; "


def late(text: str) -> str:
    said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text}}
    return f"echo '{json.dumps(said)}'; touch ended"


def test_an_agent_without_a_loop_does_not_wait_for_the_background(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    found = settings("PreToolUse", command(UNTIL_TOLD + late("x"), **{"async": True}))
    engine = HookEngine.load(tmp_path, settings=[found], env=environment)
    assert engine.fire_sync("PreToolUse", **BASH).handlers[0].background
    assert not (tmp_path / "ended").exists()
    assert not engine.take_late()
    (tmp_path / "go").touch()
    engine.run_sync(engine.settle())
    assert [found.text for found in engine.take_late()] == ["x"]


def test_a_command_that_sends_itself_to_the_background_is_not_waited_for(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    line = "echo '{\"async\": true}'; " + UNTIL_TOLD + "touch ended"
    engine = HookEngine.load(tmp_path, settings=[settings("PreToolUse", command(line))], env=environment)
    assert engine.fire_sync("PreToolUse", **BASH).handlers[0].background
    assert not (tmp_path / "ended").exists()
    (tmp_path / "go").touch()
    engine.run_sync(engine.settle())
    assert (tmp_path / "ended").exists()


@pytest.mark.parametrize("sync", [True, False])
def test_closing_an_engine_ends_what_it_left_in_a_thread(
    tmp_path: Path, environment: dict[str, str], sync: bool
) -> None:
    line = command("touch began; " + UNTIL_TOLD + "touch ended", **{"async": True})
    engine = HookEngine.load(tmp_path, settings=[settings("PreToolUse", line)], env=environment)
    engine.fire_sync("PreToolUse", **BASH)
    if sync:
        engine.run_sync(engine.close())
    else:
        asyncio.run(engine.close())
    engine.run_sync(engine.settle())
    assert not (tmp_path / "ended").exists()


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        ("UserPromptSubmit", "echo no >&2; exit 2"),
        (
            "PermissionRequest",
            'echo \'{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": '
            '{"behavior": "allow"}}}\'',
        ),
    ],
)
@pytest.mark.parametrize("sync", [True, False])
def test_who_is_not_waited_for_is_ended(
    tmp_path: Path, environment: dict[str, str], event: str, answer: str, sync: bool
) -> None:
    # The answer waits until its sibling runs.
    decides = command("while [ ! -s pid ]; do sleep 0.01; done; " + answer)
    slow = command("echo $$ > pid; " + UNTIL_TOLD + "touch ended")
    engine = HookEngine.load(tmp_path, settings=[settings(event, slow, decides)], env=environment)

    def state() -> bool:
        return Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()

    async def fire() -> tuple[Any, bool]:
        return await engine.fire(event, **BASH, prompt="x"), state()

    if sync:
        fired, runs = engine.fire_sync(event, **BASH, prompt="x"), state()
    else:
        fired, runs = asyncio.run(fire())
    assert {run.outcome for run in fired.handlers if "pid;" in run.name} == {"cancelled"}
    assert not runs
    assert not (tmp_path / "ended").exists()


def raising_at(subtype: str) -> Callable[[dict[str, Any]], None]:
    def listen(line: dict[str, Any]) -> None:
        if line["subtype"] == subtype:
            raise ValueError("not listening")

    return listen


@pytest.mark.parametrize("subtype", ["hook_started", "hook_response"])
def test_a_listener_that_raises_costs_no_handler_its_say(fire: Fire, tmp_path: Path, subtype: str) -> None:
    both = settings("PreToolUse", command("echo no >&2; exit 2"), command("touch ran"))
    fired = fire(both, on_event=raising_at(subtype))
    assert fired.blocked
    assert len(fired.handlers) == 2
    assert (tmp_path / "ran").exists()
    assert [note for note in fired.notes if "on_event raised ValueError" in note]


def test_a_folder_is_made_when_it_is_needed(fire: Fire, tmp_path: Path) -> None:
    line = command("echo export A=1 >> $CLAUDE_ENV_FILE")
    fired = fire(settings("SessionStart", line), "SessionStart", {}, folder=tmp_path / "not" / "yet")
    assert fired.handlers[0].exit_code == 0
    assert (tmp_path / "not/yet/session-env/sessionstart-hook-0.sh").read_text() == "export A=1\n"


def test_a_folder_that_cannot_be_made_is_a_note(fire: Fire, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = command('echo "$CLAUDE_ENV_FILE"')
    fired = fire(settings("SessionStart", line), "SessionStart", {}, folder=tmp_path / "file" / "x")
    assert fired.handlers[0].exit_code == 0
    assert "CLAUDE_ENV_FILE" in fired.notes[0]
    long = settings("UserPromptSubmit", command("head -c 20000 /dev/zero | tr '\\0' x"))
    assert "The rest is lost" in fire(long, "UserPromptSubmit", {}, folder=tmp_path / "file" / "x").context[0]


def test_what_a_folder_exports_goes_with_it(tmp_path: Path, environment: dict[str, str]) -> None:
    hooks = {
        **settings("CwdChanged", command("echo export A=$(cat n) >> $CLAUDE_ENV_FILE"))["hooks"],
        **settings("SessionStart", command("echo export B=1 >> $CLAUDE_ENV_FILE"))["hooks"],
    }
    engine = HookEngine.load(tmp_path, settings=[{"hooks": hooks}], env=environment, folder=tmp_path / "kept")
    engine.fire_sync("SessionStart", source="startup")
    for number in ("1", "2"):
        (tmp_path / "n").write_text(number)
        engine.fire_sync("CwdChanged", old_cwd="/", new_cwd=str(tmp_path))
        assert sorted(engine.exports.splitlines()) == [f"export A={number}", "export B=1"]
