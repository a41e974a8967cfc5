"""The store: one writer that commits in groups, readers beside it, and nothing lost at the end."""

import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from hookd.errors import StatementError, StoreError
from hookd.store.database import Database
from hookd.store.engine import Store
from hookd.store.migrations import Migration

PATIENCE = 30.0
NOTES = [Migration("notes", 1, "notes", "CREATE TABLE note (text TEXT UNIQUE)")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data" / "hookd.db", NOTES)
    yield made
    made.close()


def add(text: str) -> Callable[[Database], str]:
    def job(db: Database) -> str:
        db.run("INSERT INTO note VALUES (?)", (text,))
        return text.upper()

    return job


def notes(store: Store) -> list[str]:
    with store.reading() as db:
        return [row["text"] for row in db.rows("SELECT text FROM note ORDER BY rowid")]


class Held:
    """A writer thread that waits inside a job until it is let go, so that others queue up behind it."""

    def __init__(self, store: Store) -> None:
        self._reached = threading.Event()
        self._go_on = threading.Event()
        self.statements: list[str] = []
        self._job = store.submit(self._wait)
        assert self._reached.wait(PATIENCE)

    def _wait(self, db: Database) -> None:
        db.connection.set_trace_callback(self.statements.append)
        self._reached.set()
        assert self._go_on.wait(PATIENCE)

    def let_go(self) -> None:
        self._go_on.set()
        self._job.result(PATIENCE)

    def count(self, statement: str) -> int:
        return sum(told.startswith(statement) for told in self.statements)


def test_a_job_is_on_disk_when_its_future_is_done(store: Store) -> None:
    assert store.submit(add("a")).result(PATIENCE) == "A"
    with closing(sqlite3.connect(store.path)) as other, other:
        assert other.execute("SELECT text FROM note").fetchall() == [("a",)]


def test_the_file_is_the_owners_alone(store: Store) -> None:
    store.submit(add("a")).result(PATIENCE)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_readers_do_not_wait_for_the_writer(store: Store) -> None:
    store.submit(add("a")).result(PATIENCE)
    held = Held(store)
    assert notes(store) == ["a"]
    held.let_go()


def test_reading_is_possible_before_anything_was_written(store: Store) -> None:
    assert notes(store) == []


def test_jobs_that_queue_up_share_one_transaction(store: Store) -> None:
    held = Held(store)
    futures = [store.submit(add(str(number))) for number in range(100)]
    held.let_go()
    for future in futures:
        future.result(PATIENCE)
    store.close()
    assert held.count("COMMIT") == 2  # the one that was held, and all the others together
    assert held.count("BEGIN") == 1  # the first one began before anybody listened
    assert held.count("INSERT") == 100
    assert notes(store) == [str(number) for number in range(100)]


def test_a_job_that_fails_is_undone_alone(store: Store) -> None:
    def half(db: Database) -> None:
        db.run("INSERT INTO note VALUES ('half')")
        raise ValueError("no more")

    held = Held(store)
    futures: list[Future[str]] = [store.submit(add("before"))]
    failing = store.submit(half)
    clashing = store.submit(add("before"))
    futures.append(store.submit(add("after")))
    held.let_go()
    assert [future.result(PATIENCE) for future in futures] == ["BEFORE", "AFTER"]
    with pytest.raises(ValueError, match="no more"):
        failing.result(PATIENCE)
    with pytest.raises(StatementError):
        clashing.result(PATIENCE)
    assert notes(store) == ["before", "after"]
    assert held.count("COMMIT") <= 2


def test_a_job_that_was_taken_back_does_not_run_and_harms_nobody(store: Store) -> None:
    held = Held(store)
    first, unwanted, last = (store.submit(add(text)) for text in ("first", "unwanted", "last"))
    assert unwanted.cancel()
    held.let_go()
    assert (first.result(PATIENCE), last.result(PATIENCE)) == ("FIRST", "LAST")
    assert notes(store) == ["first", "last"]


def test_closing_waits_for_everything_that_was_submitted(store: Store) -> None:
    held = Held(store)
    futures = [store.submit(add(str(number))) for number in range(50)]
    closing = threading.Thread(target=store.close)
    closing.start()
    held.let_go()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert all(future.done() for future in futures)
    assert len(notes(store)) == 50


def test_closing_twice_and_closing_what_was_never_used_is_nothing(tmp_path: Path) -> None:
    unused = Store(tmp_path / "hookd.db", NOTES)
    unused.close()
    unused.close()
    assert not unused.path.exists()


def test_a_closed_store_opens_again(store: Store) -> None:
    store.submit(add("a")).result(PATIENCE)
    store.close()
    assert store.submit(add("b")).result(PATIENCE) == "B"
    assert notes(store) == ["a", "b"]


def test_submitting_while_another_thread_closes_leaves_nobody_waiting(store: Store) -> None:
    futures: list[Future[str]] = []
    over = threading.Event()

    def keep_closing() -> None:
        while not over.is_set():
            store.close()

    closer = threading.Thread(target=keep_closing)
    closer.start()
    futures += [store.submit(add(str(number))) for number in range(200)]
    results = [future.result(PATIENCE) for future in futures]
    over.set()
    closer.join(PATIENCE)
    assert not closer.is_alive()
    assert results == [str(number) for number in range(200)]
    assert len(notes(store)) == 200


def test_a_file_that_is_no_database_is_said_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hookd.db"
    path.write_bytes(b"this is no database, " * 100)
    store = Store(path, NOTES)
    with pytest.raises(StoreError, match=f"cannot open the database {path}"):
        store.submit(add("a")).result(PATIENCE)
    with pytest.raises(StoreError), store.reading():
        pass
    store.close()
    assert path.read_bytes() == b"this is no database, " * 100


def test_a_store_that_could_not_be_opened_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "data" / "hookd.db"
    path.parent.write_text("in the way")
    store = Store(path, NOTES)
    with pytest.raises(StoreError):
        store.submit(add("a")).result(PATIENCE)
    path.parent.unlink()
    assert store.submit(add("b")).result(PATIENCE) == "B"
    store.close()
    assert notes(store) == ["b"]


def test_a_migration_that_failed_is_tried_again_by_the_same_writer(tmp_path: Path) -> None:
    path = tmp_path / "hookd.db"
    in_the_way = sqlite3.connect(path)
    in_the_way.execute("CREATE TABLE note (other INTEGER)")
    store = Store(path, NOTES)
    with pytest.raises(StoreError, match=r"migration .* undone"):
        store.submit(add("a")).result(PATIENCE)
    in_the_way.execute("DROP TABLE note")
    in_the_way.close()
    assert store.submit(add("b")).result(PATIENCE) == "B"
    store.close()


MARKS = [Migration("marks", 1, "marks", "CREATE TABLE mark (text TEXT)")]


def mark(db: Database) -> int:
    db.run("INSERT INTO mark VALUES ('m')")
    count: int = db.value("SELECT count(*) FROM mark")
    return count


def test_an_owner_that_comes_later_has_its_tables_too(store: Store) -> None:
    held = Held(store)  # the writer has the database open already
    store.adopt(MARKS)
    job = store.submit(mark)
    held.let_go()
    assert job.result(PATIENCE) == 1
    assert store.submit(add("a")).result(PATIENCE) == "A"


def test_an_owner_that_comes_twice_changes_nothing(store: Store) -> None:
    store.adopt(MARKS)
    assert store.submit(mark).result(PATIENCE) == 1
    store.adopt(MARKS)
    assert store.submit(mark).result(PATIENCE) == 2
    assert notes(store) == []


def test_an_owner_that_never_came_has_no_tables(store: Store) -> None:
    with pytest.raises(StatementError, match="no such table: mark"):
        store.submit(mark).result(PATIENCE)
