"""`hookd fire`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from host_settings import BASH, command, settings

from hookd.cli.fire import fire
from hookd.errors import HookdError, UsageError
from worlds import World, wait_until

FORCED = "git push --force origin main"


def run(tmp_path: Path, found: dict[str, Any], *args: str, event: str = "PreToolUse") -> str:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(found))
    arguments = [event, "--settings", str(file), "--cwd", str(tmp_path), "--input", "-", *args]
    result = CliRunner().invoke(
        fire, arguments, input=json.dumps(BASH), catch_exceptions=False, standalone_mode=False
    )
    return result.stdout


def test_json_for_scripts(tmp_path: Path) -> None:
    found = json.loads(run(tmp_path, settings("PreToolUse", command("echo no >&2; exit 2")), "--json"))
    assert found["blocked"] is True
    assert found["output"]["hookSpecificOutput"]["permissionDecision"] == "deny"
    (handler,) = found["handlers"]
    assert handler["duration_ms"] > 0
    wanted = {"name": "echo no >&2; exit 2", "type": "command", "outcome": "error", "exit_code": 2}
    assert handler.items() >= (wanted | {"stdout": "", "stderr": "no\n"}).items()


@pytest.mark.parametrize(
    ("event", "line", "said"),
    [
        ("PreToolUse", "echo no >&2; exit 2", "The agent does not do it: no"),
        ("PreToolUse", "true", "The agent goes on"),
        ("PreToolUse", "echo '{\"continue\": false}'", "The agent runs the tool and ends its turn after it"),
        ("Stop", "echo more >&2; exit 2", "The agent goes on instead of stopping"),
        ("Stop", "true", "The agent stops"),
        ("PostToolUse", 'echo \'{"continue": false, "stopReason": "x"}\'', "The agent ends its turn here: x"),
    ],
)
def test_a_report_for_people(tmp_path: Path, event: str, line: str, said: str) -> None:
    report = run(tmp_path, settings(event, command(line)), event=event)
    assert said in report.splitlines()
    assert line[:20] in report


def test_a_status_message_is_shown(tmp_path: Path) -> None:
    found = settings("PreToolUse", command("true", statusMessage="Checking\x1b[2J the push"))
    assert "     status: Checking\\x1b[2J the push" in run(tmp_path, found).splitlines()
    [handler] = json.loads(run(tmp_path, found, "--json"))["handlers"]
    assert handler["status_message"] == "Checking\x1b[2J the push"
    started, ended, *_ = map(json.loads, run(tmp_path, found, "--stream").splitlines()[:2])
    assert (started["subtype"], started["status_message"]) == ("hook_started", handler["status_message"])
    assert "status_message" not in ended
    plain = json.loads(run(tmp_path, settings("PreToolUse", command("true")), "--stream").splitlines()[0])
    assert "status_message" not in plain, "without one the line is the agent's own"


def test_at_a_terminal_a_status_message_is_there_while_the_handler_runs(world: World) -> None:
    found = settings("PreToolUse", command("true", statusMessage="Checking the push"))
    (world.project / "settings.json").write_text(json.dumps(found))
    lines = world.at_terminal("fire", "PreToolUse", "--settings", "settings.json", answers=b"").splitlines()
    assert lines[0] == "Checking the push", "before there is anything to report"
    assert lines[1] == "PreToolUse"


def test_the_stream(tmp_path: Path) -> None:
    lines = run(tmp_path, settings("PreToolUse", command("true")), "--stream").splitlines()
    assert [json.loads(line)["subtype"] for line in lines[:2]] == ["hook_started", "hook_response"]


def test_input_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("[]")
    for source in (tmp_path / "input", tmp_path / "missing"):
        with pytest.raises(UsageError):
            CliRunner().invoke(
                fire, ["Stop", "--input", str(source)], catch_exceptions=False, standalone_mode=False
            )


def failing(*arguments: str, stdin: str = "") -> HookdError:
    with pytest.raises(HookdError) as caught:
        CliRunner().invoke(fire, arguments, input=stdin, catch_exceptions=False, standalone_mode=False)
    return caught.value


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 2, "cannot be read"),
        ("{x", 1, "is no JSON"),
        ("[]", 1, "no object"),
        ("", 1, "no object"),
    ],
)
def test_settings_that_are_none(tmp_path: Path, content: str | None, code: int, said: str) -> None:
    file = tmp_path / "settings.json"
    if content is not None:
        file.write_text(content)
    error = failing("Stop", "--settings", str(file), "--cwd", str(tmp_path))
    assert error.exit_code == code
    assert said in str(error)
    assert str(file) in str(error)


def test_an_event_that_is_none(tmp_path: Path) -> None:
    error = failing("PreToolUs", "--cwd", str(tmp_path))
    assert error.exit_code == 2
    assert error.hint == "did you mean PreToolUse?"
    assert "goes on" in run(tmp_path, settings("Newer", command("true")), event="Newer")


def test_other_input_that_is_none(tmp_path: Path) -> None:
    assert failing("Stop", "--input", "-", "--cwd", str(tmp_path), stdin="{x").exit_code == 2
    assert failing("Stop", "--plugin", str(tmp_path / "none"), "--cwd", str(tmp_path)).exit_code == 2


def test_settings_that_the_agent_would_void_are_run_without(tmp_path: Path) -> None:
    found = json.loads(run(tmp_path, settings("Stop", {"type": "nonsense"}), "--json", event="Stop"))
    assert (found["blocked"], found["handlers"]) == (False, [])
    (note,) = found["notes"]
    assert "is ignored as a whole" in note
    assert str(tmp_path / "settings.json") in note
    (note,) = json.loads(run(tmp_path, {"disableAllHooks": 1}, "--json"))["notes"]
    assert "disableAllHooks must be true or false" in note


def test_a_handler_is_shown_with_the_file_that_names_it(tmp_path: Path) -> None:
    report = run(tmp_path, settings("PreToolUse", command("true")))
    assert str(tmp_path / "settings.json") in report


def test_an_output_that_is_full_is_no_bug(tmp_path: Path) -> None:
    for form in ([], ["--json"]):
        with Path("/dev/full").open("w") as full:
            ended = subprocess.run(
                [sys.executable, "-m", "hookd", "fire", "Stop", "--cwd", str(tmp_path), *form],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert ended.returncode == 1
        assert ended.stderr == "hookd: the output cannot be written: No space left on device\n"


def test_why_nothing_ran(tmp_path: Path) -> None:
    report = run(tmp_path, settings("PreToolUse", command("true"), matcher="Write"))
    assert "none of the 1 hooks for PreToolUse is for this input; they are for 'Write'" in report


def fired(world: World, event: str, **fields: Any) -> str:
    done = world.run("fire", event, "--input", "-", stdin=json.dumps(fields).encode())
    return done.stdout.decode()


def test_a_session_that_was_made_up_for_an_event_is_over_with_it(world: World) -> None:
    """hookd's own entries are among those that run, and put the event on record."""
    world.hookd("init")
    heard = world.base / "heard"
    note = f"cat > /dev/null; echo $0 >> {heard}"
    (world.project / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": {event: [{"hooks": [command(note)]}] for event in ("Stop", "SessionEnd")}})
    )
    assert "force-push" in fired(world, "PreToolUse", **BASH | {"tool_input": {"command": FORCED}})
    fired(world, "Stop")
    wait_until(world.no_daemon, "the daemon has nobody to wait for")
    status = world.status()
    assert len(status["sessions"]) == 2 and all(each["ended_at"] for each in status["sessions"])
    assert "not ended" not in world.hookd("runs", "list")
    assert heard.read_text().count("\n") == 1, "no handler of anybody else's hears of an end"


def test_a_session_that_was_named_goes_on(world: World) -> None:
    world.hookd("init")
    world.send("SessionStart", source="startup")
    fired(world, "Stop", session_id="s1")
    [session] = world.status()["sessions"]
    assert session["id"] == "s1" and session["ended_at"] is None
    assert len(world.status()["daemon"]["sessions"]) == 1


def test_where_hookd_was_not_asked_it_is_told_nothing(world: World) -> None:
    world.hookd("init")
    path = world.project / ".claude" / "settings.local.json"
    settings_of_hookd = json.loads(path.read_text())
    del settings_of_hookd["hooks"]["Stop"]
    path.write_text(json.dumps(settings_of_hookd))
    fired(world, "Stop")
    assert world.status()["events_recorded"] == 0
