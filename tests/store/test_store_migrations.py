"""Migrations: once, in order, under a lock, and all or nothing."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookd.errors import StoreError
from hookd.store.database import connect
from hookd.store.migrations import Migration, load_migrations, migrate
from hookd.store.statements import load_statements

FIRST = Migration("notes", 1, "first", "CREATE TABLE note (text TEXT);\n")
SECOND = Migration("notes", 2, "second", "ALTER TABLE note ADD COLUMN at REAL;\n")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(tmp_path / "hookd.db")
    yield connection
    connection.close()


def tables(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def applied(db: sqlite3.Connection) -> list[tuple[str, int, str]]:
    rows = db.execute("SELECT owner, number, name FROM applied_migration ORDER BY owner, number")
    return [tuple(row) for row in rows]


def test_each_step_runs_once(db: sqlite3.Connection) -> None:
    migrate(db, [FIRST])
    migrate(db, [FIRST])
    migrate(db, [FIRST, SECOND])
    migrate(db, [FIRST, SECOND])
    assert applied(db) == [("notes", 1, "first"), ("notes", 2, "second")]
    assert [row["name"] for row in db.execute("PRAGMA table_info(note)")] == ["text", "at"]


def test_owners_number_their_steps_by_themselves(db: sqlite3.Connection) -> None:
    other = Migration("marks", 1, "first", "CREATE TABLE mark (text TEXT);")
    migrate(db, [FIRST, other])
    assert applied(db) == [("marks", 1, "first"), ("notes", 1, "first")]


def test_nothing_is_written_when_nothing_is_new(db: sqlite3.Connection) -> None:
    migrate(db, [FIRST])
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    migrate(db, [FIRST])
    assert [statement for statement in statements if not statement.startswith("SELECT")] == []


def test_a_failed_migration_leaves_no_trace(db: sqlite3.Connection) -> None:
    broken = Migration("notes", 2, "broken", "CREATE TABLE half (x);\nCREATE TABLE note (again);\n")
    with pytest.raises(StoreError, match="undone: table note already exists"):
        migrate(db, [FIRST, broken])
    assert not db.in_transaction
    assert tables(db) == set()
    migrate(db, [FIRST, SECOND])
    assert tables(db) == {"applied_migration", "note"}


def test_a_later_failure_keeps_the_earlier_versions_tables(db: sqlite3.Connection) -> None:
    migrate(db, [FIRST])
    db.execute("INSERT INTO note VALUES ('kept')")
    with pytest.raises(StoreError):
        migrate(db, [FIRST, Migration("notes", 2, "broken", "DELETE FROM note; nonsense;")])
    assert db.execute("SELECT text FROM note").fetchone()[0] == "kept"
    assert applied(db) == [("notes", 1, "first")]


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("CREATE TABLE a (x);\nCREATE TABLE b (x);\n", {"a", "b"}),
        ("CREATE TABLE a (x); CREATE TABLE b (x);", {"a", "b"}),
        ("CREATE TABLE a (x);\nCREATE TABLE b (x)", {"a", "b"}),
        ("-- first; second\nCREATE TABLE a (\n  x TEXT DEFAULT ';'\n);\n-- the end\n", {"a"}),
        (
            "CREATE TABLE a (x);\nCREATE TABLE b (x);\n"
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1); DELETE FROM a; END;\n",
            {"a", "b"},
        ),
        ("", set()),
    ],
)
def test_a_script_is_taken_apart_into_its_statements(
    db: sqlite3.Connection, sql: str, wanted: set[str]
) -> None:
    migrate(db, [Migration("notes", 1, "first", sql)])
    assert tables(db) == {"applied_migration", *wanted}


MANY = """
import sys
from pathlib import Path
from hookd.store.database import connect
from hookd.store.migrations import Migration, migrate

steps = [Migration("notes", n, f"s{n}", f"CREATE TABLE note{n} (x); INSERT INTO note{n} VALUES (1);")
         for n in range(1, 6)]
print("ready", flush=True)
db = connect(Path(sys.argv[1]))
migrate(db, steps)
print([db.execute(f"SELECT count(*) FROM note{n}").fetchone()[0] for n in range(1, 6)])
"""


def test_many_processes_at_once_migrate_once(db: sqlite3.Connection, tmp_path: Path) -> None:
    db.execute("BEGIN IMMEDIATE")  # holds them all at the door until everybody is there
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, tmp_path / "hookd.db"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(5)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    db.execute("COMMIT")
    for process in processes:
        stdout, stderr = process.communicate(timeout=60)
        assert (stdout, stderr, process.returncode) == (b"[1, 1, 1, 1, 1]\n", b"", 0)
    assert [number for _, number, _ in applied(db)] == [1, 2, 3, 4, 5]


def test_the_packages_own_steps_are_in_order_and_named() -> None:
    steps = load_migrations("hookd.journal")
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert {step.owner for step in steps} == {"journal"}
    assert all(step.name and step.sql.strip() for step in steps)


def test_every_named_statement_fits_the_tables(db: sqlite3.Connection) -> None:
    migrate(db, load_migrations("hookd.journal"))
    queries = load_statements("hookd.journal")
    assert {"add_event", "session", "problems"} <= queries.keys()

    class Anything(dict[str, None]):
        def __missing__(self, _key: str) -> None:
            return None

    for name, sql in queries.items():
        assert db.execute(f"EXPLAIN {sql}", Anything()).fetchall(), name
