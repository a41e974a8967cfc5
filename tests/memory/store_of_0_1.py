"""A store as hookd 0.1 left it, with all that one observation of it can have to do with another."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from memory_world import HERE, THERE

from hookd.journal.ingest import open_store
from hookd.memory.repository.statements import migrations
from hookd.store.database import connect
from hookd.store.engine import Store
from hookd.store.migrations import Migration, load_migrations, migrate

ROWS = 40
# What it had; by now there is more.
LAST = {"journal": 3, "tasks": 1, "memory": 4}


def migrations_of_0_1() -> list[Migration]:
    return [
        each
        for owner, last in LAST.items()
        for each in load_migrations(f"hookd.{owner}")
        if each.number <= last
    ]


def make(path: Path) -> Path:
    """Two projects that have the same ids, superseded facts, links, and a forgetting that was killed."""
    with closing(connect(path)) as db:
        migrate(db, migrations_of_0_1())
        db.execute("ALTER TABLE applied_migration RENAME TO migration")
        for number, place in enumerate((HERE, THERE), 1):
            db.execute("INSERT INTO project VALUES (?, ?, 1)", place[:2])
            db.execute("INSERT INTO memory_place VALUES (?, ?)", (number, place.key))
            _fill(db, number)
        db.execute("INSERT INTO forgotten VALUES (900, 'event-of-it', ?)", (HERE.root,))
        db.execute("INSERT INTO forgotten VALUES (900, '', ?)", (HERE.root,))
        db.execute("INSERT INTO forgotten VALUES (901, '', ?)", (HERE.root,))
    return path


def _fill(db: sqlite3.Connection, place: int) -> None:
    first = (place - 1) * ROWS + 1
    for seq in range(first, first + ROWS):
        number = seq - first
        kind = "failure" if number % 4 == 0 else "decision"
        db.execute(
            "INSERT INTO observation (seq, id, place, at, kind, provenance, text, tool, path, session, task,"
            " prompt, event, tool_use, importance, likeness, repeatable)"
            " VALUES (?, ?, ?, ?, ?, 'person', ?, '', '', 's', '', '', ?, '', 0.5, ?, 1)",
            (seq, f"o{number:010x}", place, 1e9 + seq, kind, f"fact {number} of {place}", f"e{seq}", seq),
        )
        db.execute(
            "INSERT INTO observation_word (rowid, words) VALUES (?, ?)", (seq, f"fact {number} of {place}")
        )
        db.execute("INSERT INTO observation_path VALUES (?, ?)", (f"src/{number}.py", seq))
        if number % 3 == 1:
            db.execute("UPDATE observation SET superseded_by = ? WHERE seq = ?", (seq, seq - 1))
        if number % 4 == 1:
            db.execute("INSERT INTO observation_link VALUES (?, ?, 'tried')", (seq - 1, seq))
            db.execute("INSERT INTO observation_link VALUES (?, ?, 'fixed_by')", (seq - 1, seq))
            db.execute("INSERT INTO failure_key VALUES (?, ?, ?, '[]')", (place, f"k{number}", seq - 1))


def up_to_date(path: Path) -> Store:
    """The store with memory, as today's hookd opens it."""
    store = open_store(path)
    store.adopt([*load_migrations("hookd.tasks"), *migrations()])
    return store


def copied(path: Path, to: Path) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, to)
    return to


def dump(path: Path) -> list[str]:
    """All of its tables; when each migration was applied aside."""
    with closing(sqlite3.connect(path)) as db:
        return [line for line in db.iterdump() if "applied_migration" not in line and "_word" not in line]
