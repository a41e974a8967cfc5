"""`hookd why` by number and as a list, with the file to change; `hookd log`, the latest decisions."""

import subprocess
from typing import Any

from worlds import GUARD, World

FORCED = "git push --force origin main"
DROPPED = "git stash drop"


def stopped(world: World, *commands: str) -> None:
    for number, command in enumerate(commands):
        world.bash(command, tool_use_id=f"{command}{number}")


def change(world: World, *words: str) -> Any:
    return world.json("why", *words)["change"]


def test_why_takes_the_number_of_a_stop(world: World) -> None:
    stopped(world, DROPPED, "ls", FORCED)
    assert FORCED in world.hookd("why") and FORCED in world.hookd("why", "1")
    assert DROPPED in world.hookd("why", "2")
    assert world.json("why", "2")["rule"] == "git.drop-stash"
    done = world.run("why", "3", check=False)
    assert done.returncode == 2 and b"hookd why --list" in done.stderr


def test_why_lists_the_last_stops_with_their_numbers(world: World) -> None:
    assert "Nothing was stopped" in world.hookd("why", "--list")
    stopped(world, DROPPED, "ls", FORCED)
    lines = world.hookd("why", "--list").splitlines()
    assert [line.split()[0] for line in lines if line[:4].strip()] == ["1", "2"]
    assert "git.force-push" in lines[0] and FORCED in lines[1]
    assert [each["call"] for each in world.json("why", "--list")] == [FORCED, DROPPED]
    assert [each["call"] for each in world.json("why", "--list", "--limit", "1")] == [FORCED]


def test_why_names_the_config_file_and_key_for_a_rule_of_hookds(world: World) -> None:
    stopped(world, FORCED)
    config = str(world.folders.config / "config.toml")
    key = 'gate.rules."git.force-push"'
    assert change(world) == {"file": config, "key": key, "value": '"ask"', "own": True}
    assert f'{key} = "ask" in {config}' in world.hookd("why")


def test_why_names_the_file_that_has_changed_the_rule_already(world: World) -> None:
    project = world.write_project_file("config.toml", '[gate.rules]\n"git.drop-stash" = "deny"\n')
    stopped(world, DROPPED)
    assert change(world)["file"] == str(project)


def test_why_names_the_pack_of_a_persons_rule_and_the_file_of_a_hook(world: World) -> None:
    pack = world.folders.config / "rules" / "mine.toml"
    pack.parent.mkdir()
    pack.write_text(
        'pack = "mine"\n[[rule]]\nid = "deploy"\nverdict = "deny"\nreason = "No."\n'
        'when = [{ program = ["deployer"] }]\nmatch = ["deployer"]\n'
    )
    hook = world.write_hook(GUARD)
    stopped(world, "deployer", "acme deploy --now")
    assert change(world, "2")["file"] == str(pack)
    assert str(pack) in world.hookd("why", "2")
    assert change(world)["file"] == str(hook)
    assert str(hook) in world.hookd("why")


def test_why_names_the_switch_of_a_rule_that_is_code(world: World) -> None:
    subprocess.run(["git", "init", "-q", world.project], check=True)
    (world.project / "parser.py").write_text("def parse(): pass\n")
    (world.project / "main.py").write_text("import parser\n")
    subprocess.run(["git", "add", "."], cwd=world.project, check=True)
    stopped(world, "hookd trust", "rm parser.py")
    assert world.json("why")["rule"] == "context.dependents"
    config = str(world.folders.config / "config.toml")
    assert change(world) == {"file": config, "key": "gate.deletions", "value": "false", "own": True}
    assert change(world, "2") is None  # nothing lifts it


def test_log_has_the_latest_decisions_with_reason_and_command(world: World) -> None:
    assert "Nothing was decided" in world.hookd("log")
    world.write_hook(GUARD)
    stopped(world, DROPPED, "ls", FORCED, "acme deploy --now")
    said = world.hookd("log")
    assert said.index(DROPPED) < said.index(FORCED) < said.index("acme deploy --now")
    found = world.json("log")
    assert [(each["verdict"], each["rule"] or each["by"]) for each in found] == [
        ("deny", "guard.no_force_push"),
        ("deny", "git.force-push"),
        ("ask", "git.drop-stash"),
    ]
    assert found[0]["reason"] == "force push: use --force-with-lease"
    assert all(each["reason"] and each["reason"] in said for each in found)
    assert [each["call"] for each in world.json("log", "--verdict", "ask")] == [DROPPED]
    assert len(world.json("log", "--limit", "2")) == 2
    assert world.json("log", "--verdict", "allow") == []
    assert world.run("log", "--verdict", "maybe", check=False).returncode == 2


def test_log_has_what_was_allowed_and_what_only_would_have_been_stopped(world: World) -> None:
    (world.folders.config / "config.toml").write_text('[gate]\nmode = "audit"\n')
    stopped(world, FORCED)
    [found] = world.json("log")
    assert found["verdict"] == "deny" and found["passed"] == "the gate's mode is audit"
    assert found["outcome"] == "would have been stopped (audit)" and found["outcome"] in world.hookd("log")
    (world.folders.config / "config.toml").write_text('[gate]\nauto_allow = "read-only"\n')
    stopped(world, "ls")
    assert [each["rule"] for each in world.json("log", "--verdict", "allow")] == ["context.read-only"]


def test_an_agent_may_read_the_log(world: World) -> None:
    assert world.bash("hookd log --limit 5") is None
    assert world.bash("hookd why 2") is None
