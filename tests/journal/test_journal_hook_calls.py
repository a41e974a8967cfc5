"""What hooks did, from the journal into the store and out again; numbers stand for their names there."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from journal_world import Journal, entry

from hookd.journal.entries import HookCall
from hookd.journal.hook_calls import HookNumbers, hook_calls
from hookd.journal.ingest import ingest
from hookd.journal.repository import Events
from hookd.store.backups import folder_of, listed
from hookd.store.database import Database
from hookd.store.engine import Store
from hookd.store.migrations import load_migrations

CALLS = (HookCall("gate.judge", 148), HookCall("guard.check", 2310, "deny"), HookCall("gate.judge", 0))


def on_record(journal: Journal, since: float = 0.0) -> list[tuple[float, list[HookCall]]]:
    with journal.store.reading() as db:
        events = Events(db, journal.project.key)
        names, rows = events.hook_names(), list(events.hook_columns(since))
    return sorted((at, list(hook_calls(column, names))) for at, column in rows)


def test_every_call_comes_back_with_its_hooks_name(journal: Journal) -> None:
    later = (HookCall("late.check", 7, "failed"), CALLS[0])
    journal.write(entry(1, hook_calls=CALLS))
    journal.ingest()
    journal.write(entry(2, hook_calls=later), entry(3))
    journal.ingest()
    assert on_record(journal) == [(1001.0, list(CALLS)), (1002.0, list(later))]
    assert journal.query("SELECT hooks FROM event ORDER BY seq") == [(3,), (2,), (0,)]
    assert journal.query("SELECT number, name FROM hook") == [
        (1, "gate.judge"),
        (2, "guard.check"),
        (3, "late.check"),
    ]


def test_only_what_is_later_than_a_moment_is_read_with_a_session_or_without(journal: Journal) -> None:
    for session in ("s1", "s2", ""):
        journal.write(
            *(entry(f"{session}{at}", at=at, session=session, hook_calls=CALLS) for at in (5.0, 9.0))
        )
    journal.write(entry("old", at=5.0, session="s3", hook_calls=CALLS))
    journal.ingest()
    assert len(on_record(journal)) == 7
    assert [at for at, _ in on_record(journal, since=5.0)] == [9.0] * 3


def test_an_entry_that_only_says_how_many_there_were_is_read(journal: Journal) -> None:
    journal.folder.mkdir(parents=True)
    line = (
        b'{"t":"event","id":"old","at":5.0,"agent":"claude-code","event":"Stop","session":"s1","hooks":4}\n'
    )
    (journal.folder / "1-1.jsonl").write_bytes(line)
    assert journal.ingest() == 1
    assert journal.query("SELECT hooks, hook_calls FROM event") == [(4, "")]
    assert on_record(journal) == []


@pytest.mark.parametrize("outcome", ["two words", "a:b", "3:4 5", "\n", "é:"])
def test_an_outcome_that_is_no_word_is_kept_apart_from_the_rest(journal: Journal, outcome: str) -> None:
    journal.write(entry(1, hook_calls=(HookCall("odd name: x", 5, outcome), CALLS[1])))
    journal.ingest()
    assert on_record(journal) == [(1001.0, [HookCall("odd name: x", 5, "unknown"), CALLS[1]])]


def test_a_number_that_was_given_in_a_transaction_that_failed_is_given_again(journal: Journal) -> None:
    journal.write(entry(1, hook_calls=CALLS))

    def fails(_db: Database, _writer: object, _entries: list[Any]) -> None:
        raise OSError("not now")

    with pytest.raises(OSError, match="not now"):
        ingest(journal.store, journal.project, lambda _entry: "run", fails)
    assert journal.query("SELECT * FROM hook") == []
    journal.ingest()
    assert on_record(journal) == [(1001.0, list(CALLS))]


def test_names_are_forgotten_with_their_project_and_calls_with_their_event(journal: Journal) -> None:
    journal.write(entry(1, hook_calls=CALLS), entry(2, hook_calls=CALLS))
    journal.ingest()

    journal.store.submit(lambda db: db.run("DELETE FROM event WHERE id = '1'")).result()
    assert [at for at, _ in on_record(journal)] == [1002.0]
    journal.store.submit(lambda db: Events(db, journal.project.key).forget()).result()
    assert journal.query("SELECT * FROM hook") == []
    journal.store.close()
    assert b"guard.check" not in (journal.base / "hookd.db").read_bytes()


def test_a_database_of_before_is_backed_up_and_read(journal: Journal, tmp_path: Path) -> None:
    steps = load_migrations("hookd.journal")
    database = tmp_path / "before" / "hookd.db"
    before = Store(database, [step for step in steps if step.number < 4])

    def fill(db: Database) -> None:
        db.run("INSERT INTO project VALUES (?, '/some/project', 1)", (journal.project.key,))
        db.run(
            "INSERT INTO event (id, project, session, at, agent, name, tool, tool_use, subagent, detail,"
            " verdict, decided_by, hooks, ms, via)"
            " VALUES ('e', ?, 's1', 5, 'a', 'Stop', '', '', '', '', '', '', 2, 1, '')",
            (journal.project.key,),
        )

    before.submit(fill).result()
    before.close()
    journal.store = Store(database, steps)
    journal.write(entry(1, hook_calls=CALLS))
    journal.ingest()
    assert journal.query("SELECT id, hooks, hook_calls FROM event ORDER BY seq") == [
        ("e", 2, ""),
        ("1", 3, "1:148 2:2310:deny 1:0"),
    ]
    assert on_record(journal) == [(1001.0, list(CALLS))]
    assert [each.why for each in listed(folder_of(database))] == ["migration"]
    journal.store.close()
    shutil.rmtree(database.parent)


def test_a_hook_that_is_known_keeps_its_number() -> None:
    added: list[tuple[str, int]] = []
    numbers = HookNumbers({"a": 1, "b": 2}, lambda name, number: added.append((name, number)))
    assert numbers.column([HookCall("b", 5), HookCall("c", 6), HookCall("c", 7, "ask")]) == "2:5 3:6 3:7:ask"
    assert added == [("c", 3)]
