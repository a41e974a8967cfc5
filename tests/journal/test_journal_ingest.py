"""From the journal into the store: every record once, whoever brings it and however often."""

import fcntl
import json
import os
import signal
from pathlib import Path

import pytest
from journal_world import Journal, entry, finish, numbers

from hookd.events.outcome import Fact
from hookd.journal.entries import Problem, Told, encode
from hookd.journal.ingest import ingest, open_store
from hookd.journal.segments import JournalWriter
from hookd.store.engine import Store
from hookd.store.migrations import load_migrations
from hookd.store.statements import load_statements

CUT_SHORT = "a record was cut short: one event may be lost"
UNREADABLE = "a record cannot be read: one event may be lost"


def test_what_was_appended_is_in_the_store_and_its_file_is_gone(journal: Journal) -> None:
    journal.write(*(entry(number) for number in range(5)))
    assert journal.ingest() == 5
    assert journal.ids() == numbers(5)
    assert journal.told == numbers(5)
    assert journal.segments() == []
    assert journal.problems() == {}


def test_every_fact_of_an_entry_is_kept(journal: Journal) -> None:
    journal.write(
        entry(
            "e1",
            tool="Bash",
            tool_use="t1",
            subagent="a1",
            detail="startup",
            verdict="deny",
            by="guard.x",
            hooks=3,
            ms=1.25,
            turn=7,
            via="socket",
        )
    )
    journal.ingest()
    [row] = journal.query(
        "SELECT id, project, session, at, agent, name, tool, tool_use, subagent, detail, verdict, decided_by,"
        " hooks, ms, via FROM event"
    )
    assert row == (
        *("e1", "k" * 64, "s1", 1000.0, "claude-code", "PreToolUse", "Bash", "t1", "a1", "startup", "deny"),
        *("guard.x", 3, 1.25, "socket"),
    )
    assert journal.query("SELECT turns, run FROM session") == [(7, "run_1")]
    assert journal.query("SELECT key, root FROM project") == [("k" * 64, "/some/project")]


def test_ingesting_again_changes_nothing(journal: Journal) -> None:
    writer = JournalWriter(journal.folder)
    journal.write(entry(1), entry(2), writer=writer)
    assert [journal.ingest(), journal.ingest(), journal.ingest()] == [2, 0, 0]
    journal.write(entry(3), writer=writer)
    assert [journal.ingest(), journal.ingest()] == [1, 0]
    assert journal.told == ["1", "2", "3"]
    assert len(journal.segments()) == 1  # its writer still lives
    writer.close()
    journal.ingest()
    assert journal.segments() == []
    assert journal.ids() == ["1", "2", "3"]


def test_an_empty_journal_is_no_error(journal: Journal) -> None:
    assert journal.ingest() == 0
    assert journal.told == []


def test_the_same_event_from_two_writers_is_one(journal: Journal) -> None:
    journal.write(entry("same", via="socket"))
    journal.write(entry("same", via="in-process"), entry("other"))
    assert journal.ingest() == 2
    assert sorted(journal.ids()) == ["other", "same"]


def test_what_was_read_is_not_read_again(journal: Journal) -> None:
    writer = JournalWriter(journal.folder)
    journal.write(entry(1), writer=writer)
    journal.ingest()
    [path] = journal.segments()
    # Were it read again, this would be a problem.
    with path.open("r+b") as file:
        file.write(b"X" * 5)
    journal.write(entry(2), writer=writer)
    assert journal.ingest() == 1
    assert journal.problems() == {}
    writer.close()


def test_the_place_in_a_segment_is_forgotten_with_it(journal: Journal) -> None:
    journal.write(entry(1))
    writer = JournalWriter(journal.folder)
    journal.write(entry(2), writer=writer)
    journal.ingest()
    journal.ingest()
    [path] = journal.segments()
    assert journal.query("SELECT name, position FROM segment") == [(path.name, path.stat().st_size)]
    writer.close()


def test_a_torn_tail_is_counted_and_costs_only_itself(journal: Journal) -> None:
    journal.write(entry(1), entry(2))
    [path] = journal.segments()
    with path.open("ab") as file:
        file.write(encode(entry(3))[:20])
    assert journal.ingest() == 2
    assert journal.ids() == ["1", "2"]
    assert journal.problems() == {CUT_SHORT: 1}
    assert journal.segments() == []


def test_torn_tails_of_several_writers_are_counted(journal: Journal) -> None:
    for number in range(3):
        (journal.folder).mkdir(exist_ok=True)
        (journal.folder / f"{number}-x.jsonl").write_bytes(b'{"t":"ev')
    journal.ingest()
    journal.ingest()
    assert journal.problems() == {CUT_SHORT: 3}


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{}",
        b"[]",
        b'{"t":"event"}',
        b'{"t":"unheard-of","id":"x","at":1}',
        b'{"t":"event","id":7,"at":1,"agent":"a","event":"e"}',
        b'{"t":"event","id":"x","at":"soon","agent":"a","event":"e"}',
        b'{"t":"event","id":"\xff","at":1,"agent":"a","event":"e"}',
        b'{"t":"event","id":"\\ud800","at":1,"agent":"a","event":"e"}',
        b'{"t":"event","id":"x","at":1,"agent":"a","event":"e","news":' + b"[" * 100_000,
        b"\x00" * 50,
        b"\xff\xfe",
    ],
)
def test_a_line_that_is_no_record_is_counted_and_the_others_are_kept(journal: Journal, line: bytes) -> None:
    journal.write(entry(1), entry(2))
    [path] = journal.segments()
    first, second, _ = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([first, line, line, second, line, b""]))
    assert journal.ingest() == 2
    assert journal.ids() == ["1", "2"]
    assert journal.problems() == {UNREADABLE: 3}
    assert journal.segments() == []


def test_a_record_with_fields_of_a_newer_version_is_understood(journal: Journal) -> None:
    journal.write(entry(1))
    [path] = journal.segments()
    path.write_bytes(path.read_bytes().replace(b"{", b'{"news":[1,2],', 1))
    assert journal.ingest() == 1
    assert journal.problems() == {}


def test_problems_are_counted_by_what_they_say(journal: Journal) -> None:
    problems = [
        Problem(id=str(number), at=float(number), kind="hook", what=f"x.{number % 2} failed")
        for number in range(6)
    ]
    writer = JournalWriter(journal.folder)
    for problem in problems:
        writer.append(encode(problem))
    writer.close()
    [segment] = journal.segments()
    again = segment.read_bytes()
    assert journal.ingest() == 0
    segment.write_bytes(again)  # as when a database is brought back
    assert journal.ingest() == 0
    assert journal.query("SELECT what, count, first_at, last_at FROM problem ORDER BY what") == [
        ("x.0 failed", 3, 0.0, 4.0),
        ("x.1 failed", 3, 1.0, 5.0),
    ]


def test_a_session_has_a_beginning_an_end_and_turns(journal: Journal) -> None:
    journal.write(
        entry(5, event="UserPromptSubmit", turn=1),
        entry(1, event="SessionStart", turn=0),
        entry(9, event="SessionEnd", turn=4, detail="logout"),
        entry(7, event="Stop", turn=3),
    )
    journal.ingest()
    found = journal.query("SELECT id, started_at, last_at, ended_at, end_reason, turns FROM session")
    assert found == [("s1", 1001.0, 1009.0, 1009.0, "logout", 4)]


def test_a_session_that_goes_on_has_not_ended(journal: Journal) -> None:
    journal.write(entry(1, event="SessionEnd", detail="other"), entry(2, event="SessionStart"))
    journal.ingest()
    assert journal.query("SELECT ended_at FROM session") == [(None,)]


def test_an_event_without_a_session_makes_none(journal: Journal) -> None:
    journal.write(entry(1, session=""))
    assert journal.ingest() == 1
    assert journal.query("SELECT * FROM session") == []


WRITER = """
from journal_world import *

journal = Journal(Path(sys.argv[1]))
writer = JournalWriter(journal.folder, rotate_bytes=3000)
for number in range(200):
    writer.append(encode(entry(f"{sys.argv[2]}-{number}")))
"""


def test_several_writers_and_an_ingester_at_once(journal: Journal) -> None:
    writers = [journal.process(WRITER, name) for name in range(4)]
    total = 0
    while any(process.poll() is None for process in writers):
        total += journal.ingest()
    for process in writers:
        finish(process)
    total += journal.ingest()
    wanted = {f"{name}-{number}" for name in range(4) for number in range(200)}
    assert total == len(wanted)
    assert set(journal.ids()) == wanted
    assert sorted(journal.told) == sorted(wanted)
    assert journal.problems() == {}
    assert journal.segments() == []


INGESTER = """
from journal_world import *
import fcntl

journal = Journal(Path(sys.argv[1]))
print("ready", flush=True)
fcntl.flock(Path(sys.argv[2]).open(), fcntl.LOCK_SH)
print(json.dumps([sum(journal.ingest() for _ in range(5)), journal.told]))
journal.store.close()
"""


def test_several_processes_ingest_each_event_once(journal: Journal) -> None:
    for number in range(4):
        journal.write(*(entry(f"{number}-{i}") for i in range(50)))
    living = JournalWriter(journal.folder)
    journal.write(*(entry(f"living-{i}") for i in range(50)), writer=living)
    door = journal.base / "door"
    with door.open("w") as closed:  # until everybody is there
        fcntl.flock(closed, fcntl.LOCK_EX)
        processes = [journal.process(INGESTER, door) for _ in range(4)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
    reports = [json.loads(finish(process)) for process in processes]
    assert sum(new for new, _ in reports) == 250
    told = [one for _, ids in reports for one in ids]
    assert len(told) == 250
    assert sorted(told) == sorted(journal.ids())
    assert journal.ingest() == 0
    living.close()


DYING = """
from journal_world import *
import os, signal

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

journal = Journal(Path(sys.argv[1]))
if sys.argv[2] == "inside":
    ingest(journal.store, journal.project, lambda _entry: "run_1", die)
else:
    Path.rename = die
    journal.ingest()
"""


@pytest.mark.parametrize(("moment", "left"), [("inside", 3), ("after", 0)])
def test_an_ingester_that_is_killed_neither_loses_nor_doubles(
    journal: Journal, moment: str, left: int
) -> None:
    journal.write(entry(1), entry(2), entry(3))
    [path] = journal.segments()
    with path.open("ab") as file:
        file.write(b"torn")
    finish(journal.process(DYING, moment), wanted=-signal.SIGKILL)
    assert path.exists()
    assert journal.ingest() == left
    assert journal.ids() == ["1", "2", "3"]
    assert journal.problems() == {CUT_SHORT: 1}
    assert not path.exists()


def test_a_sink_that_fails_undoes_everything_and_the_next_try_brings_it(journal: Journal) -> None:
    def fail(*_: object) -> None:
        raise OSError("the run folder is gone")

    journal.write(entry(1))
    with pytest.raises(OSError, match="run folder"):
        ingest(journal.store, journal.project, lambda _entry: "run_1", fail)
    assert journal.ids() == []
    assert journal.ingest() == 1


def test_what_was_said_and_found_out_is_stored_with_its_event(journal: Journal) -> None:
    journal.write(
        entry(
            1,
            input={"tool_input": {"command": "ls"}},
            output="a b",
            told=(Told(by="x.y", what="deny", text="no"),),
            facts=(Fact(kind="redacted", data={"jwt": 1}), Fact(kind="other")),
        )
    )
    journal.ingest()
    journal.write(entry(1, facts=(Fact(kind="redacted"),)))
    journal.ingest()
    [(given, output, told)] = journal.query("SELECT input, output, told FROM event")
    assert json.loads(given) == {"tool_input": {"command": "ls"}}
    assert (output, json.loads(told)) == ("a b", [{"by": "x.y", "what": "deny", "text": "no"}])
    assert journal.query("SELECT kind, data FROM fact ORDER BY number") == [
        ("redacted", '{"jwt":1}'),
        ("other", "{}"),
    ]


def test_a_store_of_the_first_version_keeps_its_events(tmp_path: Path) -> None:
    first = [step for step in load_migrations("hookd.journal") if step.number == 1]
    store = Store(tmp_path / "hookd.db", first)
    insert = "INSERT INTO event VALUES (?, 'p', 's', ?, 'a', 'Stop', '', '', '', '', '', '', 0, 0, '')"
    store.submit(lambda db: db.rows("INSERT INTO project VALUES ('p', '/p', 1)")).result()
    for number in (2, 1):
        row = (f"e{number}", number)
        store.submit(lambda db, row=row: db.rows(insert, row)).result()
    store.close()
    with open_store(tmp_path / "hookd.db").reading() as db:
        found = [tuple(row) for row in db.rows("SELECT id, input, told FROM event ORDER BY seq")]
    assert found == [("e1", "{}", "[]"), ("e2", "{}", "[]")]


def test_a_project_whose_name_is_no_text_has_a_record_too(journal: Journal) -> None:
    journal.project = journal.project._replace(root=os.fsdecode(b"/od\xff"))
    journal.write(entry(1))
    assert journal.ingest() == 1
    assert journal.query("SELECT root FROM project") == [("/od?",)]


def test_the_lock_file_is_no_segment(journal: Journal) -> None:
    journal.write(entry(1))
    journal.ingest()
    assert sorted(path.name for path in Path(journal.folder).iterdir()) == ["ingest.lock", "kept"]


def test_looking_up_when_a_call_began_uses_its_index(tmp_path: Path) -> None:
    """Without it, every finished call would read all events there ever were."""
    with open_store(tmp_path / "hookd.db").reading() as db:
        values = {"tool_use": "toolu_1", "project": "p", "session": "s"}
        plan = db.rows("EXPLAIN QUERY PLAN " + load_statements("hookd.journal")["began"], values)
    assert [row["detail"] for row in plan] == ["SEARCH event USING INDEX event_by_tool_use (tool_use=?)"]
