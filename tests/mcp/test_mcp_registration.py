"""`hookd init --mcp`, `hookd uninstall` and `hookd doctor` with the file that Claude Code writes itself."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hookd.agents import claude_mcp
from hookd.agents.install import McpServer, Scope, Target
from hookd.errors import SettingsError
from worlds import World

HOOKD = str(Path(sys.executable).parent / "hookd")
SERVER = McpServer(HOOKD, ("mcp",), {})


def claude_json(world: World) -> Path:
    return world.base / ".claude.json"


def target(world: World, scope: Scope = "local") -> Target:
    return Target(str(world.project), scope, world.folders.registrations, world.env)


def texts(project: str) -> list[str | None]:
    """What may be in the file: nothing, the agent's own layout, and somebody else's."""
    entry: dict[str, Any] = {"allowedTools": [], "mcpServers": {}, "hasTrustDialogAccepted": True}
    other = {"mcpServers": {"files": {"command": "files", "args": []}}}
    return [
        None,
        "{}",
        json.dumps({"machineID": "x", "projects": {project: entry}, "numStartups": 3}, indent=2),
        json.dumps({"projects": {project: entry | other, "/elsewhere": other}}, indent=2) + "\n",
        '{\n\t"projects" : {"' + project + '": {"hasTrustDialogAccepted":true}},\r\n\t"é": 1.50\n}',
        json.dumps({"oauthAccount": {"uuid": "x"}, "projects": {}}),
    ]


@pytest.mark.parametrize("scope", ["local", "user"])
@pytest.mark.parametrize("number", range(6))
def test_twice_changes_nothing_and_uninstalling_restores_every_byte(
    world: World, scope: Scope, number: int
) -> None:
    path, before = claude_json(world), texts(str(world.project))[number]
    if before is not None:
        path.write_bytes(before.encode())
        path.chmod(0o640)
    change = claude_mcp.install(target(world, scope), SERVER, dry_run=True)
    assert change.changed and path.exists() == (before is not None)
    claude_mcp.install(target(world, scope), SERVER, dry_run=False)
    found = json.loads(path.read_bytes())
    servers = found["mcpServers"] if scope == "user" else found["projects"][str(world.project)]["mcpServers"]
    assert servers["hookd"] == {"type": "stdio", "command": HOOKD, "args": ["mcp"], "env": {}}
    assert path.stat().st_mode & 0o777 == (0o600 if before is None else 0o640)
    once = path.read_bytes()
    assert not claude_mcp.install(target(world, scope), SERVER, dry_run=False).changed
    assert path.read_bytes() == once
    claude_mcp.uninstall(target(world, scope), dry_run=False)
    left = path.read_bytes().decode() if path.exists() else None
    if before == "{}":
        assert left is None, "a file that holds nothing is as good as none"
    elif scope == "local" and number == 5:
        assert left == before.replace(', "projects": {}', ""), "what was empty is as good as not there"
    else:
        assert left == before
    assert not list(path.parent.glob(".claude.json.*"))


def test_without_the_flag_nothing_changes_and_uninstall_takes_all_out(world: World) -> None:
    path = claude_json(world)
    world.hookd("init")
    assert not path.exists()
    assert "can search this project's memory" in world.hookd("init", "--mcp")
    entry = json.loads(path.read_text())["projects"][str(world.project)]["mcpServers"]["hookd"]
    assert entry["command"] == HOOKD and entry["env"] == {"HOOKD_HOME": world.env["HOOKD_HOME"]}
    assert sorted(each.name for each in world.project.iterdir()) == [".claude", ".git", ".hookd"]
    (check,) = [each for each in world.json("doctor") if each["check"] == "mcp"]
    assert check["ok"] and "answers in" in check["what"]
    world.hookd("daemon", "start")
    world.hookd("uninstall")
    assert not path.exists() and not (world.project / ".claude").exists()
    assert world.no_daemon()


def test_purging_takes_it_out_as_well_and_leaves_nothing_in_the_project(world: World) -> None:
    world.hookd("init", "--mcp")
    world.hookd("purge", str(world.project), "--yes")
    assert not claude_json(world).exists()
    assert [each.name for each in world.project.iterdir()] == [".git"]


def test_the_doctor_mends_an_entry_that_leads_nowhere(world: World) -> None:
    world.hookd("init")
    claude_mcp.install(target(world), SERVER._replace(command="/gone/bin/hookd"), dry_run=False)
    (check,) = [each for each in world.json("doctor") if each["check"] == "mcp"]
    assert not check["ok"] and "/gone/bin/hookd" in check["what"] and "--mcp" in check["advice"]
    (check,) = [each for each in world.json("doctor", "--fix") if each["check"] == "mcp"]
    assert check["ok"], check


def test_a_committed_file_names_no_path_of_this_machine(world: World) -> None:
    world.hookd("init", "--mcp", "--scope", "project")
    entry = json.loads((world.project / ".mcp.json").read_text())["mcpServers"]["hookd"]
    assert entry == {"type": "stdio", "command": "hookd", "args": ["mcp"], "env": {}}
    assert not claude_json(world).exists()
    world.hookd("uninstall")
    assert not (world.project / ".mcp.json").exists()


def test_all_takes_it_out_of_every_project(world: World) -> None:
    claude_mcp.install(target(world), SERVER, dry_run=False)
    claude_mcp.install(target(world)._replace(root="/elsewhere"), SERVER, dry_run=False)
    claude_mcp.install(target(world, "user"), SERVER, dry_run=False)
    world.hookd("uninstall")
    assert claude_json(world).read_text().count('"hookd"') == 2
    world.hookd("uninstall", "--all")
    assert not claude_json(world).exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"projects": {',
        "[]",
        '{"projects": []}',
        '{"projects": {"ROOT": null}}',
        '{"projects": {"ROOT": {"mcpServers": [1]}}}',
        '{"projects": {"ROOT": {"mcpServers": {"hookd": {"command": "other", "args": ["mcp"]}}}}}',
        '{"a": 1} // note',
    ],
)
def test_a_file_that_is_broken_or_taken_stays_as_it_is(world: World, text: str) -> None:
    path = claude_json(world)
    path.write_text(text.replace("ROOT", str(world.project)))
    before = path.read_bytes()
    done = world.run("init", "--mcp", check=False)
    assert done.returncode == 1 and b".claude.json" in done.stderr
    assert path.read_bytes() == before
    if '"hookd"' not in text:
        world.hookd("uninstall")
    assert path.read_bytes() == before


def test_it_waits_for_the_agents_own_lock(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = world.base / ".claude.json.lock"
    lock.mkdir()
    monkeypatch.setattr(claude_mcp, "PATIENCE", 0.1)
    with pytest.raises(SettingsError, match="is being written by the agent"):
        claude_mcp.install(target(world), SERVER, dry_run=False)
    assert lock.exists() and not claude_json(world).exists()
    long_ago = time.time() - 60
    os.utime(lock, (long_ago, long_ago))
    assert claude_mcp.install(target(world), SERVER, dry_run=False).changed
    assert not lock.exists()


def test_another_writer_in_between_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes without the lock is noticed before the file is replaced."""
    path = claude_json(world)
    path.write_text('{"numStartups": 1}')
    with_entry = claude_mcp._with_entry

    def meanwhile(text: str | None, *more: Any) -> str:
        if text == '{"numStartups": 1}':
            path.write_text('{"numStartups": 2}')
        return with_entry(text, *more)

    monkeypatch.setattr(claude_mcp, "_with_entry", meanwhile)
    claude_mcp.install(target(world), SERVER, dry_run=False)
    found = json.loads(path.read_text())
    assert found["numStartups"] == 2 and found["projects"][str(world.project)]


def test_a_folder_goes_by_its_repository_as_with_the_agent(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
        person = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"]
        subprocess.run(["git", *person, *words], cwd=tmp_path, env=env, check=True, capture_output=True)

    git("init", "-q", "main")
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x")
    git("-C", "main", "worktree", "add", "-q", "../tree")
    git("clone", "-q", "--bare", "main", "bare.git")
    git("-C", "bare.git", "worktree", "add", "-q", "../bare-tree")
    git("init", "-q", "outer")
    git("-C", "outer", "submodule", "--quiet", "add", str(tmp_path / "main"), "inner")
    for folder in ("outer/package", "plain"):
        (tmp_path / folder).mkdir()
    base = str(tmp_path.resolve())
    names = {
        "main": "main",
        "tree": "main",
        "bare-tree": "bare.git",
        "outer": "outer",
        "outer/inner": "outer/inner",
        "outer/package": "outer",
        "plain": "plain",
    }
    for folder, name in names.items():
        assert claude_mcp.project_name(f"{base}/{folder}") == f"{base}/{name}"
