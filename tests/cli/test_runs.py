"""`hookd runs`: past sessions, listed and told."""

import json
import os
import time

import pytest

from secrets_made_up import GITHUB_TOKEN
from worlds import World, wait_until


def play(world: World, session: str = "s1", prompt: str = "tidy up") -> None:
    """A short session: a prompt, a call that prints a token, the end."""
    world.send("SessionStart", session_id=session, source="startup")
    world.send("UserPromptSubmit", session_id=session, prompt=prompt)
    call = {"session_id": session, "tool_name": "Bash", "tool_use_id": f"{session}-1"}
    world.send("PreToolUse", **call, tool_input={"command": "make"})
    world.send("PostToolUse", **call, tool_input={"command": "make"}, tool_response={"stdout": GITHUB_TOKEN})
    world.send("Stop", session_id=session, last_assistant_message="All tidy.")
    world.send("SessionEnd", session_id=session, reason="logout")


@pytest.fixture
def played(world: World) -> World:
    (world.project / ".hookd").mkdir()
    play(world)
    play(world, "t2", "tidy up again")
    return world


def test_runs_are_listed_newest_first(played: World) -> None:
    first, second = played.hookd("runs", "list").splitlines()
    assert first.endswith("tidy up again") and second.endswith("tidy up")
    assert "1 prompt, 1 call" in first
    found = played.json("runs", "list")
    assert [run["title"] for run in found] == ["tidy up again", "tidy up"]
    assert len(played.json("runs", "list", "--limit", "1")) == 1


@pytest.mark.parametrize("name", ["", "last", "t2"])
def test_a_run_is_shown_by_name_or_session(played: World, name: str) -> None:
    story = played.hookd("runs", "show", *([name] if name else []))
    assert "You: tidy up again" in story
    assert "| [REDACTED:" in story and GITHUB_TOKEN not in story
    assert "Kept from the model: 1 " in story


def test_a_runs_own_name_or_its_beginning_will_do(played: World) -> None:
    [newest, _] = played.json("runs", "list")
    assert played.json("runs", "show", newest["run"])["session"] == "t2"
    done = played.run("runs", "show", "run_", check=False)
    assert done.returncode == 2 and b"could be any of run_" in done.stderr


def test_the_json_has_every_step(played: World) -> None:
    shown = played.json("runs", "show")
    assert [step["kind"] for step in shown["steps"]] == ["event", "prompt", "call", "answer", "event"]
    call = shown["steps"][2]
    assert (call["tool"], call["outcome"], call["input"]) == ("Bash", "ok", {"command": "make"})
    assert GITHUB_TOKEN not in json.dumps(shown)


def test_names_that_are_none(played: World) -> None:
    done = played.run("runs", "show", "nothing", check=False)
    assert done.returncode == 2 and b"no run is called nothing" in done.stderr


def test_where_nothing_happened_yet(world: World) -> None:
    assert "No session is on record" in world.hookd("runs", "list")
    assert world.json("runs", "list") == []
    done = world.run("runs", "show", check=False)
    assert done.returncode == 2 and b"work with an agent here first" in done.stderr


def test_pruning_by_hand(played: World) -> None:
    assert played.hookd("runs", "prune") == "Nothing to remove.\n"
    played.folders.config.mkdir(parents=True, exist_ok=True)
    (played.folders.config / "config.toml").write_text("[runs]\nkeep_days = 30\n")
    wait_until(played.no_daemon, "the daemon has written the last run")
    old, young = sorted((played.project / ".hookd" / "runs").iterdir())
    for folder, days in ((old, 33), (young, 2)):
        for path in folder.iterdir():
            os.utime(path, (0, time.time() - days * 86400))
    assert len(played.json("runs", "prune")["removed"]) == 1
    assert list((played.project / ".hookd" / "runs").iterdir()) == [young]
    # The store has it still.
    assert len(played.json("runs", "list")) == 2


def test_no_run_folders_for_who_wants_none(world: World) -> None:
    (world.project / ".hookd").mkdir()
    world.folders.config.mkdir(parents=True, exist_ok=True)
    (world.folders.config / "config.toml").write_text("[runs]\nenabled = false\n")
    play(world)
    assert len(world.json("runs", "list")) == 1
    assert list((world.project / ".hookd").iterdir()) == []
