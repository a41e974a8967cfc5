"""`hookd store`, and the daemon's own care for the store."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from damages import replace_by_text
from hookd.store.cancellation import Cancellation, StoppedError
from worlds import World, wait_until


def test_check_backup_and_stats(world: World) -> None:
    world.bash("ls")
    assert world.status()["events_recorded"] == 1
    assert world.json("store", "check") == {
        "database": str(world.folders.database),
        "ok": True,
        "problems": [],
    }
    world.hookd("store", "backup")
    target = world.base / "copy.db"
    assert str(target) in world.hookd("store", "backup", str(target))
    with closing(sqlite3.connect(target)) as db, db:
        assert db.execute("SELECT count(*) FROM event").fetchone() == (1,)
    assert target.stat().st_mode & 0o777 == 0o600
    stats = world.json("store", "stats")
    assert stats["rows"]["event"] == 1
    assert "manual" in {backup["why"] for backup in stats["backups"]}
    assert all(Path(backup["path"]).stat().st_size == backup["bytes"] for backup in stats["backups"])
    assert "1 event" in world.hookd("store", "stats")


def test_restore_leaves_a_sound_database_alone_and_asks_before_it_replaces_one(world: World) -> None:
    world.bash("ls", tool_use_id="one")
    world.status()
    target = world.base / "copy.db"
    world.hookd("store", "backup", str(target))
    world.bash("ls", tool_use_id="two")
    world.status()
    world.hookd("daemon", "stop")
    assert "nothing was changed" in world.hookd("store", "restore")
    refused = world.run("store", "restore", str(target), stdin=b"n\n", check=False)
    assert refused.returncode == 1 and b"Nothing was changed" in refused.stdout
    assert world.status()["events_recorded"] == 2
    assert "by hand" in world.hookd("store", "restore", str(target), "--yes")
    assert world.status()["events_recorded"] == 2  # the journal still had the second
    assert list((world.folders.data / "damaged").glob("replaced-*.db"))


def test_restore_refuses_what_is_no_database_of_ours(world: World) -> None:
    world.bash("ls")
    world.hookd("daemon", "stop")
    text = world.base / "notes.txt"
    replace_by_text(text)
    foreign = world.base / "foreign.db"
    with closing(sqlite3.connect(foreign)) as db, db:
        db.execute("CREATE TABLE x (y)")
    for path in (text, foreign):
        done = world.run("store", "restore", str(path), "--yes", check=False)
        assert done.returncode == 2 and b"cannot take the database's place" in done.stderr
    assert world.status()["events_recorded"] == 1


def test_compact_forgets_what_is_old(world: World) -> None:
    world.bash("ls", session_id="old")
    world.bash("ls", session_id="young")
    world.status()
    world.hookd("daemon", "stop")
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        db.execute("UPDATE session SET last_at = 1 WHERE id = 'old'")
        db.execute("UPDATE session SET started_at = started_at - 2 * 86400 WHERE id = 'young'")
    assert world.hookd("store", "compact").startswith("1 old sessions deleted")
    assert world.status()["events_recorded"] == 1


def test_a_daemon_makes_a_backup_in_a_quiet_moment(world: World) -> None:
    world.bash("ls")
    folder = world.folders.data / "backups"
    wait_until(lambda: list(folder.glob("hookd-*-daily.db")), "a daily backup")
    assert wait_until(lambda: world.status()["daemon"]["status"] == "ok", "nothing to complain of")


def test_doctor_makes_a_backup_that_is_overdue(world: World) -> None:
    world.hookd("init")
    world.bash("ls")
    world.status()
    world.hookd("daemon", "stop")
    for path in (world.folders.data / "backups").glob("*"):
        path.unlink()
    world.hookd("store", "backup")
    [path] = (world.folders.data / "backups").glob("*.db")
    path.rename(path.with_name("hookd-000001-20200101T000000Z-daily.db"))
    world.bash("ls")
    world.status()
    world.hookd("daemon", "stop")
    for younger in (world.folders.data / "backups").glob("hookd-00000[2-9]*"):
        younger.unlink()
    assert not {finding["check"]: finding for finding in world.json("doctor")}["backups"]["ok"]
    assert b"made hookd-" in world.run("doctor", "--fix", check=False).stdout


def test_a_long_statement_ends_when_it_is_told_to(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "x.db", check_same_thread=False)
    stop, begun = Cancellation(), threading.Event()
    db.create_function("begun", 0, begun.set)
    endless = "WITH RECURSIVE n(x) AS (SELECT begun() UNION ALL SELECT x FROM n) SELECT count(*) FROM n"

    def tell() -> None:
        begun.wait(30)
        stop.tell()

    teller = threading.Thread(target=tell)
    teller.start()
    with pytest.raises(StoppedError), stop.lent(db):
        db.execute(endless).fetchone()
    teller.join()
    with pytest.raises(StoppedError), stop.lent(db):
        pass
    db.close()


def test_no_permission_on_the_lock_is_said(world: World) -> None:
    world.bash("ls")
    world.hookd("daemon", "stop")
    lock = Path(f"{world.folders.database}.lock")
    os.unlink(lock)
    lock.mkdir()
    done = world.run("store", "check", check=False)
    assert done.returncode == 1 and b"cannot open" in done.stderr
