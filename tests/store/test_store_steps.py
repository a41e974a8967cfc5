"""Migrations in steps: resumed after a kill, taken turns at, told of, and never half of one in use."""

import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hookd.errors import StoreError, UpgradingStoreError
from hookd.store import backups, engine
from hookd.store.database import Database, connect
from hookd.store.engine import Store
from hookd.store.migrations import Migration, applied, migrate, upgrade, upgrade_progress
from hookd.store.steps import steps_of

ROWS = 20
MADE = Migration("notes", 1, "made", "CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT, long TEXT);")
SPLIT = Migration(
    "notes",
    2,
    "split",
    """-- Why this is so.

-- step
ALTER TABLE note ADD COLUMN length INTEGER;
CREATE TABLE word (text TEXT PRIMARY KEY) WITHOUT ROWID;

-- step, repeated while SELECT count(*) FROM note WHERE length IS NULL
UPDATE note SET length = length(text) WHERE number IN (SELECT number FROM note WHERE length IS NULL LIMIT 6);

-- step
INSERT INTO word SELECT text FROM note;
CREATE INDEX note_length ON note (length);
""",
)
LATER = Migration("notes", 3, "later", "ALTER TABLE word ADD COLUMN at REAL;")
BOTH = [MADE, SPLIT]


def older_store(path: Path) -> Path:
    """A store as hookd 0.1 left it: its migrations are in a table of another name."""
    with closing(connect(path)) as db:
        migrate(db, [MADE])
        db.executemany("INSERT INTO note VALUES (?, ?, '')", [(n, "x" * n) for n in range(ROWS)])
        db.execute("ALTER TABLE applied_migration RENAME TO migration")
    return path


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [line for line in db.iterdump() if "applied_migration" not in line]


def upgraded(path: Path) -> list[str]:
    store = Store(path, BOTH)
    with store.reading() as db:
        assert upgrade_progress(db) is None
    return dump(path)


def test_a_file_is_taken_apart_at_its_lines() -> None:
    first, second, third = steps_of(SPLIT.sql)
    assert (len(first.statements), len(second.statements), len(third.statements)) == (2, 1, 2)
    assert [each.left for each in (first, second, third)] == [
        None,
        "SELECT count(*) FROM note WHERE length IS NULL",
        None,
    ]
    assert steps_of(MADE.sql) == []


def test_progress_is_told_step_by_step_and_batch_by_batch(tmp_path: Path) -> None:
    path = older_store(tmp_path / "hookd.db")
    told = []
    with closing(connect(path)) as db:
        with pytest.raises(UpgradingStoreError, match="the store is being brought up to date: 0 %"):
            migrate(db, BOTH)
        while not told or told[-1] is not None:
            with suppress(UpgradingStoreError):
                upgrade(db, BOTH, lambda: False)
            told.append(upgrade_progress(Database(db)))
    assert told == [pytest.approx(each / 60) for each in (20, 26, 32, 38, 40, 40)] + [None]


def test_an_empty_store_gets_all_of_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "hookd.db"
    with closing(connect(path)) as db:
        migrate(db, BOTH)
        assert applied(db) == {("notes", 1), ("notes", 2)}
        assert not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'migration_under_way'").fetchall()


def test_a_store_is_copied_once_before_the_first_step(tmp_path: Path) -> None:
    path = older_store(tmp_path / "hookd.db")
    upgraded(path)
    [copy] = backups.listed(tmp_path / "backups")
    assert copy.why == "migration"
    with closing(sqlite3.connect(copy.path)) as db:
        assert [row[1] for row in db.execute("PRAGMA table_info(note)")] == ["number", "text", "long"]


def test_what_comes_after_a_migration_in_steps_waits_for_it(tmp_path: Path) -> None:
    path = older_store(tmp_path / "hookd.db")
    with Store(path, [*BOTH, LATER]).reading() as db:
        assert db.rows("SELECT text, at FROM word LIMIT 1")
        assert applied(db.connection) == {("notes", 1), ("notes", 2), ("notes", 3)}


KILLED = """
import os, shutil, signal, sqlite3, sys
from contextlib import closing, suppress
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from test_store_steps import BOTH, dump, older_store, upgraded
from hookd.errors import UpgradingStoreError
from hookd.store.database import connect
from hookd.store.migrations import migrate, upgrade

folder = Path(sys.argv[2])
wanted = upgraded(older_store(folder / "whole.db"))

def killed_at(moment: int, path: Path) -> bool:
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    seen = 0
    def count(_statement: str) -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)
    db = connect(path)
    db.set_trace_callback(count)
    try:
        migrate(db, BOTH)
    except UpgradingStoreError:
        upgrade(db, BOTH, lambda: True)
    os._exit(0)

moment = 1
while killed_at(moment, older_store(folder / f"{moment}.db")):
    assert upgraded(folder / f"{moment}.db") == wanted, moment
    moment += 1
print(moment)
"""


def test_a_kill_at_any_statement_is_survived(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


WORKER = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from test_store_steps import BOTH, dump
from hookd.store.engine import Store

store = Store(Path(sys.argv[2]), BOTH)
print("ready", flush=True)
sys.stdin.readline()
store.submit(lambda db: db.run("UPDATE note SET long = long || 'w'")).result()
store.close()
"""


def test_many_processes_at_once_take_turns(tmp_path: Path) -> None:
    path = older_store(tmp_path / "hookd.db")
    command = [sys.executable, "-c", WORKER, str(Path(__file__).parent), str(path)]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    for each in workers:
        assert each.stdout is not None and each.stdout.readline() == "ready\n"
    for each in workers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    for each in workers:
        each.communicate(timeout=60)
    assert [each.returncode for each in workers] == [0] * 4
    with closing(sqlite3.connect(path)) as db:
        assert set(db.execute("SELECT long, length FROM note WHERE number = 7")) == {("wwww", 7)}
    assert len(backups.listed(tmp_path / "backups")) == 1


def test_a_large_store_is_left_to_a_writer_that_has_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = older_store(tmp_path / "hookd.db")
    before = dump(path)
    monkeypatch.setattr(engine, "LARGE_BYTES", 0)
    store = Store(path, BOTH)
    with pytest.raises(UpgradingStoreError), store.reading():
        pass
    store.patience = 1.0  # as in a process that an agent waits for
    with pytest.raises(UpgradingStoreError):
        store.submit(lambda _db: None).result()
    assert dump(path) == before
    store.patience = engine.BUSY_SECONDS
    store.submit(lambda _db: None).result()
    with store.reading() as db:
        assert db.value("SELECT max(length) FROM note") == ROWS - 1
    store.close()


def test_a_store_in_the_middle_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = older_store(tmp_path / "hookd.db")
    turns = iter([True])
    with closing(connect(path)) as db:
        with pytest.raises(UpgradingStoreError):
            migrate(db, BOTH)
        with pytest.raises(UpgradingStoreError, match="43 %"):
            upgrade(db, BOTH, lambda: next(turns, False))
    monkeypatch.setattr(engine, "LARGE_BYTES", 0)
    with pytest.raises(UpgradingStoreError, match="43 %"), Store(path, BOTH).reading():
        pass
    other = Migration("marks", 1, "first", "CREATE TABLE mark (text TEXT);")
    with Store(path, [other]).reading() as db:  # who needs none of these tables does not wait for them
        assert upgrade_progress(db) == pytest.approx(0.43, abs=0.01)


def test_a_store_of_a_newer_hookd_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = older_store(tmp_path / "hookd.db")
    upgraded(path)
    before = dump(path)
    with pytest.raises(StoreError, match="newer hookd"), Store(path, [MADE]).reading():
        pass
    store = Store(path, [MADE])
    with pytest.raises(StoreError, match="newer hookd"):
        store.submit(lambda db: db.run("DELETE FROM note")).result()
    store.close()
    assert dump(path) == before


def test_hookd_0_1_fails_at_its_first_migration_and_changes_nothing(tmp_path: Path) -> None:
    """The statements that it opens a store with."""
    path = older_store(tmp_path / "hookd.db")
    upgraded(path)
    before = dump(path)
    with closing(connect(path)) as db:
        with pytest.raises(sqlite3.OperationalError):
            db.execute("SELECT owner, number FROM migration")
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "CREATE TABLE IF NOT EXISTS migration (owner TEXT NOT NULL, number INTEGER NOT NULL, "
            "name TEXT NOT NULL, applied_at REAL NOT NULL, PRIMARY KEY (owner, number)) WITHOUT ROWID"
        )
        with pytest.raises(sqlite3.OperationalError, match="already exists"):
            db.execute(MADE.sql)
        db.execute("ROLLBACK")
    assert dump(path) == before
