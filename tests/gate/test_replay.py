"""A recorded session before today's rules, and the record in figures."""

from collections.abc import Iterator

import pytest

from worlds import World, wait_until


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def rules(world: World, text: str) -> None:
    world.folders.rules.mkdir(parents=True, exist_ok=True)
    (world.folders.rules / "mine.toml").write_text(text)


DEPLOY = """
pack = "mine"
[[rule]]
id = "deploy"
verdict = "deny"
reason = "Deploying is for the release job."
when = [{ program = ["deployer"] }]
"""


def test_exactly_the_changed_verdicts_are_shown(world: World) -> None:
    world.send("SessionStart", source="startup")
    for number, command in enumerate(
        ("ls", "deployer --now", "git stash drop", "git push --force", "deployer -n")
    ):
        world.bash(command, tool_use_id=f"t{number}")
    world.send("PreToolUse", tool_name="TodoWrite", tool_input={"todos": []})
    same = world.json("replay")
    assert same["changed"] == [] and same["judged"] == 6

    rules(world, DEPLOY)
    (world.folders.config / "config.toml").write_text('[gate.rules]\n"git.drop-stash" = "off"\n')
    told = world.json("replay", "last")
    changes = [
        (c["call"], c["then"]["verdict"], c["now"]["verdict"], c["now"]["rule"]) for c in told["changed"]
    ]
    assert changes == [
        ("deployer --now", "none", "deny", "mine.deploy"),
        ("git stash drop", "ask", "none", None),
        ("deployer -n", "none", "deny", "mine.deploy"),
    ]
    assert told["changed"][1]["then"]["rule"] == "git.drop-stash"
    shown = world.hookd("replay", told["run"])
    assert "6 calls judged again, 3 changed" in shown and "none -> deny  mine.deploy" in shown
    assert "git push" not in shown


def test_a_run_that_is_not_there_is_an_error(world: World) -> None:
    world.bash("ls")
    done = world.run("replay", "run_1999", check=False)
    assert done.returncode == 2 and b"no run is called" in done.stderr


def test_decisions_are_counted(world: World) -> None:
    assert world.json("analyze", "decisions")["verdicts"] == {}
    tool = {"tool_name": "Bash", "tool_response": {}}
    for number in range(3):
        world.bash("git stash drop", tool_use_id=f"a{number}")
    for number in range(2):
        world.send("PostToolUse", tool_use_id=f"a{number}", tool_input={"command": "git stash drop"}, **tool)
    world.bash("git push --force origin main", tool_use_id="b")
    world.bash("ls", tool_use_id="c")
    wait_until(lambda: world.json("analyze", "decisions")["questions"] == 3, "all of it is on record")
    found = world.json("analyze", "decisions")
    assert found["verdicts"] == {"ask": 3, "deny": 1}
    assert (found["ran"], found["ran_rate"], found["people"]) == (2, 0.667, {})
    assert found["rules"] == [
        {"rule": "git.drop-stash", "ask": 3, "ran": 2, "deny": 0},
        {"rule": "git.force-push", "ask": 0, "ran": 0, "deny": 1},
    ]
    assert found["most_asked"] == [{"rule": "git.drop-stash", "call": "git stash drop", "count": 3}]
    shown = world.hookd("analyze", "decisions")
    assert "2 of 3 questions were followed by the call (67 %)" in shown
    assert "asked nothing" in world.hookd("analyze", "evaluations")
