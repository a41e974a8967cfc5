"""`hookd init` and `hookd uninstall` on real settings files."""

import json
from pathlib import Path

import pytest

from worlds import GUARD, World

OWN = (
    '{\n\t"model": "opus",\n\t"hooks": {\n\t\t'
    '"Stop": [ {"hooks":[{"type":"command","command":"make lint"}]} ]\n\t}\n}'
)


def settings(world: World, scope: str) -> Path:
    folder = world.base if scope == "user" else world.project
    return folder / ".claude" / ("settings.local.json" if scope == "local" else "settings.json")


@pytest.mark.parametrize("scope", ["local", "project", "user"])
@pytest.mark.parametrize("before", [None, "{}", OWN, OWN + "\n"])
def test_twice_changes_nothing_and_uninstall_restores_every_byte(
    world: World, scope: str, before: str | None
) -> None:
    path = settings(world, scope)
    if before is not None:
        path.parent.mkdir()
        path.write_text(before)
    world.hookd("init", "--scope", scope)
    once = path.read_bytes()
    assert once != (before or "").encode()
    assert "nothing to change" in world.hookd("init", "--scope", scope)
    assert path.read_bytes() == once
    world.hookd("uninstall", "--scope", scope)
    if before is None:
        assert not path.parent.exists()
    else:
        assert path.read_text() == before


def test_entries_are_exec_form_with_an_absolute_client_and_fail_closed_at_the_gate(world: World) -> None:
    world.hookd("init")
    hooks = json.loads(settings(world, "local").read_text())["hooks"]
    assert hooks["PreToolUse"][0].keys() == {"hooks"}, "without a matcher every tool is reported"
    gate = hooks["PreToolUse"][0]["hooks"][0]
    assert Path(gate["command"]).is_absolute()
    assert gate["args"][-4:] == ["claude-code", "PreToolUse", "--on-failure", "ask"]
    assert gate["onFailure"] == "block"
    assert "onFailure" not in hooks["PostToolUse"][0]["hooks"][0]
    assert "WorktreeCreate" not in hooks and "PermissionRequest" not in hooks


def test_a_committed_file_names_no_path_of_this_machine(world: World) -> None:
    world.hookd("init", "--scope", "project")
    text = settings(world, "project").read_text()
    assert str(world.base) not in text and "/bin" not in text
    assert '"command": "hookd-client"' in text


def test_an_event_that_a_hook_wants_is_registered_and_until_then_missed_by_status(world: World) -> None:
    world.hookd("init")
    world.write_hook(GUARD.replace('"UserPromptSubmit"', '"PermissionRequest"'))
    assert world.status()["missing_events"] == ["PermissionRequest"]
    assert "PermissionRequest" in world.hookd("status")
    world.hookd("init")
    assert world.status()["missing_events"] == []


def test_worktree_create_is_never_registered(world: World) -> None:
    world.write_hook(GUARD.replace('"UserPromptSubmit"', '"WorktreeCreate"'))
    world.hookd("init")
    assert "WorktreeCreate" not in settings(world, "local").read_text()


def test_dry_run_shows_a_diff_and_writes_nothing(world: World) -> None:
    shown = world.hookd("init", "--dry-run")
    assert shown.startswith("--- /dev/null") and '+    "PreToolUse": [' in shown
    assert not settings(world, "local").exists()
    assert not (world.project / ".hookd").exists()


def test_settings_that_are_no_json_are_left_alone_with_a_clear_message(world: World) -> None:
    path = settings(world, "local")
    path.parent.mkdir()
    path.write_text('{"hooks": {,}}')
    done = world.run("init", check=False)
    assert done.returncode == 1
    assert f"{path}:1:12" in done.stderr.decode()
    assert path.read_text() == '{"hooks": {,}}'


def test_uninstall_all_finds_every_place(world: World) -> None:
    other = world.base / "other"
    (other / ".git").mkdir(parents=True)
    world.hookd("init")
    world.hookd("init", "--project", str(other))
    world.hookd("init", "--scope", "user")
    world.hookd("uninstall", "--all")
    assert not settings(world, "local").exists()
    assert not settings(world, "user").exists()
    assert not (other / ".claude").exists()
    assert "Nothing to take out" in world.hookd("uninstall", "--all")


def test_init_leaves_nothing_in_the_project_but_hookd_and_settings(world: World) -> None:
    world.hookd("init")
    assert {path.name for path in world.project.iterdir()} == {".git", ".hookd", ".claude"}
    assert (world.project / ".hookd" / ".gitignore").read_text() == "runs/\nconfig.local.toml\n"
    world.hookd("uninstall")
    assert {path.name for path in world.project.iterdir()} == {".git"}


def test_an_unknown_agent_is_a_usage_error(world: World) -> None:
    done = world.run("init", "--agent", "nobody", check=False)
    assert done.returncode == 2
    assert b"claude-code" in done.stderr
