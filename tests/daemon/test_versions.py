"""Two versions of hookd that send events to one project: told of, and kept from replacing each other."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hookd
from copied_package import CopiedWorld
from hookd import __version__
from hookd.daemon.versions import MOST_TURNS, TOLD_SECONDS, Served, taking_turns
from worlds import wait_until

OTHER = "9.9.9"
STOPPED = "git push --force origin main"


@pytest.fixture
def both() -> Iterator[CopiedWorld]:
    """A world with a hookd of another version beside the one that is tested."""
    made = CopiedWorld()
    made.change("__init__.py", f'__version__ = "{__version__}"', f'__version__ = "{OTHER}"')
    # However slow the machine is, what happens here happens within the other's minute.
    made.change("daemon/versions.py", "TURN_SECONDS = 60.0", "TURN_SECONDS = 600.0")
    made.native = False  # the native client has its version compiled in
    made.warm = False
    yield made
    made.close()


def send(world: CopiedWorld, python: str) -> None:
    """An event from the client of this installation; whoever answers it, it is stopped."""
    world.python, own = python, world.python
    try:
        answer = world.bash(STOPPED)
    finally:
        world.python = own
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def starts(world: CopiedWorld) -> int:
    return Path(world.files.log).read_text().count(" serves ")


def serving(world: CopiedWorld, version: str) -> bool:
    daemon = world.status()["daemon"]
    return daemon is not None and daemon["version"] == version


def test_two_versions_in_turns_are_named_and_stop_replacing_each_other(both: CopiedWorld) -> None:
    installed = {OTHER: both.python, __version__: sys.executable}
    turn = [__version__, OTHER] * 2
    assert len(turn) == MOST_TURNS + 1
    for version in turn:
        send(both, installed[version])
        wait_until(lambda version=version: serving(both, version), f"{version} has taken over")
    pid, count = both.daemon_pid(), starts(both)
    assert count == MOST_TURNS + 1
    # From here on the one that is there stays; the other's clients answer by themselves.
    for version in turn:
        send(both, installed[version])
    assert serving(both, OTHER) and (both.daemon_pid(), starts(both)) == (pid, count)
    assert both.status()["events_recorded"] == 2 * len(turn), "and all of it is on record"

    paths = {OTHER: both.package, __version__: Path(hookd.__file__).parent}
    told = wait_until(
        lambda: [each["what"] for each in both.status()["problems"] if each["kind"] == "versions"],
        "`hookd status` tells of it",
    )[0]
    found = next(check for check in both.json("doctor") if check["check"] == "versions")
    assert not found["ok"] and "hookd init" in found["advice"]
    for version, path in paths.items():
        assert f"hookd {version} in {path}" in told
        assert f"hookd {version} in {path}" in found["what"]
    assert any(each.startswith("versions: ") for each in both.status()["daemon"]["problems"])

    both.hookd("init")  # as the advice says: from now on only this one is registered
    assert next(check for check in both.json("doctor") if check["check"] == "versions")["ok"]
    assert not [each for each in both.status()["problems"] if each["kind"] == "versions"]
    assert "problems" not in both.hookd("statusline")


def test_an_upgrade_is_nothing_to_tell(both: CopiedWorld) -> None:
    for version, python in ((__version__, sys.executable), (OTHER, both.python)):
        send(both, python)
        wait_until(lambda version=version: serving(both, version), f"{version} has taken over")
    found = next(check for check in both.json("doctor") if check["check"] == "versions")
    assert found["ok"] and OTHER in found["what"]
    both.hookd("daemon", "stop")
    # What is no list of versions is as good as none.
    Path(both.files.versions).write_text("nonsense")
    send(both, both.python)
    assert not os.path.islink(both.files.versions)


def test_what_was_an_hour_ago_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    for version in "ab":
        (tmp_path / version).mkdir()
    turns = [Served(now - 5 + n, version, f"{tmp_path}/{version}") for n, version in enumerate("abab")]
    both = f"hookd a in {tmp_path}/a and hookd b in {tmp_path}/b"
    assert taking_turns(turns) == f"{both} take turns here, each replacing the other's daemon"
    assert not taking_turns(turns[:3])
    (tmp_path / "b").rename(tmp_path / "gone")
    assert not taking_turns(turns), "the other one was removed"
    (tmp_path / "gone").rename(tmp_path / "b")
    assert not taking_turns([Served(each.at - TOLD_SECONDS, each.version, each.path) for each in turns])
