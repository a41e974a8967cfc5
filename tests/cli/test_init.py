"""`hookd init` and `hookd uninstall` on real settings files."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hookd.capabilities import CAPABILITIES
from hookd.client_arguments import parse
from hookd.wire import FOLDER_VARIABLES
from worlds import GUARD, World, in_older_form, make_git_folder

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
    assert gate["args"][:4] == ["claude-code", "PreToolUse", "--on-failure", "ask"]
    given = parse(gate["args"])
    assert given is not None and given.say is not None
    reason = json.loads(given.say)["hookSpecificOutput"]["permissionDecisionReason"]
    assert reason.startswith("hookd cannot judge this call: {why}. {advice}")
    assert given.project_variable == "CLAUDE_PROJECT_DIR" and "CI" in str(given.forward)
    assert gate["onFailure"] == "block"
    assert "onFailure" not in hooks["PostToolUse"][0]["hooks"][0]
    assert "WorktreeCreate" not in hooks and "PermissionRequest" not in hooks


def test_a_committed_file_names_no_path_of_this_machine(world: World) -> None:
    world.hookd("init", "--scope", "project")
    text = settings(world, "project").read_text()
    assert str(world.base) not in text and "/usr/" not in text
    assert '"command": "sh"' in text and "hookd-client" in text


@pytest.mark.parametrize("scope", ["local", "project", "user"])
@pytest.mark.parametrize("renew", [("doctor", "--fix"), ("init", "--scope", "SCOPE")])
def test_entries_of_an_older_form_work_are_noticed_and_renewed(
    world: World, scope: str, renew: tuple[str, ...]
) -> None:
    world.hookd("init", "--scope", scope)
    path = settings(world, scope)
    written = path.read_text()
    in_older_form(path)
    assert "--say" not in path.read_text()
    (gate,) = json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"]
    world.hookd("daemon", "start")
    tool = {"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}
    done = subprocess.run(
        [gate["command"], *gate["args"]],
        input=world.payload("PreToolUse", **tool),
        env=world.env,
        cwd=world.project,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    finding = world.json("doctor")[2]
    assert not finding["ok"] and "entries of an older form" in finding["what"]
    assert finding["advice"] == f"run `hookd init --scope {scope}`"
    world.hookd(*(scope if word == "SCOPE" else word for word in renew))
    assert json.loads(path.read_text()) == json.loads(written)
    assert world.json("doctor")[2]["ok"]


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
    make_git_folder(other)
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
    ignored = (world.project / ".hookd" / ".gitignore").read_text().split()
    assert ignored == ["runs/", "config.local.toml", "CURRENT.md", "handovers/", ".gitignore"]
    world.hookd("uninstall")
    assert {path.name for path in world.project.iterdir()} == {".git"}


def test_an_unknown_agent_is_a_usage_error(world: World) -> None:
    done = world.run("init", "--agent", "nobody", check=False)
    assert done.returncode == 2
    assert b"claude-code" in done.stderr


def folders(world: World) -> list[str]:
    return [f"{name}={world.env[name]}" for name in FOLDER_VARIABLES if name in world.env]


@pytest.mark.parametrize("scope", ["local", "user"])
def test_hookds_folders_are_in_the_registered_command(world: World, scope: str) -> None:
    world.hookd("init", "--scope", scope)
    hooks = json.loads(settings(world, scope).read_text())["hooks"]
    assert hooks["PreToolUse"][0]["hooks"][0]["args"][-2:] == folders(world)
    assert hooks["Stop"][0]["hooks"][0]["args"][-2:] == folders(world)
    assert world.json("doctor")[2]["ok"]
    other = {"HOOKD_HOME": str(world.base / "o")}
    elsewhere = world.run("doctor", "--json", env=other, check=False)
    world.run("daemon", "stop", env=other)  # the one that the doctor tried the way with
    assert "elsewhere than this terminal" in json.loads(elsewhere.stdout)[2]["what"]


def test_a_repository_cannot_turn_hooks_off_where_hookd_is_registered_for_this_machine(world: World) -> None:
    world.hookd("init")
    settings(world, "project").write_text('{"disableAllHooks": true, "env": {"HOOKD_HOME": "/elsewhere"}}')
    (place,) = world.status()["registered"]
    assert json.loads(settings(world, "local").read_text())["disableAllHooks"] is False
    assert not place["down"]


@pytest.mark.parametrize(
    ("where", "what", "said"),
    [
        ("user", {"disableAllHooks": True}, "disableAllHooks is true in"),
        ("local", {"disableAllHooks": True}, "disableAllHooks is true in"),
        ("project", {"env": {"LD_PRELOAD": "x.so"}}, "sets LD_PRELOAD"),
    ],
)
def test_a_guard_that_is_down_is_told_everywhere(world: World, where: str, what: Any, said: str) -> None:
    path = settings(world, where)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(what))
    world.hookd("init")
    assert said in world.status()["registered"][0]["down"]
    assert "GUARD DOWN" in world.hookd("status")
    for _ in range(2):
        line = world.hookd("statusline")
        assert "GUARD DOWN" in line and said in line
        world.hookd("daemon", "start")
    finding = world.json("doctor")[2]
    assert not finding["ok"] and said in finding["what"]


def test_without_folders_in_its_command_a_variable_diverts_hookd(world: World) -> None:
    world.hookd("init", "--scope", "project")
    path = settings(world, "project")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"env": {"HOOKD_HOME": "/elsewhere"}}))
    assert "sets HOOKD_HOME for the agent" in world.status()["registered"][0]["down"]
    told = world.send("SessionStart", source="startup")["systemMessage"]
    assert "GUARD DOWN" in told and "HOOKD_HOME" in told


def test_a_session_stays_guarded_whatever_becomes_of_the_settings(world: World) -> None:
    def change(**more: str) -> Any:
        return world.send("ConfigChange", source="local_settings", **more)

    world.hookd("init")
    path = settings(world, "local")
    registered = path.read_text()
    assert change() is None
    path.write_text(registered.replace('"disableAllHooks": false', '"disableAllHooks": true'))
    assert change()["decision"] == "block"
    path.write_text("{}")
    assert "no longer in" in change()["reason"]
    path.unlink()
    assert change()["decision"] == "block"
    path.write_text(registered)
    assert change() is None
    world.hookd("uninstall")
    assert change() is None


def test_init_says_what_is_on_and_ends_with_a_command_to_try(world: World) -> None:
    said = world.hookd("init").splitlines()
    for each in CAPABILITIES:
        assert f"  {each.name:<8} {each.about}" in said
    label, _, command = said[-1].partition(": ")
    assert label == "Try it"
    assert world.hookd(*shlex.split(command)[1:]).startswith("Denied.")


@pytest.mark.parametrize("scope", ["local", "user"])
def test_init_may_begin_in_audit_mode(world: World, scope: str) -> None:
    said = world.at_terminal("init", "--audit", "--scope", scope, answers=b"")
    assert world.bash("git push --force origin main") is None
    assert world.hookd("config", "get", "gate.mode") == "audit\n"
    [end] = re.findall(r"`hookd (config unset [^`]+)` ends it", said)
    world.at_terminal(*end.split(), answers=b"")
    answer = world.bash("git push --force origin main")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_audit_mode_needs_a_person_and_trust_where_a_project_brings_more(world: World) -> None:
    done = world.run("init", "--audit", check=False)
    assert done.returncode == 1 and b"needs a person" in done.stderr
    assert not (world.project / ".claude").exists()
    world.write_project_file("hooks/theirs.py", GUARD)
    said = world.at_terminal("init", "--audit", answers=b"")
    assert "then run `hookd trust`; audit mode waits for that, too." in said
    assert world.bash("git push --force origin main")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.status()["trust"]["state"] == "not trusted"


@pytest.mark.parametrize("scope", ["local", "project", "user"])
@pytest.mark.parametrize("where", ["user", "project", "local"])
def test_init_says_which_file_keeps_the_agent_from_running_hooks(
    world: World, scope: str, where: str
) -> None:
    path = settings(world, where)
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"disableAllHooks": true}\n')
    said = world.hookd("init", "--scope", scope)
    if (where, scope) == ("project", "local"):  # the local file says that hooks are on, and outranks it
        assert "Claude Code now fires its hooks at hookd" in said and "GUARD" not in said
        return
    assert "Claude Code does not run them." in said and "now fires" not in said
    why = f"disableAllHooks is true in {path}: the agent runs no hooks (take that out of the file)"
    assert said.splitlines()[-1] == f"hookd is registered, but not asked: GUARD DOWN: {why}"
    assert "On from now" not in said and "Try it" not in said
    assert why in world.run("init", "--scope", scope, env={"CI": "1"}).stdout.decode()
    for words in (["status"], ["statusline"], ["doctor"]):
        assert str(path) in world.run(*words, check=False).stdout.decode()


def test_init_says_that_the_configuration_turns_the_gate_off(world: World) -> None:
    (world.folders.config / "config.toml").write_text('[gate]\nmode = "off"\n')
    said = world.hookd("init")
    assert 'GUARD DOWN: gate.mode is "off"' in said and "On from now" not in said
