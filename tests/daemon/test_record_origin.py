"""Whose events these are: machine and user are on record, and the project that memory belongs to."""

import getpass
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

from hookd.identity.resolve import identify
from hookd.paths import project_key
from worlds import World


def git(world: World, *words: str) -> None:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"]
    env = {"HOME": str(world.base), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *settings, *words], cwd=world.project, env=env, check=True, capture_output=True)


def writers(world: World) -> list[tuple[str, str, str]]:
    """Whose events there are: project, checkout and user."""
    world.status()  # brings in what is in the journal
    with closing(sqlite3.connect(world.folders.database)) as db:
        rows = db.execute(
            "SELECT DISTINCT writer.project, checkout, user FROM event JOIN writer ON number = event.writer"
        )
        return rows.fetchall()


def test_daemon_and_process_alone_write_for_the_same_project(world: World) -> None:
    world.bash("ls")
    world.hookd("daemon", "stop")
    payload = world.payload("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
    world.run("hook", "claude-code", "PreToolUse", stdin=payload)
    root = str(world.project)
    assert writers(world) == [(identify(world.folders, root).project, project_key(root), getpass.getuser())]
    exported = [json.loads(line) for line in world.hookd("runs", "export", "last").splitlines()]
    assert {each["user"] for each in exported} == {getpass.getuser()}
    assert len({each["machine"] for each in exported}) == 1 and len(exported[0]["machine"]) == 32


def test_a_project_that_moved_is_the_same_project_in_another_folder(world: World) -> None:
    git(world, "init")
    world.bash("ls")
    world.hookd("daemon", "stop")
    [(project, _, _)] = writers(world)
    moved = world.base / "elsewhere"
    shutil.move(world.project, moved)
    assert identify(world.folders, str(moved)).project == project
    copied = world.base / "copied"
    shutil.copytree(moved, copied)
    assert identify(world.folders, str(copied)).project != project
    shutil.move(moved, world.project)
    assert identify(world.folders, str(world.project)).project == project


def test_a_project_is_purged_with_whose_events_it_has(world: World) -> None:
    world.bash("ls")
    assert writers(world)
    world.hookd("purge", "--yes", str(world.project))
    with closing(sqlite3.connect(world.folders.database)) as db:
        assert db.execute("SELECT count(*) FROM writer").fetchone() == (0,)
