"""Whether a project is guarded: every way it may not be is seen, and told in the same words everywhere."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_http import Page

from hookd.agents import claude_install
from hookd.capabilities import sources
from hookd.capability import Guard
from hookd.daemon.guard import cannot_run, guard
from hookd.paths import project_at
from worlds import World

FORCED = "git push --force origin main"


def config(text: str) -> Callable[[World], None]:
    def write(world: World) -> None:
        (world.folders.config / "config.toml").write_text(text)

    return write


def settings(world: World) -> Path:
    return world.project / ".claude" / "settings.local.json"


def without_gate_entry(world: World) -> None:
    text = json.loads(settings(world).read_text())
    del text["hooks"]["PreToolUse"]
    settings(world).write_text(json.dumps(text))


def client(world: World) -> Path:
    text = json.loads(settings(world).read_text())
    return Path(text["hooks"]["PreToolUse"][0]["hooks"][0]["command"])


def with_client(change: Callable[[Path], object]) -> Callable[[World], None]:
    """Has the entry name a client of its own first: without a compiler it is the interpreter."""

    def damage(world: World) -> None:
        copy = world.base / "hookd-client"
        copy.write_bytes(client(world).read_bytes())
        copy.chmod(0o755)
        settings(world).write_text(settings(world).read_text().replace(str(client(world)), str(copy)))
        change(copy)

    return damage


def changed(change: Callable[[Any], object]) -> Callable[[World], None]:
    """Edits the settings file that hookd is registered in."""

    def write(world: World) -> None:
        text = json.loads(settings(world).read_text())
        change(text)
        settings(world).write_text(json.dumps(text))

    return write


def entry(text: Any) -> dict[str, Any]:
    found: dict[str, Any] = text["hooks"]["PreToolUse"][0]["hooks"][0]
    return found


class Way(NamedTuple):
    """A way not to be guarded."""

    do: Callable[[World], object]
    state: str
    said: str
    advice: str


WAYS = {
    "hook off": Way(
        config('[hooks]\ndisabled = ["gate"]'), "down", 'hooks.disabled in {config} has "gate"', "take"
    ),
    "handler off": Way(
        config('[hooks]\ndisabled = ["gate.judge"]'),
        "down",
        'hooks.disabled in {config} has "gate.judge"',
        "take",
    ),
    "gate off": Way(config('[gate]\nmode = "off"'), "down", 'gate.mode is "off" in {config}', "enforce"),
    "audit": Way(config('[gate]\nmode = "audit"'), "audit", 'gate.mode is "audit" in {config}', "enforce"),
    "paused": Way(
        lambda world: world.at_terminal("pause", answers=b""), "paused", "paused until", "`hookd pause --end`"
    ),
    "no entry for calls": Way(
        without_gate_entry, "down", "{settings} does not send PreToolUse", "`hookd init`"
    ),
    "no client": Way(with_client(Path.unlink), "down", "which is not there", "`hookd init`"),
    "a client without its mode": Way(
        with_client(lambda path: path.chmod(0o644)), "down", "which cannot be run", "`hookd init`"
    ),
    "a broken client": Way(
        with_client(lambda path: path.write_bytes(b"broken")), "down", "which is no program", "`hookd init`"
    ),
    "not registered": Way(
        lambda world: settings(world).unlink(), "down", "not registered with any agent", "init"
    ),
    "hooks disabled": Way(
        lambda world: settings(world).write_text(settings(world).read_text().replace("false", "true")),
        "down",
        "disableAllHooks is true in {settings}",
        "take",
    ),
    "a file that the agent ignores": Way(
        changed(lambda text: text.update(model=5)), "down", "{settings}: model must be a string", "mend"
    ),
    "an entry of another's that is none": Way(
        changed(lambda text: text["hooks"]["PreToolUse"].append({"hooks": [{"type": "command"}]})),
        "down",
        "{settings}: hooks.PreToolUse[1].hooks[0]: ",
        "mend",
    ),
    "an entry that cannot be run": Way(
        changed(lambda text: entry(text).update(timeout=0)), "down", "{settings}: hooks.PreToolUse[0]", "mend"
    ),
    "an entry for some tools": Way(
        changed(lambda text: text["hooks"]["PreToolUse"][0].update(matcher="Write")),
        "down",
        '{settings} has "matcher": "Write"',
        "`hookd init`",
    ),
    "an entry for some calls": Way(
        changed(lambda text: entry(text).update({"if": "Bash(ls)"})), "down", '"if": "Bash(ls)"', "init`"
    ),
    "an entry that nobody waits for": Way(
        changed(lambda text: entry(text).update({"async": True})), "down", '"async": true', "`hookd init`"
    ),
    "unreadable settings": Way(lambda world: settings(world).write_text("{"), "down", "{settings}", ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_not_to_be_guarded_is_told_in_the_same_words_everywhere(world: World, way: str) -> None:
    world.hookd("init")
    assert world.status()["guard"]["state"] == "guarded"
    page = Page(world)
    WAYS[way].do(world)
    names = {"settings": settings(world), "config": world.folders.config / "config.toml"}
    said = WAYS[way].said.format(**names)
    told = world.status()["guard"]
    assert told["state"] == WAYS[way].state
    assert said in told["why"] and WAYS[way].advice in told["do"]
    words = told["says"]
    assert said in words and told["do"] in words
    # A running daemon tells the same, at once and over every way to it.
    assert json.loads(page.ask("GET", "/health")[1])["guard"] == told
    assert told["state"] in page.ask("GET", "/")[1].decode()
    shown = page.ask("GET", "/")[1].decode().replace("&#34;", '"').replace("&#39;", "'").replace("&gt;", ">")
    assert words in shown
    assert world.hookd("statusline").startswith(f"hookd: {words}")
    world.hookd("daemon", "stop")
    assert world.hookd("statusline").startswith(f"hookd: {words}")
    status = world.hookd("status")
    assert f"  guard       {words}" in status
    assert ("problems    none" in status) == (way == "paused"), "what a person granted is no problem"
    done = world.run("doctor", "--json", check=False)
    [found] = [each for each in json.loads(done.stdout) if each["check"] == "guard"]
    assert done.returncode == 1 and not found["ok"]
    assert f"{found['what']} ({found['advice']})" == words


def test_a_guarded_project_says_so_everywhere(world: World) -> None:
    world.hookd("init")
    page = Page(world)
    assert world.status()["guard"] == {"state": "guarded", "why": "", "do": "", "says": "guarded"}
    assert json.loads(page.ask("GET", "/health")[1])["guard"]["state"] == "guarded"
    assert world.hookd("statusline").startswith("hookd: guarded | ")
    assert "  guard       guarded\n" in world.hookd("status")
    assert "ok   guard         guarded" in world.hookd("doctor")


def test_with_a_frozen_daemon_calls_are_judged_and_the_person_is_told(world: World) -> None:
    world.hookd("init")
    world.bash("ls")
    os.kill(world.daemon_pid(), signal.SIGSTOP)
    told = world.status()["guard"]
    assert told["state"] == "guarded" and "does not react" in told["why"]
    assert world.hookd("statusline") == f"hookd: {told['says']}\n"
    assert f"  guard       {told['says']}" in world.hookd("status")
    finding = next(each for each in world.json("doctor") if each["check"] == "daemon")
    assert not finding["ok"] and "does not react" in finding["what"]
    assert world.bash(FORCED)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_folder_that_is_not_there_is_not_taken_for_another(world: World) -> None:
    world.hookd("init")
    gone = world.base / "gone"
    named = json.dumps({"workspace": {"project_dir": str(gone)}}).encode()
    done = world.run("statusline", stdin=named, check=False)
    assert done.returncode == 1
    assert done.stdout.decode().startswith(f"hookd: GUARD DOWN: the folder {gone} does not exist")
    for words in (["status"], ["doctor"], ["why"]):
        done = world.run(*words, "--project", str(gone), check=False)
        assert done.returncode == 2 and "does not exist" in done.stderr.decode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({"allowManagedHooksOnly": True}, "allowManagedHooksOnly is true"),
        ({"strictPluginOnlyCustomization": {"hooks": True}}, "strictPluginOnlyCustomization has hooks"),
        ({"strictPluginOnlyCustomization": ["hooks"]}, "strictPluginOnlyCustomization has hooks"),
        ({"disableAllHooks": True}, "disableAllHooks is true"),
        ({"allowManagedHooksOnly": False}, ""),
    ],
)
@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-site.json"])
def test_an_administrator_who_runs_only_managed_hooks(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, text: dict[str, Any], said: str
) -> None:
    world.hookd("init")
    monkeypatch.setattr(claude_install, "_MANAGED", world.base / "etc" / "managed-settings.json")
    file = world.base / "etc" / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(text))
    project = project_at(str(world.project), world.env)
    found = guard(project, sources(project.root, project.folders).read(), world.env)
    if not said:
        assert found == Guard()
        return
    assert found.state == "down" and said in found.why and str(file) in found.why


@pytest.mark.parametrize("name", claude_install.WITHOUT_HOOKS)
def test_a_terminal_from_which_agents_run_no_hooks(world: World, name: str) -> None:
    world.hookd("init")
    done = world.run("status", env={name: "1"}).stdout.decode()
    assert f"GUARD DOWN: {name} is set here: an agent started from here runs no hooks (unset it)" in done
    assert world.run("doctor", env={name: "1"}, check=False).returncode == 1
    assert "GUARD DOWN" not in world.run("status", env={name: "0"}).stdout.decode()


def test_a_settings_file_of_no_use_to_the_agent_does_not_hide_one_that_is(world: World) -> None:
    world.hookd("init")
    others = (world.base / ".claude" / "settings.json", world.project / ".claude" / "settings.json")
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.write_text("{")
    assert world.status()["guard"]["state"] == "guarded"
    for other in others:
        other.write_text('{"disableAllHooks": true, "model": 5}')
    assert world.status()["guard"]["state"] == "guarded"


def test_fix_brings_an_entry_back_to_what_it_was(world: World) -> None:
    world.hookd("init")
    before = json.loads(settings(world).read_text())
    for name in ("an entry for some tools", "an entry for some calls", "an entry that nobody waits for"):
        WAYS[name].do(world)
        assert world.run("doctor", "--fix", check=False).returncode == 0
        assert json.loads(settings(world).read_text()) == before


def test_one_settings_file_that_reaches_hookd_is_enough(world: World) -> None:
    world.hookd("init")
    world.hookd("init", "--scope", "user")
    without_gate_entry(world)
    assert world.status()["guard"]["state"] == "guarded"


def test_what_cannot_be_started(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/nowhere/python\n")
    script.chmod(0o755)
    assert "interpreter" in cannot_run(str(script))
    script.write_text("#!/bin/sh\n")
    assert cannot_run(str(script)) == ""
    assert cannot_run("hookd-client claude-code PreToolUse") == ""
    assert cannot_run("no-such-program-here") == "which is not there"
