"""The database destroyed under real daemons: restored or begun anew, everything back, and said aloud."""

import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from damages import Damage, replace_by_text, truncate_to_half, truncate_to_nothing
from hookd.store import incidents
from hookd.store.lock import StoreLock
from worlds import World, wait_until


def zero_all_but_the_first_page(path: Path) -> None:
    """In so small a database the middle is most of it."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(bytes(size - 4096))


DAMAGES = [truncate_to_nothing, truncate_to_half, zero_all_but_the_first_page, replace_by_text]


def nobody_has_it_open(world: World) -> bool:
    descriptor = os.open(StoreLock(world.folders.database).path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def record(world: World, *commands: str) -> None:
    for command in commands:
        world.bash(command, tool_use_id=command)
    wanted = world.status()["events_recorded"]
    assert wanted


def replaced(world: World) -> list[str]:
    return [problem["what"] for problem in world.status()["problems"] if problem["kind"] == "store"]


def incident(world: World) -> Any:
    return wait_until(lambda: incidents.known(world.folders.database), "the daemon has replaced the database")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("with_backup", [True, False])
def test_between_two_sessions(world: World, damage: Damage, with_backup: bool) -> None:
    record(world, "one", "two")
    if with_backup:
        world.hookd("store", "backup")
    record(world, "three")
    world.hookd("daemon", "stop")
    for backup in () if with_backup else (world.folders.data / "backups").glob("*"):
        backup.unlink()
    damage(world.folders.database)
    world.bash("four", tool_use_id="four")
    [happened] = incident(world)
    assert bool(happened.backup) == with_backup
    wait_until(lambda: world.status()["events_recorded"] == 4, "all four events are there again")
    [said] = replaced(world)
    assert ("restored from hookd-" if with_backup else "begun anew") in said
    assert str(world.folders.data / "damaged") in said
    assert said in world.hookd("status")
    assert "the database was replaced" in world.hookd("logs")
    world.hookd("daemon", "stop")
    assert world.hookd("store", "check").endswith("is sound.\n")


@pytest.mark.parametrize("damage", DAMAGES)
def test_under_a_running_daemon(world: World, damage: Damage) -> None:
    record(world, "one", "two")
    world.hookd("store", "backup")
    record(world, "three")
    pid = world.daemon_pid()
    wait_until(lambda: nobody_has_it_open(world), "the idle daemon lets go of the database")
    damage(world.folders.database)
    world.bash("four", tool_use_id="four")
    assert incident(world)
    wait_until(lambda: world.status()["events_recorded"] == 4, "all four events are there again")
    assert replaced(world)
    assert world.daemon_pid() == pid


def test_doctor_finds_damage_and_mends_it(world: World) -> None:
    world.hookd("init")
    record(world, "one")
    world.hookd("daemon", "stop")
    replace_by_text(world.folders.database)
    assert world.run("store", "check", check=False).returncode == 1
    findings = {finding["check"]: finding for finding in world.json("doctor")}
    assert "not a database" in findings["store"]["what"]
    replace_by_text(world.folders.database)  # looking at the journal has mended it
    fixed = world.run("doctor", "--fix", check=False)
    assert fixed.returncode == 0, fixed.stdout.decode()
    assert b"the database was replaced" in fixed.stdout
    assert world.status()["events_recorded"] == 1


def test_a_database_without_permission_is_left_alone(world: World) -> None:
    """Not damage: nothing is moved, and what comes stays in the journal."""
    record(world, "one")
    world.hookd("daemon", "stop")
    lock = StoreLock(world.folders.database).path
    lock.unlink()
    lock.mkdir()  # what keeps even root from opening it
    world.bash("two", tool_use_id="two")
    wait_until(lambda: "cannot open" in str(world.status()["daemon"]["store"]["failures"]), "it is said")
    assert not (world.folders.data / "damaged").exists()
    lock.rmdir()
    wait_until(lambda: world.status()["events_recorded"] == 2, "the journal had it")
