"""Segments of another machine: taken in under another home, user and time zone, as often as one likes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookd.daemon.foreign_records import take_in
from hookd.journal.entries import ObservationAdded
from hookd.journal.ingest import open_store
from hookd.paths import UserFolders
from played import Played

WHAT = (
    "SELECT id, kind, text, detail, path, session, task, provenance, repeatable, at, superseded_by"
    " FROM observation ORDER BY id"
)


def a_day(there: Played) -> None:
    """Sessions with a decision that another one reverses, a failure and what mended it, and a note."""
    there.send("SessionStart", source="startup")
    there.prompt("Let's use Redis for the queue because it is there already.")
    there.bash("pytest tests/test_queue.py", error="1 failed: test_order")
    there.edit("queue.py", "LIFO", "FIFO")
    there.bash("pytest tests/test_queue.py", output="3 passed")
    there.answer("The order is right now.")
    there.send("SessionEnd", reason="exit")
    there.session = "s2"
    there.prompt("Let's use Postgres instead of Redis for the queue.")
    there.answer()
    there.ingest()
    note = ObservationAdded(
        id="o1", at=1.0, text="The staging queue is slow", kind="note", provenance="person"
    )
    there.service.recorder.bring_in([note])


@pytest.fixture
def there() -> Iterator[Played]:
    made = Played()
    (made.root / ".hookd").mkdir()
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path / "config", tmp_path / "data")


def segments(of: Played) -> list[Path]:
    folder = of.service.recorder.project.folder
    return [path for path in folder.rglob("*.jsonl") if path.name[0] != "."]


def rows(folders: UserFolders, sql: str) -> list[tuple[Any, ...]]:
    with open_store(folders.database).reading() as db:
        return [tuple(row) for row in db.rows(sql)]


def test_another_home_and_time_zone_has_the_same_memory_however_often_it_reads(
    there: Played, here: UserFolders
) -> None:
    a_day(there)
    files = {path: path.stat().st_mtime_ns for path in (there.root / ".hookd").rglob("*") if path.is_file()}
    assert files
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from hookd.daemon.foreign_records import take_in\n"
        "from hookd.paths import UserFolders\n"
        "folders = UserFolders(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "print(json.dumps(take_in(folders, map(Path, sys.argv[3:]))))\n"
    )
    words = [str(here.config), str(here.data), *map(str, segments(there))]
    for zone, expected in (("Asia/Tokyo", True), ("America/New_York", False)):
        env = {"TZ": zone, "HOME": str(here.data), "PATH": os.environ["PATH"]}
        done = subprocess.run([sys.executable, "-c", code, *words], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        events, problems = json.loads(done.stdout)
        assert (bool(events), problems) == (expected, [])
    assert rows(here, WHAT) == rows(there.service.folders, WHAT)
    assert rows(here, "SELECT id, name, at FROM event ORDER BY id") == rows(
        there.service.folders, "SELECT id, name, at FROM event ORDER BY id"
    )
    links = "SELECT from_id, to_id, kind FROM observation_link ORDER BY 1, 2, 3"
    assert rows(here, links) == rows(there.service.folders, links) != []
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert all(path.exists() for path in segments(there))


def test_nothing_of_it_is_taken_for_a_project_here(there: Played, here: UserFolders) -> None:
    a_day(there)
    take_in(here, segments(there))
    keys = {row[0] for row in rows(here, "SELECT key FROM project")}
    assert keys and there.service.key not in keys
    assert all(root.startswith("hookd://") for (root,) in rows(here, "SELECT root FROM project"))
    assert not (here.data / "grants").exists()


def test_what_does_not_say_whose_it_is_or_is_our_own_is_named_and_left(
    there: Played, here: UserFolders, tmp_path: Path
) -> None:
    a_day(there)
    nameless = tmp_path / "00000000000000000001-1-aaaaaaaa.jsonl"
    nameless.write_text('{"t":"event","id":"x","at":1,"agent":"a","event":"Stop"}\n')
    done = take_in(here, [nameless])
    assert (done.events, done.problems) == (0, [f"{nameless.name} does not say whose records it has"])
    done = take_in(there.service.folders, segments(there))
    assert done.events == 0
    assert all("is of this machine" in problem for problem in done.problems) and done.problems


def test_a_clock_that_is_years_ahead_and_a_newer_schema_do_no_harm(
    there: Played, here: UserFolders, tmp_path: Path
) -> None:
    a_day(there)
    first = min(segments(there))
    origin = json.loads(first.read_bytes().splitlines()[0])
    ahead = tmp_path / "09999999999999999999-1-aaaaaaaa.jsonl"
    event = {"t": "event", "id": "a" * 32, "at": time.time() + 9e8, "agent": "claude-code", "event": "Stop"}
    ahead.write_text("\n".join(map(json.dumps, (origin, event | {"session": "future"}))) + "\n")
    newer = tmp_path / "00000000000000000002-1-aaaaaaaa.jsonl"
    newer.write_text(json.dumps(origin | {"v": 99}) + "\n" + json.dumps(event | {"id": "b" * 32}) + "\n")
    for _ in range(2):
        take_in(here, [*segments(there), ahead, newer])
    assert rows(here, "SELECT count(*) FROM event WHERE id IN ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')") == [(1,)]
    assert rows(here, "SELECT count(*) FROM event WHERE id LIKE 'bbbb%'") == [(0,)]
    assert any("newer hookd" in what for (what,) in rows(here, "SELECT what FROM problem"))
    assert rows(here, WHAT) == rows(there.service.folders, WHAT)
