"""A journal or store that cannot be written, and everybody at once: answers go on, nothing is lost."""

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from hookd.store import backups
from worlds import GUARD, World, make_git_folder, wait_until


def uses(world: World) -> list[str]:
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        rows = db.execute("SELECT tool_use FROM event ORDER BY at").fetchall()
    return [use for (use,) in rows]


def push(world: World, use: str) -> None:
    answer = world.bash("acme deploy --now", tool_use_id=use)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_journal_folder_that_is_gone_for_a_while(world: World) -> None:
    world.write_hook(GUARD)
    push(world, "before")
    assert world.status()["events_recorded"] == 1
    world.hookd("daemon", "stop")
    journals = world.folders.data / "journal"
    journals.rename(world.base / "away")
    journals.write_text("in the way")
    for number in range(5):
        push(world, f"while-{number}")
    said = world.hookd("status")
    assert "the journal cannot be written" in said
    assert list(Path(world.files.folder).glob("spool/*/*.jsonl"))
    journals.unlink()
    (world.base / "away").rename(journals)
    push(world, "after")
    wanted = ["before", *(f"while-{number}" for number in range(5)), "after"]
    wait_until(lambda: world.status()["events_recorded"] == 7, "everything is on record")
    assert uses(world) == wanted
    wait_until(lambda: world.status()["problems"] == [], "it works again")
    world.hookd("daemon", "stop")
    assert world.status()["events_recorded"] == 7
    assert not list(Path(world.files.folder).glob("spool/*/*.jsonl"))


def test_a_database_that_another_process_locks(world: World) -> None:
    world.write_hook(GUARD)
    push(world, "before")
    assert world.status()["events_recorded"] == 1
    other = sqlite3.connect(world.folders.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for number in range(3):
        push(world, f"while-{number}")
    # The same without a daemon: the answer comes first, and the record does not hold the agent up for long.
    done = world.run(
        "hook",
        "claude-code",
        "PreToolUse",
        stdin=world.payload(
            "PreToolUse",
            tool_name="Bash",
            tool_input={"command": "acme deploy --now"},
            tool_use_id="in-process",
        ),
    )
    assert b'"deny"' in done.stdout
    other.execute("COMMIT")
    other.close()
    push(world, "after")
    wait_until(lambda: world.status()["events_recorded"] == 6, "everything is on record")
    assert sorted(uses(world)) == ["after", "before", "in-process", "while-0", "while-1", "while-2"]
    assert not (world.folders.data / "damaged").exists()


FULL = """
import json, os, sys
from pathlib import Path
from hookd.daemon.recorder import Recorder
from hookd.journal.entries import Entry
from hookd.paths import UserFolders

base = Path(sys.argv[1])
folders = UserFolders(base / "config", base / "data", base / "run")
recorder = Recorder("/some/project", folders)

def add(first, last):
    for n in range(first, last):
        padding = "x" * 200
        recorder.append(Entry(id=str(n), at=float(n), agent="a", event="Stop", session="s", detail=padding))

def recorded():
    with recorder.store.reading() as db:
        return [row[0] for row in db.rows("SELECT id FROM event ORDER BY at")]

add(0, 50)
recorder.ingest()
ballast = base / "data" / "ballast"
with ballast.open("wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
add(50, 300)
recorder.ingest()
during = dict(recorder.failures)
ballast.unlink()
recorder._journal._retry_at = 0.0
add(300, 310)
recorder.close()
print(json.dumps({
    "during": during,
    "recorded": recorded() == [str(n) for n in range(310)],
    "after": recorder.failures,
    "check": recorder.keeper().check(),
    "damaged": (folders.data / "damaged").exists(),
    "lost": recorder._journal.lost,
}))
"""


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A real one, of two megabytes, where the kernel lets us mount it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "run").mkdir(mode=0o700)
    mount = f"mount -t tmpfs -o size=2m none {tmp_path}/data"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    script = tmp_path / "full.py"
    script.write_text(FULL)
    command = f"{mount} && exec {sys.executable} {script} {tmp_path}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b'"recorded": true' in done.stdout, done.stdout.decode()
    assert b'"after": {}, "check": [], "damaged": false, "lost": 0' in done.stdout, done.stdout.decode()
    assert b"the journal cannot be written: " in done.stdout
    assert b"the store cannot be written: " in done.stdout


OLDER = """
import sys
from pathlib import Path
from hookd.store.engine import Store
from hookd.store.migrations import Migration

steps = [
    Migration("notes", 1, "first", "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept');"),
    Migration("notes", 2, "second", "ALTER TABLE note ADD COLUMN at REAL; UPDATE note SET at = 1;"),
    Migration("notes", 3, "third", "CREATE TABLE other (x);"),
]
store = Store(Path(sys.argv[1]), steps[: int(sys.argv[2])])
print("ready", flush=True)
sys.stdin.readline()
with store.reading() as db:
    print([tuple(row) for row in db.rows("SELECT * FROM note")])
"""


def older(path: Path, steps: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OLDER, path, str(steps)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def test_many_processes_migrate_an_old_store_once_with_one_backup(tmp_path: Path) -> None:
    path = tmp_path / "hookd.db"
    assert older(path, 1).communicate("\n", timeout=30)[0] == "ready\n[('kept',)]\n"
    assert backups.listed(tmp_path / "backups") == []  # there was nothing to lose
    processes = [older(path, 3) for _ in range(6)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs = [process.communicate("\n", timeout=60)[0] for process in processes]
    assert outputs == ["[('kept', 1.0)]\n"] * 6
    [backup] = backups.listed(tmp_path / "backups")
    assert backup.why == "migration"
    with closing(sqlite3.connect(backup.path)) as db, db:
        assert db.execute("SELECT * FROM note").fetchall() == [("kept",)]


def test_a_store_that_cannot_be_backed_up_is_not_migrated(tmp_path: Path) -> None:
    path = tmp_path / "hookd.db"
    older(path, 1).communicate("\n", timeout=30)
    (tmp_path / "backups").write_text("in the way")
    process = older(path, 3)
    assert process.communicate("\n", timeout=30)[0] == "ready\n"
    assert process.returncode != 0
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute("SELECT * FROM note").fetchall() == [("kept",)]
    (tmp_path / "backups").unlink()
    assert older(path, 3).communicate("\n", timeout=30)[0].endswith("[('kept', 1.0)]\n")


EVENTS = 12


def test_daemons_commands_and_the_fallback_write_at_once(world: World) -> None:
    """Three projects with a daemon each, events without one, and commands that read and write."""
    worlds = [world, *(another(world, f"p{number}") for number in range(2))]
    sent: list[tuple[World, str]] = []
    errors: list[str] = []

    def through_the_daemon(at: World, name: str) -> None:
        for number in range(EVENTS):
            at.bash("ls", tool_use_id=f"{name}-{number}", session_id=name)
            sent.append((at, f"{name}-{number}"))

    def without_one(at: World, name: str) -> None:
        for number in range(EVENTS // 2):
            tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": f"{name}-{number}"}
            at.run(
                "hook", "claude-code", "PreToolUse", stdin=at.payload("PreToolUse", session_id=name, **tool)
            )
            sent.append((at, f"{name}-{number}"))

    def commands(at: World) -> None:
        for words in (["status"], ["store", "backup"], ["store", "check"], ["store", "compact"], ["status"]):
            done = at.run(*words, check=False)
            if done.returncode != 0:
                errors.append(f"{words}: {done.stdout.decode()}{done.stderr.decode()}")

    threads = [threading.Thread(target=commands, args=(each,)) for each in worlds]
    for number, each in enumerate(worlds):
        each.hookd("daemon", "start")
        threads.append(threading.Thread(target=through_the_daemon, args=(each, f"daemon{number}")))
        threads.append(threading.Thread(target=without_one, args=(each, f"process{number}")))
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for each in worlds:
            each.hookd("daemon", "stop")
    assert errors == []
    for each in worlds:
        wanted = {use for at, use in sent if at is each}
        assert len(wanted) == EVENTS + EVENTS // 2
        assert each.status()["events_recorded"] == len(wanted)
        assert each.status()["problems"] == []
    assert Counter(uses(world)) == Counter(use for _, use in sent)
    assert world.json("store", "check")["ok"]


def another(world: World, name: str) -> World:
    """Another project of the same person's."""
    project = world.base / name
    make_git_folder(project)
    shutil.rmtree(world.folders.hooks)  # made anew by the next line
    return World.around(project, world.base, {"HOOKD_HOME": str(world.home)})
