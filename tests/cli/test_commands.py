"""The commands a person uses to see what is going on, and what they say when things are wrong."""

import json
import os
import signal
from pathlib import Path

import pytest

from hookd.cli import app
from worlds import GUARD, World, is_alive, wait_until


def test_doctor_on_a_good_installation(world: World) -> None:
    world.hookd("init")
    done = world.run("doctor")
    assert [line[:3] for line in done.stdout.decode().splitlines()] == ["ok "] * 17
    assert b"round trip" in done.stdout
    assert all(finding["ok"] for finding in world.json("doctor"))


def test_doctor_finds_and_fixes(world: World) -> None:
    done = world.run("doctor", check=False)
    assert done.returncode == 1
    assert b"hookd init" in done.stdout
    world.hookd("init")
    world.hookd("daemon", "stop")  # it would renew the client by itself
    copy = next((world.folders.data / "client").glob("*/hookd-client"), None)
    os.chmod(world.files.folder, 0o755)
    if copy is not None:
        copy.write_bytes(b"broken")
    bad = {finding["check"] for finding in world.json("doctor") if not finding["ok"]}
    assert "runtime" in bad
    assert copy is None or "client" in bad
    fixed = world.run("doctor", "--fix", check=False)
    assert fixed.returncode == 0, fixed.stdout.decode()
    assert b"set its mode to 0700" in fixed.stdout


def test_doctor_ends_a_frozen_daemon(world: World) -> None:
    world.hookd("init")
    world.bash("ls")
    pid = world.daemon_pid()
    os.kill(pid, signal.SIGSTOP)
    assert "does not react" in str(world.status()["daemon_problem"])
    assert "does not react" in world.hookd("ps")
    assert "does not react" in world.run("statusline").stdout.decode()
    assert world.run("doctor", "--fix", check=False).returncode == 0
    wait_until(lambda: not is_alive(pid), "the frozen daemon is ended")


def test_doctor_names_settings_in_two_scopes_and_disabled_hooks(world: World) -> None:
    world.hookd("init")
    world.hookd("init", "--scope", "user")
    assert "several scopes" in world.run("doctor", check=False).stdout.decode()
    world.hookd("uninstall", "--scope", "user")
    path = world.project / ".claude" / "settings.local.json"
    path.write_text(path.read_text().replace('"disableAllHooks": false', '"disableAllHooks": true'))
    assert "disableAllHooks" in world.run("doctor", check=False).stdout.decode()
    assert "disableAllHooks" in world.hookd("status")


def test_status_of_a_project_that_is_not_set_up(world: World) -> None:
    said = world.hookd("status")
    assert "not running" in said and "run `hookd init`" in said


def test_statusline_in_the_agents_own_terms(world: World) -> None:
    told = json.dumps({"workspace": {"project_dir": str(world.project)}}).encode()
    elsewhere = world.base
    assert world.run("statusline", stdin=told, cwd=elsewhere).stdout.startswith(
        b"hookd: GUARD DOWN: not registered"
    )
    world.hookd("init")
    assert world.run("statusline", stdin=told, cwd=elsewhere).stdout.startswith(b"hookd: guarded | no daemon")
    world.write_hook(GUARD)
    world.bash("acme deploy --now")
    assert (
        world.run("statusline", stdin=told, cwd=elsewhere).stdout
        == b"hookd: guarded | 1 events | 1 denied lately\n"
    )
    assert world.run("statusline", stdin=b"nonsense").returncode == 0
    settings = world.project / ".claude" / "settings.local.json"
    settings.write_text(settings.read_text().replace('"disableAllHooks": false', '"disableAllHooks": true'))
    assert b"GUARD DOWN" in world.run("statusline", stdin=told).stdout
    world.hookd("uninstall")
    assert b"GUARD DOWN" in world.run("statusline", stdin=told).stdout


def test_logs_has_what_a_hook_logged(world: World) -> None:
    assert "Nothing has been logged" in world.hookd("logs")
    world.write_hook(GUARD.replace("return context(", 'ctx.log("greeting")\n        return context('))
    world.send("UserPromptSubmit", prompt="hi")
    assert "guard.greet: greeting" in world.hookd("logs")
    assert any("greeting" in line for line in world.json("logs")["lines"])


def test_purge_forgets_everything(world: World) -> None:
    world.hookd("init")
    world.write_project_file("hooks/mine.py", GUARD)
    world.trust()
    world.send("SessionStart", source="startup")
    world.bash("acme deploy --now", tool_use_id="t1")
    wait_until(lambda: world.status()["events_recorded"] == 2, "the events are on record")
    assert list((world.project / ".hookd" / "runs").iterdir())
    world.hookd("purge", str(world.project), "--yes")
    status = world.status()
    assert status["events_recorded"] == 0 and status["sessions"] == [] and status["registered"] == []
    assert status["trust"]["state"] == "not trusted"
    assert not (world.project / ".hookd" / "runs").exists()
    assert (world.project / ".hookd" / "hooks" / "mine.py").exists()
    assert not list(Path(world.files.folder).glob("p-*"))


def test_purge_forgets_in_backups_and_damaged_copies_too(world: World) -> None:
    world.bash("ls", tool_use_id="telltale")
    world.status()
    world.hookd("store", "backup")
    world.hookd("daemon", "stop")
    os.truncate(world.folders.database, world.folders.database.stat().st_size - 4096)
    assert "restored from" in world.hookd("store", "restore")
    assert world.status()["events_recorded"] == 1
    holding = [path for path in world.home.rglob("*") if path.is_file() and b"telltale" in path.read_bytes()]
    assert {path.parent.name for path in holding} >= {"data", "backups", "damaged"}
    world.hookd("purge", str(world.project), "--yes")
    holding = [path for path in world.home.rglob("*") if path.is_file() and b"telltale" in path.read_bytes()]
    assert holding == []
    assert len(world.json("store", "stats")["backups"]) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(world: World, shell: str) -> None:
    assert "_HOOKD_COMPLETE" in world.hookd("completion", shell)


def test_every_command_has_help_with_a_sentence(world: World) -> None:
    listed = world.hookd("--help")
    for name in app.COMMANDS:
        assert name in listed
        text = world.hookd(name, "--help")
        assert text.startswith("Usage: hookd ") and text.count(".") >= 1


def test_usage_errors_have_their_exit_code(world: World) -> None:
    assert world.run("nonsense", check=False).returncode == 2
    assert world.run("hook", "claude-code", check=False).returncode == 2
    assert world.run("daemon", "run", "--nonsense", check=False).returncode == 2


def test_a_bug_leaves_its_details_where_they_can_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise RuntimeError("this is what went wrong")

    monkeypatch.setenv("HOOKD_HOME", str(tmp_path))
    monkeypatch.setattr(app.cli, "main", broken)
    assert app.run(["status"]) == 3
    path = tmp_path / "data" / "crash.log"
    assert str(path) in capsys.readouterr().err
    assert "this is what went wrong" in path.read_text()


def test_a_hook_that_is_named_and_cannot_be_used_is_named_on_stderr(world: World) -> None:
    broken = world.home / "broken.py"
    broken.write_text("def register(hookd:\n")
    missing = world.home / "nope.py"
    for path, problem in ((broken, "SyntaxError"), (missing, "cannot be read")):
        done = world.run("hook", "claude-code", "Stop", "--hook", str(path), stdin=b"{}")
        line = next(line for line in done.stderr.decode().splitlines() if str(path) in line)
        assert line.startswith("hookd: ")
        assert problem in line


def test_hook_finds_the_project_and_the_variables_that_its_client_has_named(world: World) -> None:
    payload = world.payload(
        "PreToolUse", tool_name="Bash", tool_input={"command": "git reset --hard"}, cwd=""
    )
    env = {"TOY_ROOT": str(world.project), "CI": "true"}

    def verdict(*options: str) -> str:
        words = ("hook", "claude-code", "PreToolUse", "--project-variable", "TOY_ROOT", *options)
        done = world.run(*words, stdin=payload, env=env, cwd=world.base)
        return str(json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"])

    assert verdict("--forward", "CI") == verdict() == "deny", "in CI nobody can be asked"
    assert verdict("--forward", "") == "ask"
    assert [run["events"] for run in world.json("runs", "list")] == [{"PreToolUse": 3}]
