"""Forgetting as a record: what it names is gone wherever the journal is read, and does not come back."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hookd.daemon.foreign_records import take_in
from hookd.daemon.recorder import Recorder, recording
from hookd.journal.entries import Forgotten, ObservationAdded, decode, encode
from hookd.journal.ingest import open_store
from hookd.journal.readers import Reader
from hookd.journal.recovery import Keeper
from hookd.memory.erase import finish
from hookd.memory.forget import Done
from hookd.memory.forget import forget as forget_numbers
from hookd.paths import UserFolders
from played import Played

SECRET = "zanzibarquokka"


@pytest.fixture
def there() -> Iterator[Played]:
    made = Played()
    (made.root / ".hookd").mkdir()
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path / "config", tmp_path / "data")


def forget(played: Played, sql: str = f"text LIKE '%{SECRET}%'", **how: Any) -> Done:
    numbers = [row["seq"] for row in played.rows(f"SELECT seq FROM observation WHERE {sql}")]
    assert numbers
    folders = played.service.folders
    keeper = Keeper(played.service.recorder.store, folders.journals)
    return forget_numbers(keeper, numbers, str(played.root), partial(recording, folders), **how)


def has_it(*folders: Path) -> list[str]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in files if SECRET.encode() in path.read_bytes().lower()]


def journal(played: Played) -> list[Any]:
    """Every record that the project's journal has, in the order of its files."""
    paths = sorted(segments(played), key=lambda path: path.name)
    return [decode(line) for path in paths for line in path.read_bytes().split(b"\n") if line.strip()]


def segments(played: Played) -> list[Path]:
    folder = played.service.recorder.project.folder
    return [path for path in folder.rglob("*.jsonl") if path.name[0] != "."]


def rows(folders: UserFolders, sql: str) -> list[tuple[Any, ...]]:
    with open_store(folders.database).reading() as db:
        return [tuple(row) for row in db.rows(sql)]


def work(played: Played) -> None:
    Reader(played.service.recorder.project.folder, "server").register()  # so that segments stay
    played.send("SessionStart", source="startup")
    played.prompt(f"Let's use the {SECRET} gateway for payments because it is there already.")
    played.bash(f"pytest tests/test_{SECRET}.py", error="1 failed: test_order")
    played.edit("queue.py", "LIFO", "FIFO")
    played.answer("The order is right now.")
    played.send("SessionEnd", reason="exit")
    played.ingest()


def test_the_record_has_names_and_not_a_word(there: Played) -> None:
    work(there)
    forget(there)
    [record] = [each for each in journal(there) if isinstance(each, Forgotten)]
    assert record.observations and record.records and record.tree == there.place.tree
    assert SECRET not in repr(record)
    assert not has_it(there.base)
    assert any("FIFO" in text for text in there.texts())


def test_another_home_lets_go_of_what_it_had_taken_in_before(there: Played, here: UserFolders) -> None:
    work(there)
    take_in(here, segments(there))
    assert has_it(here.data)
    forget(there)
    for _ in range(2):
        assert take_in(here, segments(there)).problems == []
        what = "SELECT id, kind, text, path, session, at FROM observation ORDER BY id"
        assert rows(here, what) == rows(there.service.folders, what) != []
        of_events = "SELECT id, name, told, input, output FROM event ORDER BY id"
        assert rows(here, of_events) == rows(there.service.folders, of_events)
    keeper = Keeper(open_store(here.database), here.journals)
    finish(keeper)
    assert not has_it(here.data)


def test_segments_that_were_copied_before_bring_nothing_back(there: Played, tmp_path: Path) -> None:
    work(there)
    there.service.recorder.close()
    copies = [tmp_path / path.name for path in segments(there)]
    for path, copy in zip(segments(there), copies, strict=True):
        copy.write_bytes(path.read_bytes())
    assert has_it(tmp_path)
    forget(there)
    # The record that forgets comes first, in one batch or in two, or last.
    last = [path for path in segments(there) if path.name not in {copy.name for copy in copies}]
    orders: list[list[list[Path]]] = [
        [[*last, *copies]],
        [last, copies],
        [copies, last],
        [copies, last, copies],
    ]
    for number, batches in enumerate(orders):
        folders = UserFolders(tmp_path / f"c{number}", tmp_path / f"d{number}")
        for batch in batches:
            assert take_in(folders, batch).problems == []
        assert rows(folders, f"SELECT text FROM observation WHERE text LIKE '%{SECRET}%'") == []
        assert rows(folders, "SELECT text FROM observation WHERE text LIKE '%FIFO%'") != []
        assert (
            rows(folders, f"SELECT id FROM event WHERE input LIKE '%{SECRET}%' OR output LIKE '%{SECRET}%'")
            == []
        )


def test_another_machine_forgets_its_own_and_nobody_elses(there: Played, tmp_path: Path) -> None:
    """A segment that names this machine's records as forgotten, and its work tree."""
    work(there)
    mine = [(row["id"], row["event"]) for row in there.rows("SELECT id, event FROM observation")]
    events = there.rows("SELECT id FROM event ORDER BY id")
    forged = Forgotten(
        id="f" * 32,
        at=1.0,
        records=tuple(row["id"] for row in events) + tuple(name for pair in mine for name in pair if name),
        observations=tuple(name for name, _ in mine),
        quoting=tuple(row["id"] for row in events),
        repeating=tuple(row["id"] for row in events),
        tree=there.place.tree,
    )
    origin = {"t": "segment", "v": 1, "project": there.place.identity, "checkout": there.place.key}
    origin |= {
        "root": str(there.root),
        "machine": "e" * 32,
        "user": "mallory",
        "writer": "w",
        "tree": there.place.tree,
    }
    segment = tmp_path / "00000000000000000001-1-aaaaaaaa.jsonl"
    segment.write_bytes(json.dumps(origin).encode() + b"\n" + encode(forged) + b"\n")
    before = (
        there.rows("SELECT * FROM event ORDER BY id"),
        there.rows("SELECT * FROM observation ORDER BY id"),
    )
    files = {path: path.read_bytes() for path in (there.root / ".hookd").rglob("*") if path.is_file()}
    assert take_in(there.service.folders, [segment]).problems == []
    finish(Keeper(there.service.recorder.store, there.service.folders.journals))
    assert (
        there.rows("SELECT * FROM event ORDER BY id"),
        there.rows("SELECT * FROM observation ORDER BY id"),
    ) == before
    assert {path: path.read_bytes() for path in files} == files
    there.send("SessionStart", source="startup")
    assert any(
        SECRET in row["told"] for row in there.rows("SELECT told FROM event WHERE name = 'SessionStart'")
    )


def test_a_database_that_is_lost_comes_back_without_it(there: Played) -> None:
    work(there)
    forget(there)
    there.service.recorder.store.close()
    kept = there.service.folders.database
    texts = there.texts()
    there.service.close()
    for path in kept.parent.glob("hookd.db*"):
        if path.is_file():
            path.unlink()
    for path in (kept.parent / "backups").glob("*"):
        path.unlink()
    again = Keeper(open_store(kept), there.service.folders.journals)
    again.store.lock.mark()
    assert again.mend() is not None
    Recorder(str(there.root), there.service.folders).close()
    found = [text for (text,) in rows(there.service.folders, "SELECT text FROM observation ORDER BY seq")]
    assert [text for text in found if SECRET in text] == []
    assert any("FIFO" in text for text in found) and any("FIFO" in text for text in texts)
    assert not has_it(there.base)


def test_what_a_session_was_told_goes_line_by_line(there: Played) -> None:
    work(there)
    there.prompt("Let's use Postgres for the ledger because it is there already.")
    there.answer()
    there.session = "s2"
    there.send("SessionStart", source="startup")
    told = there.rows("SELECT id, told FROM event WHERE session = 's2'")
    assert any(SECRET in row["told"] and "Postgres" in row["told"] for row in told)
    [run] = [path for path in (there.root / ".hookd/runs").iterdir() if SECRET in _injected(path)]

    forget(there, f"kind != 'summary' AND text LIKE '%{SECRET}%'")

    told = there.rows("SELECT id, told FROM event WHERE session = 's2'")
    assert not any(SECRET in row["told"] for row in told)
    assert any("Postgres" in row["told"] and "[forgotten]" in row["told"] for row in told)
    assert SECRET not in _injected(run) and "Postgres" in _injected(run)
    of_journal = [each for each in journal(there) if getattr(each, "event", "") == "SessionStart"]
    assert any("Postgres" in repr(each) for each in of_journal)
    assert not any(SECRET in repr(each) for each in of_journal)


def _injected(run: Path) -> str:
    path = run / "injections.jsonl"
    return path.read_text() if path.exists() else ""


def test_calls_that_had_it_in_or_out_lose_that(there: Played) -> None:
    text = f"the {SECRET} key is rotated on Mondays"
    there.call("mcp__hookd__remember", {"text": text}, "Remembered as o12345678901.")
    note = ObservationAdded(id="o" + "1" * 32, at=1.0, text=text, kind="note", provenance="agent")
    there.service.recorder.bring_in([note])
    there.call("mcp__hookd__search", {"query": "key"}, f"o1111111111 note: {text}")
    there.bash(f"hookd memory add '{text}' && make", "Remembered.")
    there.bash("make", "nothing to be done")
    numbers = there.rows("SELECT id FROM event")
    forget(there, f"id = '{note.id}'")
    assert not has_it(there.base)
    assert there.rows("SELECT id FROM event") == numbers
    assert there.rows("SELECT id FROM event WHERE output = 'nothing to be done'")


def test_an_agent_cannot_have_its_shell_lines_forgotten(there: Played) -> None:
    line = "rm -rf build && hookd memory search nothing"
    there.bash(line, "gone")
    note = ObservationAdded(id="o" + "1" * 32, at=1.0, text=line, kind="note", provenance="agent")
    there.service.recorder.bring_in([note])
    forget(there, f"id = '{note.id}'", by_agent=True)
    assert there.rows(f"SELECT id FROM observation WHERE id = '{note.id}'") == []
    assert any(line in row["input"] for row in there.rows("SELECT input FROM event"))


def test_a_name_that_is_imported_again_is_a_new_one(there: Played) -> None:
    def named(record: str, text: str) -> ObservationAdded:
        return ObservationAdded(id=record, name="a1", at=1.0, text=text, kind="note", provenance="file")

    there.service.recorder.bring_in([named("r1", f"the {SECRET} way")])
    forget(there)
    there.service.recorder.bring_in([named("r2", "the right way")])
    assert there.texts() == ["the right way"]
    there.service.recorder.bring_in([named("r1", f"the {SECRET} way")])
    assert there.texts() == ["the right way"]


def test_a_summary_stays_forgotten_until_its_session_goes_on(there: Played) -> None:
    work(there)
    [summary] = there.rows("SELECT id FROM observation WHERE kind = 'summary' AND provenance = 'hookd'")
    forget(there, f"id = '{summary['id']}'")
    there.send("PreCompact", session_id="other", trigger="auto")
    assert there.rows("SELECT id FROM observation WHERE kind = 'summary' AND session = 's1'") == []
    there.prompt("Now write the release notes for the new order.")
    there.answer()
    assert there.rows("SELECT id FROM observation WHERE kind = 'summary' AND session = 's1'") == [summary]


def test_a_hand_over_that_cannot_be_written_does_not_keep_it_from_being_forgotten(there: Played) -> None:
    work(there)
    current = there.root / ".hookd" / "CURRENT.md"
    current.unlink()
    current.symlink_to(there.base / "elsewhere")
    forget(there)
    assert there.service.recorder.store is not None
    with there.service.recorder.store.reading() as db:
        assert db.rows(f"SELECT 1 FROM observation WHERE text LIKE '%{SECRET}%'") == []
        assert any("hand-over" in row["what"] for row in db.rows("SELECT what FROM problem"))
