"""`hookd config`: nobody edits TOML to turn a rule off."""

import json
import re
from pathlib import Path

import pytest

from hookd import config
from hookd.capabilities import CAPABILITIES
from worlds import World

PUSH = "git push --force origin main"


def own(world: World) -> Path:
    return world.folders.config / "config.toml"


def settings(world: World) -> dict[str, dict[str, object]]:
    return {each["key"]: each for each in world.json("config", "list")}


def refused(world: World, *words: str, code: int = 2) -> str:
    """What is said to a command that must not change a byte of any config file."""
    files = [own(world), *(world.project / ".hookd" / name for name in ("config.toml", "config.local.toml"))]
    before = [path.read_bytes() if path.exists() else None for path in files]
    done = world.run("config", *words, check=False)
    assert done.returncode == code, done
    assert [path.read_bytes() if path.exists() else None for path in files] == before
    return done.stderr.decode()


def test_a_rule_is_turned_off_and_on_again(world: World) -> None:
    assert world.json("explain", PUSH)["verdict"] == "deny"
    said = world.hookd("config", "set", "gate.rules.git.force-push", "off")
    assert str(own(world)) in said and "off" in said
    assert world.json("explain", PUSH)["verdict"] != "deny"
    assert world.hookd("config", "get", "gate.rules.git.force-push") == "off\n"
    world.hookd("config", "unset", "gate.rules.git.force-push")
    assert world.json("explain", PUSH)["verdict"] == "deny"


@pytest.mark.parametrize(
    "key",
    [
        "gate.rules.git.force-push",
        'gate.rules."git.force-push"',
        "gate.rules.'git.force-push'",
        '"gate"."rules"."git.force-push"',
        'gate . rules . "git.force-push"',
    ],
)
def test_a_key_may_be_quoted_as_toml_has_it(world: World, key: str) -> None:
    said = world.hookd("config", "set", key, "off")
    assert "gate.rules.git.force-push = " in said
    assert own(world).read_text() == '[gate.rules]\n"git.force-push" = "off"\n'
    assert world.json("explain", PUSH)["verdict"] != "deny"
    assert world.hookd("config", "get", key) == "off\n"
    assert '"git.force-push":"off"' in world.hookd("config", "list", key)
    world.hookd("config", "unset", key)
    assert world.json("explain", PUSH)["verdict"] == "deny"


def test_every_key_that_hookd_prints_is_taken(world: World) -> None:
    """Of `why`, of `config list`, of the page on what to do, and of what `doctor` finds wrong with a file."""
    page = (Path(__file__).parents[2] / "docs" / "stopped.md").read_text("utf-8")
    printed = set(re.findall(r"(?:config (?:set|get|unset) |`)(gate\.[\w.\"-]+)", page))
    world.bash(PUSH)
    [from_why] = re.findall(r"change the rule for good: (\S+) = ", world.hookd("why"))
    listed = re.findall(r"^(\S+) = ", world.hookd("config", "list"), flags=re.MULTILINE)
    own(world).write_text("[runs]\nkeep_days = true\n")
    [from_doctor] = re.findall(r"at `([^`]+)`", world.run("doctor", check=False).stdout.decode())
    own(world).unlink()
    assert from_why == 'gate.rules."git.force-push"' and from_doctor == "runs.keep_days"
    assert "gate.mode" in listed and len(printed) >= 2
    own(world).write_text('[gate.rules]\n"git.force-push" = "ask"\n')
    for key in (*listed, *printed, from_why, from_doctor):
        assert world.hookd("config", "get", key), key


def test_a_rule_by_its_name_alone_gets_a_suggestion(world: World) -> None:
    for name in ("git.force-push", '"git.force-push"'):
        assert "did you mean gate.rules.git.force-push?" in refused(world, "set", name, "off")


@pytest.mark.parametrize("key", ["gate.mode = 1 #", "[gate] #", 'gate."mode', "gate.mode\nruns.enabled", ""])
def test_what_is_no_key_is_refused(world: World, key: str) -> None:
    assert "there is no setting" in refused(world, "set", key, "audit")


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ('[gate.rules]\n"git.clean" = "off"\n', "gate.rules.git.clean", ""),
        ('# mine\n\n[gate.rules]\n"git.clean" = "off"\n', "gate.rules.git.clean", "# mine\n"),
        (
            '[gate]\nmode = "audit"\n\n[gate.rules]\n"git.clean" = "off"\n\n[runs]\nmax_mb = 5\n',
            "gate.rules.git.clean",
            '[gate]\nmode = "audit"\n\n[runs]\nmax_mb = 5\n',
        ),
        ('[gate]\n[gate.rules]\n"git.clean" = "off"\n', "gate.rules.git.clean", ""),
        ('gate.mode = "audit"\n', "gate.mode", ""),
        ('[gate]\nrules = { "git.clean" = "off" }\n', "gate.rules.git.clean", ""),
        (
            '[gate]\nrules = { "git.clean" = "off" }\nmode = "audit"\n',
            "gate.rules",
            '[gate]\nmode = "audit"\n',
        ),
        ('[gate]\n# why\nmode = "audit"\n', "gate.mode", "[gate]\n# why\n"),
        ('[gate] # why\nmode = "audit"\n', "gate.mode", "[gate] # why\n"),
        ('[gate]\n# why\n[gate.rules]\n"git.clean" = "off"\n', "gate.rules.git.clean", "[gate]\n# why\n"),
        ("[runs]\n\n[gate]\nmode = 'audit'\n", "gate.mode", "[runs]\n"),
    ],
)
def test_a_table_that_unset_left_empty_goes_with_its_last_key(
    world: World, before: str, key: str, after: str
) -> None:
    own(world).write_text(before)
    world.hookd("config", "unset", key)
    assert own(world).read_text() == after


def test_what_was_set_and_unset_leaves_the_file_as_it_was(world: World) -> None:
    own(world).write_text("# mine\n[runs]\nkeep_days = 30\n")
    for key, value in (("gate.rules.git.clean", "off"), ("gate.mode", "audit"), ("redact.off", "x")):
        world.hookd("config", "set", key, value)
        world.hookd("config", "unset", key)
    assert own(world).read_text() == "# mine\n[runs]\nkeep_days = 30\n"


def test_comments_and_what_else_is_in_the_file_stay(world: World) -> None:
    own(world).write_text('# mine\n[gate]\nmode = "enforce"   # for now\n\n[runs]\nkeep_days = 30\n')
    world.hookd("config", "set", "gate.mode", "audit")
    world.hookd("config", "set", "runs.max_mb", "50")
    assert own(world).read_text() == (
        '# mine\n[gate]\nmode = "audit"   # for now\n\n[runs]\nkeep_days = 30\nmax_mb = 50\n'
    )
    world.hookd("config", "unset", "runs.max_mb")
    world.hookd("config", "set", "runs.keep_days", "7.5")
    assert own(world).read_text().endswith("[runs]\nkeep_days = 7.5\n")


def test_the_key_without_a_table_goes_above_the_tables(world: World) -> None:
    own(world).write_text("# mine\n[runs]\nkeep_days = 30\n")
    world.hookd("config", "set", "debug", "true")
    assert "debug = true" in own(world).read_text().partition("[runs]")[0]
    assert settings(world)["debug"]["source"] == str(own(world))
    assert world.hookd("config", "get", "debug", "--user") == "true\n"
    world.hookd("config", "unset", "debug")
    assert own(world).read_text().split() == ["#", "mine", "[runs]", "keep_days", "=", "30"]


def test_every_key_is_listed_with_value_origin_and_sentence(world: World) -> None:
    own(world).write_text("[runs]\nkeep_days = 30\n")
    world.write_project_file("config.toml", '[gate]\nci = "on"\nmode = "audit"\n')
    found = settings(world)
    tables = (*config.CORE, *(each.table for each in CAPABILITIES if each.table is not None))
    in_tables = [f"{table.name}.{key}" for table in tables for key in table.type.__struct_fields__]
    assert list(found) == ["debug", *in_tables]
    assert all(each["about"] and each["allowed"] for each in found.values())
    assert (found["runs.keep_days"]["value"], found["runs.keep_days"]["source"]) == (30, str(own(world)))
    assert found["runs.max_mb"]["source"] == "default"
    theirs = str(world.project / ".hookd" / "config.toml")
    assert (found["gate.ci"]["value"], found["gate.ci"]["source"]) == ("on", theirs), "it tightens"
    assert (found["gate.mode"]["value"], found["gate.mode"]["source"]) == ("enforce", "default"), "it waits"
    text = world.hookd("config", "list")
    assert f"runs.keep_days = 30  ({own(world)})" in text
    assert "  Run folders of sessions that ended longer ago are removed; 0 keeps them." in text
    only = world.hookd("config", "list", "runs", "--changed")
    assert "runs.keep_days" in only and "runs.max_mb" not in only and "gate." not in only


def test_get_tells_the_value_in_force(world: World) -> None:
    assert world.hookd("config", "get", "gate.mode") == "enforce\n"
    assert world.hookd("config", "get", "hooks.disabled") == "[]\n"
    own(world).write_text('[hooks]\ndisabled = ["memory"]\n')
    assert json.loads(world.hookd("config", "get", "hooks.disabled")) == ["memory"]
    told = world.json("config", "get", "hooks.disabled")
    assert (told["value"], told["default"], told["source"]) == (["memory"], [], str(own(world)))
    assert "is not set" in refused(world, "get", "gate.rules.git.force-push", code=1)


def test_lists_are_words_and_may_be_empty(world: World) -> None:
    world.hookd("config", "set", "hooks.disabled", "memory", "guard.py")
    assert json.loads(world.hookd("config", "get", "hooks.disabled")) == ["memory", "guard.py"]
    world.hookd("config", "set", "hooks.disabled", "[]")
    assert world.hookd("config", "get", "hooks.disabled") == "[]\n"
    assert "mail" in refused(world, "set", "redact.personal", "post")


def test_an_unknown_key_gets_a_suggestion(world: World) -> None:
    assert "did you mean gate.mode?" in refused(world, "set", "gate.mod", "audit")
    assert "did you mean runs.keep_days?" in refused(world, "get", "runs.keepdays")
    assert "did you mean git.force-push?" in refused(world, "set", "gate.rules.git.forcepush", "off")
    assert "hookd config list" in refused(world, "get", "entirely.different")
    own(world).write_text("[runs]\nkeep_dyas = 3\n")
    assert "did you mean keep_days?" in world.run("doctor", check=False).stdout.decode()


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("gate.mode", "sometimes", "enforce, audit or off"),
        ("runs.enabled", "perhaps", "true or false"),
        ("limits.hook_seconds", "10", "at most 9"),
        ("store.backups", "2.5", "a whole number, at least 1"),
        ("gate.rules.git.force-push", "never", "off, audit, deny, ask or allow"),
        ("gate.rules", "off", "gate.rules.NAME"),
        ("model.base_url", "http://example.com", "https"),
        ("redact.kinds.mine", "(", "redact.kinds.mine"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    world: World, key: str, value: str, allowed: str
) -> None:
    own(world).write_text("# untouched\n")
    done = world.run("config", "set", key, value, check=False)
    assert done.returncode in (1, 2) and allowed in done.stderr.decode()
    assert own(world).read_text() == "# untouched\n"


def test_rules_that_nothing_may_change_are_refused(world: World) -> None:
    assert "cannot be overridden" in refused(world, "set", "gate.rules.self-protection.hookd-files", "off")


def test_a_broken_file_is_not_written_over(world: World) -> None:
    own(world).write_text("[gate\n")
    assert str(own(world)) in refused(world, "set", "gate.mode", "audit", code=1)


def test_a_project_has_two_files_of_its_own(world: World) -> None:
    said = world.hookd("config", "set", "--project", "gate.ci", "on")
    assert (world.project / ".hookd" / "config.toml").read_text() == '[gate]\nci = "on"\n'
    assert "hookd trust" not in said, "what tightens is in force"
    said = world.hookd("config", "set", "--local", "gate.mode", "audit")
    assert (world.project / ".hookd" / "config.local.toml").read_text() == '[gate]\nmode = "audit"\n'
    assert "hookd trust" in said, "what loosens waits"
    assert "config.local.toml" in (world.project / ".hookd" / ".gitignore").read_text()
    world.trust()
    assert world.hookd("config", "get", "gate.mode") == "audit\n"
    assert world.hookd("config", "get", "--local", "gate.mode") == "audit\n"
    assert "is not set" in refused(world, "get", "--user", "gate.mode", code=1)


def test_a_value_that_another_file_overrules_is_named(world: World) -> None:
    world.write_project_file("config.toml", '[gate]\nci = "on"\n')
    said = world.hookd("config", "set", "gate.ci", "off")
    assert str(world.project / ".hookd" / "config.toml") in said and '"on"' in said


def test_a_link_that_a_repository_brings_is_not_followed(world: World) -> None:
    (world.project / ".hookd").mkdir()
    target = world.base / "precious"
    target.write_text("")
    (world.project / ".hookd" / "config.toml").symlink_to(target)
    done = world.run("config", "set", "--project", "gate.ci", "on", check=False)
    assert done.returncode == 1 and b"is a link" in done.stderr
    assert target.read_text() == ""


def test_ones_own_file_may_be_a_link(world: World) -> None:
    target = world.base / "dotfiles.toml"
    target.write_text("# kept elsewhere\n")
    own(world).symlink_to(target)
    world.hookd("config", "set", "gate.mode", "audit")
    assert own(world).is_symlink() and 'mode = "audit"' in target.read_text()


def test_an_agent_may_look_and_not_change(world: World) -> None:
    answer = world.bash("hookd config set gate.mode off")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.bash("hookd config unset gate.mode")["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert world.bash("hookd config get gate.mode") is None
    assert world.bash("hookd config list") is None
    done = world.run("config", "set", "gate.mode", "off", env={"CLAUDECODE": "1"}, check=False)
    assert done.returncode == 1 and b"started by a coding agent" in done.stderr
    assert not own(world).exists()
