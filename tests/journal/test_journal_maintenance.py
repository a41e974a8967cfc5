"""Upkeep: backups when they are due, old sessions forgotten, free space given back."""

import time
from pathlib import Path

import pytest
from journal_world import Journal, entry, numbers

from hookd import config
from hookd.journal import maintenance
from hookd.journal.entries import Problem, encode
from hookd.journal.maintenance import backup_is_due, forget_old, is_wasteful, maintain
from hookd.journal.recovery import Keeper
from hookd.journal.segments import JournalWriter
from hookd.store import backups
from hookd.store.cancellation import Cancellation, StoppedError
from hookd.store.database import Database
from hookd.store.database_file import compact
from hookd.store.statements import load_statements

NOW = time.time()
DAY = 86_400.0


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Journal(tmp_path)
    made.folder = tmp_path / "journals" / "k"
    made.project = made.project._replace(folder=made.folder)
    return made


@pytest.fixture
def keeper(journal: Journal) -> Keeper:
    return Keeper(journal.store, journal.base / "journals")


def session(journal: Journal, name: str, days_ago: float, events: int = 3) -> None:
    at = NOW - days_ago * DAY
    journal.write(*(entry(f"{name}-{n}", session=name, at=at + n) for n in range(events)))
    journal.ingest()


def test_old_sessions_are_forgotten_with_their_events(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "ROWS_AT_ONCE", 2)
    for name, days in (("old", 200), ("older", 300), ("young", 1.1), ("today", 0)):
        session(journal, name, days, events=5)
    journal.write(
        entry("loose-old", session="", at=NOW - 200 * DAY), entry("loose-young", session="", at=NOW)
    )
    writer = JournalWriter(journal.folder)
    for days in (1, 200):
        writer.append(encode(Problem(id=str(days), at=NOW - days * DAY, kind="hook", what=f"{days}")))
    writer.close()
    journal.ingest()
    assert forget_old(journal.store, 180) == 2
    assert {one.rpartition("-")[0] for one in journal.ids()} == {"young", "today", "loose"}
    assert len(journal.ids()) == 11
    assert journal.query("SELECT id FROM session ORDER BY id") == [("today",), ("young",)]
    assert journal.query("SELECT what FROM problem") == [("1",)]
    journal.store.close()


def test_a_session_that_goes_on_keeps_its_beginning(journal: Journal) -> None:
    session(journal, "long", 200)
    session(journal, "ended", 200)
    session(journal, "yesterday", 1.1)  # from here age counts
    journal.write(entry("long-now", session="long", at=NOW - 2 * DAY))
    journal.ingest()
    assert forget_old(journal.store, 180) == 1
    assert {one.rpartition("-")[0] for one in journal.ids()} == {"long", "yesterday"}
    assert len(journal.ids()) == 7
    journal.store.close()


def test_a_clock_that_jumped_costs_nothing_until_there_is_a_day_of_records(
    journal: Journal, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(journal, "before", 0)
    later = NOW + 400 * DAY
    monkeypatch.setattr(time, "time", lambda: later)
    journal.write(entry("after-0", session="after", at=later))
    journal.ingest()
    for _ in range(3):
        maintain(keeper, config.Store(backups=1))
    assert journal.query("SELECT id FROM session ORDER BY id") == [("after",), ("before",)]
    monkeypatch.setattr(time, "time", lambda: later + 1.1 * DAY)
    journal.write(entry("after-1", session="after", at=later + 1.1 * DAY))
    journal.ingest()
    maintain(keeper, config.Store(backups=1))
    assert journal.query("SELECT id FROM session") == [("after",)]
    assert len(backups.listed(journal.base / "backups")) == 1
    journal.store.close()


def test_zero_days_keep_everything(journal: Journal) -> None:
    session(journal, "old", 5000)
    assert forget_old(journal.store, 0) == 0
    assert len(journal.ids()) == 3


def test_free_space_is_given_back_when_there_is_a_lot(
    journal: Journal, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "WASTE_BYTES", 50_000)
    session(journal, "old", 200, events=2000)
    session(journal, "young", 1.1)
    journal.store.close()
    before = journal.store.path.stat().st_size
    assert not is_wasteful(journal.store)
    maintain(keeper, config.Store())
    journal.store.close()
    assert not is_wasteful(journal.store)
    assert journal.store.path.stat().st_size < before / 2
    assert journal.ids() == [f"young-{n}" for n in range(3)]


def test_what_was_deleted_is_not_in_the_file(journal: Journal) -> None:
    journal.write(entry(1, session="old", at=1.0, detail="telltale"), entry(2, at=NOW - 2 * DAY))
    journal.ingest()
    journal.store.close()
    assert b"telltale" in journal.store.path.read_bytes()
    forget_old(journal.store, 180)
    journal.store.close()
    assert b"telltale" not in journal.store.path.read_bytes()


def test_a_backup_is_due_when_there_is_something_new_and_the_last_is_old(
    journal: Journal, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(journal, "one", 0)
    assert backup_is_due(keeper, 24)
    maintain(keeper, config.Store())
    assert len(backups.listed(journal.base / "backups")) == 1
    assert not backup_is_due(keeper, 24)
    with monkeypatch.context() as later:
        later.setattr(time, "time", lambda: NOW + 2 * DAY)
        maintain(keeper, config.Store())
        assert len(backups.listed(journal.base / "backups")) == 2
        session(journal, "two", 0)
        maintain(keeper, config.Store(backups=2))
        maintain(keeper, config.Store(backups=2))
    assert len(backups.listed(journal.base / "backups")) == 2
    assert backup_is_due(keeper, 24)  # the clock was set back: the last one is of tomorrow
    journal.store.close()


def test_a_lot_of_journal_does_not_wait(
    journal: Journal, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    maintain(keeper, config.Store())
    session(journal, "one", 0)
    maintain(keeper, config.Store())
    monkeypatch.setattr(maintenance, "KEPT_BYTES", 100)
    assert backup_is_due(keeper, 24)
    journal.store.close()


def test_one_process_does_it(journal: Journal, keeper: Keeper) -> None:
    session(journal, "one", 0)
    with Keeper(journal.store, keeper.journals).one_at_a_time() as alone:
        assert alone
        maintain(keeper, config.Store())
    assert backups.listed(journal.base / "backups") == []
    journal.store.close()


def test_nothing_is_made_where_nothing_is(keeper: Keeper) -> None:
    maintain(keeper, config.Store())
    assert not keeper.store.path.exists()


def test_a_compaction_that_is_told_to_stop_changes_nothing(journal: Journal) -> None:
    session(journal, "one", 0, events=50)
    stop = Cancellation()
    stop.tell()
    with pytest.raises(StoppedError):
        compact(journal.store, stop)
    assert len(journal.ids()) == 50
    journal.store.close()


def test_forgetting_uses_an_index_of_events(journal: Journal) -> None:
    statements = load_statements("hookd.journal")
    with journal.store.reading() as db:
        for name in ("old_sessions", "forget_session_events", "forget_session", "forget_loose_events"):
            sql = statements[name]
            values = dict.fromkeys(("before", "limit", "project", "session"), 1)
            plan = [row["detail"] for row in db.rows(f"EXPLAIN QUERY PLAN {sql}", values)]
            assert not any(step.startswith("SCAN event") for step in plan), (name, plan)


def test_ingesting_a_lot_lets_others_in_between(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookd.journal.ingest.EVENTS_AT_ONCE", 10)
    writer = JournalWriter(journal.folder, rotate_bytes=500)
    journal.write(*(entry(number) for number in range(100)), writer=writer)
    writer.close()
    batches: list[int] = []

    from hookd.journal.ingest import ingest

    def sink(_db: Database, _writer: object, entries: list[object]) -> None:
        batches.append(len(entries))

    assert ingest(journal.store, journal.project, lambda _entry: "run_1", sink) == 100
    assert len(batches) > 5 and max(batches) < 20
    assert sorted(journal.ids(), key=int) == numbers(100)
    journal.store.close()
