"""A problem that was mended is gone from every view of it, without an event or a restart."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from worlds import GUARD, World, wait_until

STUCK = """
import time

def register(hookd):
    @hookd.on("tool_call", tool="Bash", deadline=0.2)
    def wait(event, ctx):
        time.sleep(60)
"""
RAISES = STUCK.replace("time.sleep(60)", "raise ValueError('oh no')")
FINE = STUCK.replace("time.sleep(60)", "return None")


def told(world: World) -> dict[str, Any]:
    """What there is to mend, as every view of it has it."""
    status = world.status()
    daemon = status["daemon"] or {}
    return {
        "status": status["problems"]
        + status["config_problems"]
        + list(status["hook_files"])
        + status["failing"],
        "daemon": [*daemon.get("problems", ()), *daemon.get("quarantined", ())],
    }


@pytest.fixture(params=["with its daemon", "without a daemon"])
def served(request: pytest.FixtureRequest, world: World) -> World:
    """A registered project in which one event was answered."""
    world.hookd("init")
    world.bash("ls")
    if request.param == "without a daemon":
        world.hookd("daemon", "stop")
    return world


def test_a_config_error_that_was_corrected(served: World) -> None:
    path = served.folders.config / "config.toml"
    path.write_text("[gate\n")
    served.bash("ls")  # its daemon notices, and puts it on record
    assert "config.toml" in str(told(served)["status"]) and "config.toml" in str(told(served)["daemon"])
    served.hookd("statusline")
    path.write_text("[gate]\n")
    assert told(served) == {"status": [], "daemon": []}
    assert "problems    none" in served.hookd("status")
    assert "problems" not in served.hookd("statusline")


def test_a_config_error_that_was_corrected_while_no_daemon_was_there(world: World) -> None:
    world.hookd("init")
    path = world.folders.config / "config.toml"
    path.write_text("[gate\n")
    world.bash("ls")
    assert "config.toml" in str(told(world)["status"])
    world.hookd("daemon", "stop")
    path.unlink()
    assert "problems    none" in world.hookd("status")


def test_a_hook_that_loads_again(served: World) -> None:
    hook = served.write_hook("def register(:\n")
    served.bash("ls")
    assert "guard.py" in str(told(served)["status"]) and "guard.py" in str(told(served)["daemon"])
    hook.write_text(GUARD)
    assert told(served) == {"status": [], "daemon": []}


def test_a_hook_that_raised_and_was_mended(served: World) -> None:
    hook = served.write_hook(RAISES)
    served.bash("ls")
    assert "ValueError" in str(told(served)["status"]) and "ValueError" in str(told(served)["daemon"])
    hook.write_text(FINE)
    assert told(served) == {"status": [], "daemon": []}


def test_a_quarantined_hook_whose_file_changed(world: World) -> None:
    world.hookd("init")
    hook = world.write_hook(STUCK)
    world.bash("ls")
    assert "guard.wait" in world.status()["daemon"]["quarantined"]
    assert "quarantined" in world.hookd("statusline")
    hook.write_text(FINE)
    assert told(world) == {"status": [], "daemon": []}
    assert "quarantined" not in world.hookd("statusline")
    assert world.run("doctor").returncode == 0


def test_a_rule_file_that_was_mended(served: World) -> None:
    path = served.folders.config / "rules" / "mine.toml"
    path.parent.mkdir()
    path.write_text("nonsense")
    served.bash("ls")
    assert "mine.toml" in str(told(served)["status"]) and "mine.toml" in str(told(served)["daemon"])
    path.write_text('pack = "mine"\n')
    assert told(served) == {"status": [], "daemon": []}


def test_a_store_that_works_again(world: World) -> None:
    world.hookd("init")
    world.bash("ls")
    world.status()
    world.hookd("daemon", "stop")
    of_a_newer_hookd = "SELECT owner, 999, name, applied_at FROM applied_migration LIMIT 1"
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        db.execute(f"INSERT INTO applied_migration {of_a_newer_hookd}")
    world.bash("ls")
    wait_until(lambda: told(world)["daemon"], "the daemon says that the store cannot be written")
    assert told(world)["status"]
    assert "newer hookd" in world.hookd("status")
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        db.execute("DELETE FROM applied_migration WHERE number = 999")
    assert told(world) == {"status": [], "daemon": []}
    assert "problems    none" in world.hookd("status")
    assert world.status()["events_recorded"] == 2
