"""`hookd uninstall --all` where the list of registrations is gone."""

import json
import subprocess
from pathlib import Path

import pytest

from worlds import World, make_git_folder


@pytest.fixture
def elsewhere(world: World) -> Path:
    """Another project, known to hookd by an event that was recorded there."""
    other = world.base / "other"
    make_git_folder(other)
    world.hookd("init", "--project", str(other))
    return other


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_entry_is_found_and_nothing_is_left(world: World, elsewhere: Path) -> None:
    world.hookd("init")
    world.hookd("init", "--scope", "project")
    world.hookd("init", "--scope", "user")
    settings = json.loads((elsewhere / ".claude" / "settings.local.json").read_text())
    (handler,) = settings["hooks"]["SessionEnd"][0]["hooks"]
    event = {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "other", "cwd": str(elsewhere)}
    command = [handler["command"], *handler["args"]]
    subprocess.run(command, input=json.dumps(event).encode(), env=world.env, cwd=elsewhere, check=True)
    world.hookd("status", "--project", str(elsewhere))  # brings in what is still in the journal
    world.hookd("daemon", "stop", "--project", str(elsewhere))
    world.folders.registrations.unlink()
    world.hookd("uninstall", "--all")
    assert files_in(world.project) == {".git"}
    assert ".claude" not in files_in(elsewhere)
    assert ".claude" not in files_in(world.base)
    assert "Nothing to take out" in world.hookd("uninstall", "--all")


@pytest.mark.parametrize("others", ['{\n  "model": "opus"\n}\n', '{\n  "hooks": {},\n  "model": "opus"\n}\n'])
def test_no_key_of_hookds_stays_in_a_file_that_has_others(world: World, others: str) -> None:
    path = world.project / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text(others)
    world.hookd("init")
    world.folders.registrations.unlink()
    world.hookd("uninstall", "--all")
    assert json.loads(path.read_text()) == {"model": "opus"}


def test_with_the_list_an_empty_file_of_a_persons_stays(world: World) -> None:
    path = world.project / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {}}')
    world.hookd("init")
    world.hookd("uninstall", "--all")
    assert path.read_text() == '{"hooks": {}}'


def test_a_file_that_cannot_be_read_does_not_keep_hookd_in_the_others(world: World, elsewhere: Path) -> None:
    world.hookd("init")
    broken = elsewhere / ".claude" / "settings.local.json"
    broken.write_text("{,}")
    done = world.run("uninstall", "--all", check=False)
    assert done.returncode == 1 and str(broken) in done.stderr.decode()
    assert broken.read_text() == "{,}"
    assert not (world.project / ".claude").exists()
