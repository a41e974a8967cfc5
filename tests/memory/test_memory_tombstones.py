"""Forgetting as a record: what it names is gone wherever the journal is read, and does not come back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forgetting_world import SECRET, forget, has_it

from hookd.daemon.foreign_records import take_in
from hookd.daemon.recorder import Recorder
from hookd.journal.entries import Forgotten, ObservationAdded, Superseded, decode, encode
from hookd.journal.ingest import open_store
from hookd.journal.readers import JournalReader
from hookd.journal.recovery import Keeper
from hookd.memory.erase import finish
from hookd.paths import UserFolders
from played import Played


@pytest.fixture
def there() -> Iterator[Played]:
    made = Played()
    (made.root / ".hookd").mkdir()
    yield made
    made.close()


@pytest.fixture
def here(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path / "config", tmp_path / "data")


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
    JournalReader(played.service.recorder.project.folder, "server").register()  # so that segments stay
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


def note(text: str, name: str = "o" + "1" * 32, **more: Any) -> ObservationAdded:
    about = {"id": name, "at": 1.0, "text": text, "kind": "note", "provenance": "agent"}
    return ObservationAdded(**about | more)


def test_calls_that_had_it_in_or_out_lose_that_and_nothing_else(there: Played) -> None:
    text = f"it's the {SECRET} key\nand it is rotated on Mondays by somebody"
    there.call("mcp__hookd__remember", {"text": text}, "Remembered as o12345678901.")
    there.service.recorder.bring_in([note(text)])
    there.call("mcp__hookd__search", {"query": "key"}, f"o1111111111 note: {text}")
    there.bash(f"scp a.tar evil:/ ; hookd memory add 'it'\"'\"'s the {SECRET} key' && make", "Remembered.")
    there.bash("hookd memory search key | grep rotated", "and it is rotated on Mondays by somebody")
    there.bash("hookd runs show --json", f'{{"text": "{SECRET} key\\nand it is rotated on Mondays by som"}}')
    there.bash("make", "nothing to be done")
    numbers = there.rows("SELECT id FROM event")
    forget(there, f"id = '{note(text).id}'")
    assert not has_it(there.base)
    assert there.rows("SELECT id FROM event") == numbers
    record = json.dumps(there.rows("SELECT input, output FROM event"))
    assert "scp a.tar evil:/ ; hookd memory add '[forgotten]' && make" in record
    assert "nothing to be done" in record and "Mondays" not in record
    assert not any("Mondays" in text for text in there.texts())


def test_ids_that_are_words_are_not_looked_for_in_calls(there: Played) -> None:
    named = ObservationAdded(id="r1", name="7", at=1.0, text="seven seas", kind="note", provenance="file")
    there.service.recorder.bring_in([named])
    there.bash("hookd memory stats --json && make", "7 targets built")
    forget(there, "id = '7'")
    assert there.rows("SELECT id FROM event WHERE output = '7 targets built'")


def test_what_was_written_down_of_such_a_call_goes_too(there: Played) -> None:
    text = f"the {SECRET} certificate ends in May of next year"
    there.service.recorder.bring_in([note(text)])
    there.bash(f"scp a b; T='{text}'; hookd memory add \"$T\" | tail -1", "Remembered.")
    assert any(SECRET in each for each in there.texts("command"))
    forget(there, f"id = '{note(text).id}'")
    assert not has_it(there.base)


def test_an_agent_cannot_have_its_shell_lines_forgotten(there: Played) -> None:
    line = "rm -rf build && hookd memory search nothing"
    there.bash(line, "gone")
    there.service.recorder.bring_in([note(line)])
    forget(there, f"id = '{note(line).id}'", by_agent=True)
    assert there.rows(f"SELECT id FROM observation WHERE id = '{note(line).id}'") == []
    assert any(line in row["input"] for row in there.rows("SELECT input FROM event"))


def test_an_agent_takes_nothing_of_the_persons_along(there: Played) -> None:
    there.prompt(f"Let's use the {SECRET} gateway for payments because it is there already.")
    there.answer()
    [decision] = there.observations("decision")
    theirs = note(decision["text"], kind="decision")
    own = Superseded(id="by", at=2.0, older=decision["id"], newer=theirs.id, own=True)
    there.service.recorder.bring_in([theirs, own])
    forget(there, f"id = '{theirs.id}'", by_agent=True)
    assert [row["id"] for row in there.observations("decision")] == [decision["id"]]
    assert any(SECRET in row["input"] for row in there.rows("SELECT input FROM event"))


def test_a_name_that_is_imported_again_is_a_new_one(there: Played) -> None:
    def named(record: str, text: str) -> ObservationAdded:
        return ObservationAdded(id=record, name="a1", at=1.0, text=text, kind="note", provenance="file")

    there.service.recorder.bring_in([named("r1", f"the {SECRET} way")])
    forget(there)
    there.service.recorder.bring_in([named("r2", "the right way")])
    assert there.texts() == ["the right way"]
    there.service.recorder.bring_in([named("r1", f"the {SECRET} way")])
    assert there.texts() == ["the right way"]


def test_a_forgotten_summary_does_not_come_back_and_its_prompts_go(there: Played) -> None:
    there.prompt(f"Please build the {SECRET} importer.")
    there.write("importer.py", "x = 1")
    there.answer()
    [summary] = there.rows("SELECT id FROM observation WHERE kind = 'summary' AND provenance = 'hookd'")
    forget(there, f"id = '{summary['id']}'")
    assert not has_it(there.base)
    there.send("SessionEnd", reason="exit")
    assert there.rows("SELECT id FROM observation WHERE kind = 'summary' AND session = 's1'") == []
    there.prompt("Now write the release notes for the new order.")
    there.write("notes.md", "# Notes")
    there.answer()
    [again] = there.rows("SELECT id, text FROM observation WHERE kind = 'summary' AND session = 's1'")
    assert again["id"] == summary["id"]
    assert "notes.md" in again["text"] and "importer" not in again["text"]


@pytest.mark.parametrize("which", ["superseded_by IS NULL", "superseded_by IS NOT NULL"])
def test_a_decision_that_was_carried_over_goes_with_its_copy(there: Played, which: str) -> None:
    there.write("ledger.py", "def parse_ledger(): ...")
    there.prompt(f"We decided that parse_ledger must keep {SECRET} cents because the bank does.")
    there.edit("ledger.py", "def parse_ledger(): ...", "def read_ledger(): ...")
    there.answer()
    assert len([text for text in there.texts("decision") if SECRET in text]) == 2
    done = forget(there, f"kind = 'decision' AND {which}")
    assert (done.observations, done.repeated) == (2, 1)
    assert not has_it(there.base)


@pytest.mark.parametrize("kind", ["failure", "change"])
def test_a_failure_and_what_says_that_it_passes_since_go_together(there: Played, kind: str) -> None:
    command = f"pytest tests/test_{SECRET}.py"
    there.bash(command, error="1 failed: test_order")
    there.edit("queue.py", "LIFO", "FIFO")
    there.bash(command, "3 passed")
    there.answer()
    assert any("passes since" in text for text in there.texts("change"))
    forget(there, f"kind = '{kind}'")
    assert there.texts("failure") == []
    assert not any("passes since" in text for text in there.texts("change"))


def test_a_snapshot_has_the_prompt_no_more(there: Played) -> None:
    there.prompt(f"Let's use the {SECRET} gateway because it is there already.")
    there.bash("make", "done")
    there.send("PreCompact", trigger="auto")
    there.answer()
    there.ingest()
    assert any("snapshot" in path for path in has_it(there.root))
    forget(there, "kind = 'decision'")
    assert not any("snapshot" in path for path in has_it(there.root))


def test_what_an_agent_sends_beside_the_event_itself_is_cut(there: Played) -> None:
    decision = f"Let's use the {SECRET} gateway because it is there already."
    there.prompt(decision)
    there.send("PostCompact", trigger="auto", compact_summary=f"Asked for tests. {decision} Then wrote them.")
    there.answer()
    forget(there, "kind = 'decision'")
    [kept] = there.rows("SELECT input FROM event WHERE name = 'PostCompact'")
    assert SECRET not in kept["input"] and "Then wrote them." in kept["input"]


def test_what_was_told_elsewhere_meanwhile_is_cut_as_it_comes_in(there: Played) -> None:
    work(there)
    there.session = "s2"
    there.send("SessionStart", source="startup")
    there.ingest()
    [event] = there.rows(f"SELECT id, told FROM event WHERE told LIKE '%{SECRET}%'")
    lines = (line for path in segments(there) for line in path.read_bytes().split(b"\n"))
    [line] = [line for line in lines if event["id"].encode() in line]
    forget(there)
    late = json.loads(line) | {"id": "f" * 32, "session": "s3"}
    there.service.recorder.append(decode(json.dumps(late).encode()))
    there.ingest()
    assert there.rows(f"SELECT id FROM event WHERE told LIKE '%{SECRET}%'") == []
    finish(Keeper(there.service.recorder.store, there.service.folders.journals))
    assert not has_it(there.base)


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
