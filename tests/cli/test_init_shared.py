"""`hookd init --scope project`: what is committed works for those who have no hookd."""

import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookd.installation import how_to_install
from worlds import World


def entry(world: World, event: str) -> dict[str, Any]:
    hooks = json.loads((world.project / ".claude" / "settings.json").read_text())["hooks"]
    (handler,) = hooks[event][0]["hooks"]
    return dict(handler)


def run(
    world: World, event: str, env: dict[str, str], shell: str = "sh"
) -> "subprocess.CompletedProcess[bytes]":
    """The entry as the agent starts it, on a machine with these variables and this shell as `sh`."""
    handler = entry(world, event)
    assert handler["command"] == "sh"
    tool = {"tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}
    return subprocess.run(
        [*shell.replace("busybox", "busybox sh").split(), *handler["args"]],
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


def put(place: Path, content: str | bytes = "", *, mode: int = 0o755) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    place.chmod(mode)


def dangling(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to("/nonexistent/hookd-client")


CLIENTS_THAT_DO_NOT_ANSWER: dict[str, Callable[[Path], None]] = {
    "a link to nowhere": dangling,
    "a folder": lambda place: place.mkdir(parents=True),
    "an empty file": put,
    "a file of zeros": lambda place: put(place, bytes(4096)),
    "a file that may not be run": lambda place: put(place, "#!/bin/sh\nexit 0\n", mode=0o644),
    "a script whose interpreter is gone": lambda place: put(place, "#!/nonexistent/bin/python\n"),
    "a script whose package is gone": lambda place: put(place, "#!/bin/sh\ncat >/dev/null; exit 1\n"),
    "a program that dies at once": lambda place: put(place, "#!/bin/sh\nkill -SEGV $$\n"),
    "a program that dies after it has read": lambda place: put(
        place, "#!/bin/sh\ncat >/dev/null; kill -9 $$\n"
    ),
}
PLACES = {
    "on the path": "bin",
    "in ~/.local/bin": ".local/bin",
    "a copy": ".local/share/hookd/client/0123456789ab",
    "a copy in XDG_DATA_HOME": "data/hookd/client/0123456789ab",
    "a copy in HOOKD_HOME": "h/data/client/0123456789ab",
}
SHELLS = ["sh", *filter(shutil.which, ("dash", "bash", "busybox"))]


def machine(colleague: dict[str, str], place: str) -> dict[str, str]:
    """The colleague's variables, as they are where the client is in that place."""
    home = colleague["HOME"]
    more = {
        "on the path": {"PATH": f"{colleague['PATH']}:{home}/bin"},
        "a copy in XDG_DATA_HOME": {"XDG_DATA_HOME": f"{home}/data"},
        "a copy in HOOKD_HOME": {"HOOKD_HOME": f"{home}/h"},
    }
    return colleague | more.get(place, {})


@pytest.mark.parametrize("client", CLIENTS_THAT_DO_NOT_ANSWER)
def test_a_client_that_does_not_answer_is_a_broken_install(
    world: World, colleague: dict[str, str], client: str
) -> None:
    world.hookd("init", "--scope", "project")
    for place, shell in itertools.product(PLACES, SHELLS):
        home = world.base / f"{place} {shell}"
        path = home / PLACES[place] / "hookd-client"
        CLIENTS_THAT_DO_NOT_ANSWER[client](path)
        done = run(world, "PreToolUse", machine(colleague | {"HOME": str(home)}, place), shell)
        verdict, reason = decision(done)
        assert verdict == "ask" and "hookd was set up for you" in reason, (place, shell)
        assert "Install it again" in reason and os.fsencode(path) in done.stderr
        assert done.returncode == 0


@pytest.mark.parametrize(
    ("left", "variables"),
    [
        (".config/hookd", {}),
        (".local/share/hookd", {}),
        (".local/share/hookd/client", {}),
        ("c/hookd", {"XDG_CONFIG_HOME": "c"}),
        ("d/hookd", {"XDG_DATA_HOME": "d"}),
        ("h/config", {"HOOKD_HOME": "h"}),
        ("h/data", {"HOOKD_HOME": "h"}),
    ],
)
def test_folders_of_hookds_without_a_client_are_a_broken_install(
    world: World, colleague: dict[str, str], left: str, variables: dict[str, str]
) -> None:
    world.hookd("init", "--scope", "project")
    home = Path(colleague["HOME"])
    env = colleague | {name: str(home / value) for name, value in variables.items()}
    assert run(world, "PreToolUse", env).stdout == b"", "with nothing there, there is no hookd"
    (home / left).mkdir(parents=True)
    assert decision(run(world, "PreToolUse", env))[0] == "ask"


def test_a_client_that_works_is_found_behind_those_that_cannot_begin(
    world: World, colleague: dict[str, str]
) -> None:
    """A shim or a script of an interpreter that is gone may stand in front of the copy that works."""
    world.hookd("init", "--scope", "project")
    home = Path(colleague["HOME"])
    env = machine(colleague, "on the path") | {"HOOKD_HOME": str(world.home)}
    CLIENTS_THAT_DO_NOT_ANSWER["a script whose interpreter is gone"](home / "bin" / "hookd-client")
    CLIENTS_THAT_DO_NOT_ANSWER["a link to nowhere"](home / ".local" / "bin" / "hookd-client")
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
        assert "hookd was set up for you" in reason and "Install it again" in reason
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
