"""`hookd init --scope project`: what is committed works for those who have no hookd."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hookd.client_arguments import INSTALL_AGAIN
from hookd.installation import how_to_install
from worlds import World


def entry(world: World, event: str) -> dict[str, Any]:
    hooks = json.loads((world.project / ".claude" / "settings.json").read_text())["hooks"]
    (handler,) = hooks[event][0]["hooks"]
    return dict(handler)


def run(world: World, event: str, env: dict[str, str]) -> "subprocess.CompletedProcess[bytes]":
    """The entry as the agent starts it, on a machine with these variables."""
    handler = entry(world, event)
    tool = {"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}
    return subprocess.run(
        [handler["command"], *handler["args"]],
        input=world.payload(event, **tool),
        env=env,
        cwd=world.project,
        capture_output=True,
        check=False,
    )


@pytest.fixture
def colleague(world: World) -> dict[str, str]:
    """The variables of somebody who has no hookd."""
    home = world.base / "colleague"
    home.mkdir()
    return {"PATH": "/usr/bin:/bin", "HOME": str(home)}


def decision(done: "subprocess.CompletedProcess[bytes]") -> tuple[str, str]:
    said = json.loads(done.stdout)["hookSpecificOutput"]
    return said["permissionDecision"], said["permissionDecisionReason"]


def test_who_has_no_hookd_is_told_once_how_to_install_it_and_goes_on(
    world: World, colleague: dict[str, str]
) -> None:
    world.hookd("init", "--scope", "project")
    events = json.loads((world.project / ".claude" / "settings.json").read_text())["hooks"]
    said = {event: run(world, event, colleague) for event in events}
    assert {done.returncode for done in said.values()} == {0}
    assert {done.stderr for done in said.values()} == {b""}
    assert [event for event, done in said.items() if done.stdout] == ["SessionStart"]
    told = json.loads(said["SessionStart"].stdout)["systemMessage"]
    assert how_to_install() in told and "\n" not in told


@pytest.mark.parametrize("where", ["on the path", "in ~/.local/bin", "a copy of the client"])
def test_who_has_hookd_anywhere_is_guarded_by_it(world: World, colleague: dict[str, str], where: str) -> None:
    world.hookd("init", "--scope", "project")
    (client,) = (world.folders.data / "client").glob("*/hookd-client")
    env = colleague | {"HOOKD_HOME": str(world.home)}
    if where != "a copy of the client":
        world.home.joinpath("data", "client").rename(world.base / "client")
        client = world.base / "client" / client.parent.name / client.name
        place = world.base / "bin" if where == "on the path" else Path(env["HOME"]) / ".local" / "bin"
        place.mkdir(parents=True)
        (place / client.name).symlink_to(client)
        env["PATH"] += f":{world.base / 'bin'}"
    verdict, reason = decision(run(world, "PreToolUse", env))
    assert verdict == "deny" and "git.force-push" in reason


@pytest.mark.parametrize("policy", ["ask", "deny", "allow"])
def test_a_broken_install_follows_the_policy(world: World, colleague: dict[str, str], policy: str) -> None:
    (world.folders.config / "config.toml").write_text(f'[gate]\non_failure = "{policy}"\n')
    world.hookd("init", "--scope", "project")
    assert entry(world, "PreToolUse").get("onFailure") == (None if policy == "allow" else "block")
    (Path(colleague["HOME"]) / ".local/share/hookd/client").mkdir(parents=True)
    done = run(world, "PreToolUse", colleague)
    assert b"hookd was set up for you" in done.stderr
    if policy == "allow":
        assert "pass unjudged: hookd was set up for you" in json.loads(done.stdout)["systemMessage"]
    else:
        verdict, reason = decision(done)
        assert verdict == policy
        assert "hookd was set up for you" in reason and INSTALL_AGAIN in reason
    assert "hookd is not running" in json.loads(run(world, "SessionStart", colleague).stdout)["systemMessage"]


@pytest.mark.parametrize("policy", ["ask", "allow"])
def test_a_team_that_requires_hookd_says_so_in_writing(
    world: World, colleague: dict[str, str], policy: str
) -> None:
    (world.folders.config / "config.toml").write_text(f'[gate]\non_failure = "{policy}"\n')
    world.hookd("init", "--scope", "project", "--required")
    verdict, reason = decision(run(world, "PreToolUse", colleague))
    assert verdict == "deny"
    assert "this repository requires hookd, which you do not have" in reason
    assert how_to_install() in reason
    assert entry(world, "PreToolUse")["onFailure"] == "block"
    assert "nothing to change" in world.hookd("init", "--scope", "project"), "it stays until it is taken back"
    world.run("doctor", "--fix", check=False)
    assert decision(run(world, "PreToolUse", colleague))[0] == "deny"
    world.hookd("init", "--scope", "project", "--no-required")
    assert run(world, "PreToolUse", colleague).stdout == b""


def test_required_is_for_what_is_shared(world: World) -> None:
    done = world.run("init", "--required", check=False)
    assert done.returncode == 2 and b"--scope project" in done.stderr


def test_an_entry_that_stops_everybody_without_hookd_is_noticed_and_renewed(world: World) -> None:
    world.hookd("init", "--scope", "project")
    path = world.project / ".claude" / "settings.json"
    written = path.read_text()
    settings = json.loads(written)
    for groups in settings["hooks"].values():
        (handler,) = groups[0]["hooks"]
        handler["command"], handler["args"] = "hookd-client", handler["args"][7:]
    path.write_text(json.dumps(settings, indent=2) + "\n")
    finding = world.json("doctor")[2]
    assert not finding["ok"] and "older form" in finding["what"]
    world.hookd("init", "--scope", "project")
    assert json.loads(path.read_text()) == json.loads(written)
