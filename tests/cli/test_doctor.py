"""`hookd doctor` where something is not registered, and what it says of a configuration."""

import json
from pathlib import Path

import pytest

from worlds import World


def findings(world: World, *words: str) -> dict[str, dict[str, object]]:
    return {each["check"]: each for each in world.json("doctor", *words)}


def settings(world: World) -> Path:
    return world.project / ".claude" / "settings.local.json"


def test_where_nothing_is_registered_no_daemon_is_started_and_nothing_is_called_well(world: World) -> None:
    found = findings(world)
    assert world.no_daemon()
    for name in ("settings", "events", "round trip", "guard"):
        assert not found[name]["ok"], found[name]
        assert found[name]["advice"] == "run `hookd init`"
    assert "not tried" in str(found["round trip"]["what"])


def test_fix_registers_where_nothing_is(world: World) -> None:
    done = world.run("doctor", "--fix", check=False)
    assert done.returncode == 0, done.stdout.decode()
    assert "PreToolUse" in json.loads(settings(world).read_text())["hooks"]
    assert world.status()["guard"]["state"] == "guarded"


def test_fix_registers_the_entry_that_is_missing(world: World) -> None:
    world.hookd("init")
    whole = settings(world).read_text()
    text = json.loads(whole)
    del text["hooks"]["PreToolUse"]
    settings(world).write_text(json.dumps(text))
    assert not findings(world)["events"]["ok"]
    done = world.run("doctor", "--fix", check=False)
    assert done.returncode == 0, done.stdout.decode()
    assert json.loads(settings(world).read_text()) == json.loads(whole)


def test_fix_makes_a_client_runnable_again(world: World) -> None:
    world.hookd("init")
    copy = next((world.folders.data / "client").glob("*/hookd-client"), None)
    if copy is None:
        pytest.skip("the interpreter is the client here")
    for damage in (lambda: copy.chmod(0o644), copy.unlink):
        damage()
        assert not findings(world)["client"]["ok"]
        done = world.run("doctor", "--fix", check=False)
        assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize(
    "config",
    ['[gate.rules]\n"git.force-psh" = "off"\n', '[gate.rules]\n"context.unred" = "off"\n'],
)
def test_a_rule_that_there_is_not_makes_no_valid_configuration(world: World, config: str) -> None:
    world.hookd("init")
    path = world.folders.config / "config.toml"
    path.write_text(config)
    name = config.split('"')[1]
    found = findings(world)["config"]
    assert not found["ok"] and f"there is no rule {name!r}" in str(found["what"])
    assert str(path) in str(found["what"])
    assert f"there is no rule {name!r}" in world.hookd("status")
    world.hookd("daemon", "start")
    assert f"there is no rule {name!r}" in str(world.status()["daemon"]["problems"])
    path.write_text('[gate.rules]\n"git.force-push" = "ask"\n')
    assert findings(world)["config"]["what"] == "valid"
    assert world.status()["daemon"]["problems"] == {}


def test_a_rule_that_there_is_not_in_an_override_of_a_pack(world: World) -> None:
    world.hookd("init")
    pack = world.folders.config / "rules" / "mine.toml"
    pack.parent.mkdir()
    pack.write_text('pack = "mine"\n[override]\n"git.force-psh" = "ask"\n')
    found = findings(world)["config"]
    assert not found["ok"] and str(pack) in str(found["what"])


def test_a_rule_that_no_override_reaches_is_named_as_such(world: World) -> None:
    world.hookd("init")
    (world.folders.config / "config.toml").write_text(
        '[gate.rules]\n"context.unread" = "off"\n"self-protection.own-files" = "off"\n'
    )
    what = str(findings(world)["config"]["what"])
    assert "the rule 'context.unread' cannot be overridden" in what
    assert "the rule 'self-protection.own-files' cannot be overridden" in what
