"""Whose records a segment has: its first line says so, and every record has its writer's number."""

import json
from pathlib import Path
from typing import Any

import pytest
from journal_world import Journal, entry

from hookd.journal.entries import SCHEMA, Origin, decode, encode
from hookd.journal.erase import change_lines, id_of
from hookd.journal.segments import JournalWriter, segments
from hookd.journal.writer import Journal as Writing

ORIGIN = Origin(
    v=SCHEMA,
    project="p" * 32,
    checkout="k" * 64,
    root="/some/project",
    machine="m" * 32,
    user="ada",
    writer="w" * 32,
)


def writing(journal: Journal, **changed: Any) -> Writing:
    fields = {name: getattr(ORIGIN, name) for name in Origin.__struct_fields__}
    return Writing(journal.folder, None, lambda: encode(Origin(**fields | changed)))


def lines_of(path: Path) -> list[Any]:
    return [decode(line) for line in path.read_bytes().splitlines() if line]


def test_every_segment_says_whose_it_is_and_records_are_numbered_through(journal: Journal) -> None:
    writer = JournalWriter(journal.folder, rotate_bytes=10, origin=lambda: encode(ORIGIN))
    for number in range(3):
        writer.append(encode(entry(number)))
    writer.close()
    assert [lines_of(path)[0] for path in segments(journal.folder)] == [ORIGIN] * 3
    for path in segments(journal.folder):
        path.unlink()
    ours = writing(journal)
    for number in range(3):
        ours.append(encode(entry(number)))
    ours.close()
    [path] = segments(journal.folder)
    assert [each.n for each in lines_of(path)[1:]] == [1, 2, 3]


def test_events_are_known_by_machine_and_user_wherever_the_reading_goes_on(journal: Journal) -> None:
    ours, theirs = writing(journal), writing(journal, machine="n" * 32, user="bob")
    for number, writer in enumerate((ours, theirs, ours, theirs)):
        writer.append(encode(entry(number)))
        journal.ingest()  # each time from the middle of a segment
    ours.close()
    theirs.close()
    journal.write(entry(9))  # a segment of 0.1
    journal.ingest()
    found = journal.query(
        "SELECT event.id, user FROM event LEFT JOIN writer ON number = event.writer ORDER BY event.id"
    )
    assert found == [("0", "ada"), ("1", "bob"), ("2", "ada"), ("3", "bob"), ("9", None)]
    assert journal.query("SELECT count(*) FROM writer") == [(2,)]


def test_a_segment_of_a_newer_hookd_waits_for_it(journal: Journal) -> None:
    newer = writing(journal, v=SCHEMA + 1)
    newer.append(b'{"t":"something","id":"x"}')
    newer.append(encode(entry(1)))
    newer.close()
    journal.write(entry(2))
    for _ in range(2):
        journal.ingest()
    assert journal.ids() == ["2"]
    assert list(journal.problems().values()) == [1] and "newer hookd" in next(iter(journal.problems()))
    assert len(journal.segments()) == 1, "it is neither taken in nor thrown away"


@pytest.mark.parametrize(
    "first", [b"", b"{}", b"\xff", b"[" * 5000, b'{"t":"segment"}', b'{"t":"segment","v":"x"}']
)
def test_a_first_line_that_says_nothing_costs_no_record_but_itself(journal: Journal, first: bytes) -> None:
    journal.folder.mkdir(parents=True)
    (journal.folder / "1-1.jsonl").write_bytes(first + b"\n" + encode(entry(1)) + b"\n")
    journal.ingest()
    assert journal.ids() == ["1"]
    assert sum(journal.problems().values()) == (1 if first else 0)


def test_forgetting_records_leaves_the_first_line(journal: Journal) -> None:
    ours = writing(journal)
    for number in range(3):
        ours.append(encode(entry(str(number))))
    ours.close()
    [path] = journal.segments()
    assert change_lines(path, lambda line: b"" if id_of(line) in ("0", "2") else None) == 2
    [path] = segments(journal.folder)
    assert [json.loads(line)["t"] for line in path.read_bytes().splitlines() if line] == ["segment", "event"]
    journal.ingest()
    assert journal.ids() == ["1"]
