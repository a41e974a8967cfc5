"""A store of hookd 0.1 becomes one whose references are ids, whoever is killed on the way."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import store_of_0_1
from memory_world import HERE, THERE, texts
from store_of_0_1 import ROWS, up_to_date

from hookd.daemon.recorder import Recorder
from hookd.journal.recovery import Keeper
from hookd.memory.erase import finish
from hookd.memory.recall import vectors as vector_file
from hookd.memory.recall.search import linked, search
from hookd.memory.recall.vectors import VectorIndex, are_installed, file_of, forget_vectors
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Name
from hookd.paths import user_folders
from hookd.store import backups, engine
from hookd.store.database_file import check


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return store_of_0_1.make(tmp_path / "hookd.db")


def test_what_superseded_what_and_what_is_linked_is_told_by_ids(before: Path) -> None:
    with up_to_date(before).reading() as db:
        for place in (HERE, THERE):
            memories = Memories(db, place)
            every = list(memories.all())
            assert len(every) == ROWS
            for number, it in enumerate(every):
                newer = f"o{number + 1:010x}" if number % 3 == 0 and number + 1 < ROWS else None
                assert it.superseded_by == newer
                assert memories.superseded_by(it) == ([every[number - 1].id] if number % 3 == 1 else [])
                next_one = f"o{number + 1:010x}"
                wanted = {"tried next": [next_one], "fixed by": [next_one]} if number % 4 == 0 else {}
                wanted |= {"tried after": [every[number - 1].id]} if number % 4 == 1 else {}
                wanted |= {"fixes": [every[number - 1].id]} if number % 4 == 1 else {}
                assert linked(db, it) == wanted
            assert memories.counts().superseded == len([n for n in range(ROWS - 1) if n % 3 == 0])
            assert memories.link_kinds() == {"fixed_by": 10, "tried": 10}
        assert texts(search(db, "fact 7")) and not check(db, thorough=True)
    [copy] = backups.listed(before.parent / "backups")
    with closing(sqlite3.connect(copy.path)) as old:
        assert old.execute("SELECT superseded_by FROM observation WHERE seq = 1").fetchone() == (2,)


def test_what_was_half_forgotten_is_forgotten(before: Path) -> None:
    store = up_to_date(before)
    with store.reading() as db:
        assert sorted(each.event for each in Forgetting(db).unfinished()) == ["", "", "event-of-it"]
    finish(Keeper(store, before.parent / "journals"))
    with store.reading() as db:
        assert Forgetting(db).unfinished() == []
    store.close()


KILLED = """
import os, signal, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import store_of_0_1
from store_of_0_1 import copied, dump, up_to_date
from hookd.errors import UpgradingStoreError
from hookd.store.database import connect
from hookd.store.migrations import migrate, upgrade

folder = Path(sys.argv[2])
before = store_of_0_1.make(folder / "hookd.db")
with up_to_date(copied(before, folder / "whole" / "hookd.db")).reading():
    wanted = dump(folder / "whole" / "hookd.db")

def killed_at(moment: int, path: Path) -> bool:
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    steps = up_to_date(path)._migrations
    seen = 0
    def count(statement: str) -> None:
        nonlocal seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)
    db = connect(path)
    try:
        migrate(db, steps)
    except UpgradingStoreError:
        db.set_trace_callback(count)
        upgrade(db, steps, lambda: True)
    os._exit(0)

moment = 1
while killed_at(moment, copied(before, folder / str(moment) / "hookd.db")):
    path = folder / str(moment) / "hookd.db"
    with up_to_date(path).reading():
        assert dump(path) == wanted, moment
    moment += 1
print(moment)
"""


def test_a_kill_in_the_middle_of_any_step_changes_nothing_in_the_end(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60


def test_the_daemons_recorder_goes_on_slice_by_slice_and_says_how_far_it_is(
    before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LARGE_BYTES", 0)
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.0)
    folders = user_folders({"HOOKD_HOME": str(before.parent / "home"), "HOME": str(before.parent)})
    folders.database.parent.mkdir(parents=True)
    before.rename(folders.database)
    recorder = Recorder(str(before.parent), folders)
    recorder.store.patience = 0.0  # one step at a time
    recorder.check_first = True
    told: list[str] = []
    recorder.tell = told.append
    while not recorder.ingest():
        assert recorder.failures["store"].startswith("the store is being brought up to date: ")
        assert recorder.known_session("s").turn == 0  # not waited for in the path of an event
    assert recorder.failures == {}
    assert len(told) > 5 and told == sorted(told, key=lambda each: int(each.split()[-2]))
    recorder.close()


@pytest.mark.skipif(not are_installed(), reason="hookd[vectors] is not installed")
def test_vectors_of_before_are_taken_over_and_not_made_again(before: Path) -> None:
    made: list[str] = []

    class Counting:
        name = "counting"

        def embed(self, given: list[str], _rarity: object) -> list[object]:
            import numpy

            made.extend(given)
            return [numpy.array([1.0, float(len(text))]) for text in given]

    numbered_vectors(before, 2 * ROWS + 1)  # one more than there are observations: it was forgotten
    store = up_to_date(before)
    index = VectorIndex(before, Counting())  # type: ignore[arg-type]
    with store.reading() as db:
        index.catch_up(db)
    assert made == []
    names = index.nearest("fact", 1000)
    assert len(names) == 2 * ROWS and Name("o0000000003", 2) in names
    store.close()


@pytest.mark.skipif(not are_installed(), reason="hookd[vectors] is not installed")
def test_vectors_of_before_do_not_outlive_a_forgetting(before: Path) -> None:
    numbered_vectors(before, ROWS)
    forget_vectors(before, [Name("o0000000003", 1)])
    with closing(sqlite3.connect(file_of(before))) as db:
        assert not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector'").fetchall()


def numbered_vectors(database: Path, count: int) -> None:
    with closing(sqlite3.connect(file_of(database))) as db, db:
        db.executescript(
            "CREATE TABLE made (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
            "CREATE TABLE vector (seq INTEGER PRIMARY KEY, embedding BLOB NOT NULL);"
            "CREATE TABLE word (hash INTEGER PRIMARY KEY, rows INTEGER NOT NULL);"
        )
        values = [("model", "counting"), ("rows_at_start", str(vector_file.FEW_ROWS))]
        db.executemany("INSERT INTO made VALUES (?, ?)", values)
        rows = [(seq, bytes([1, seq % 100])) for seq in range(1, count + 1)]
        db.executemany("INSERT INTO vector VALUES (?, ?)", rows)
