"""Line files and documents: readable after a crash, unchanged by being told twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from hookd.runs.files import MAX_REMEMBERED, LineFiles, write_document


def line(event: str, n: int = 0, **more: Any) -> dict[str, Any]:
    return {"event": event, "n": n, **more}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text().splitlines()]


def test_lines_are_appended_once(tmp_path: Path) -> None:
    files, path = LineFiles(), tmp_path / "a.jsonl"
    files.append(path, [line("e1"), line("e1", 1)])
    files.append(path, [line("e1", 1), line("e2")])
    assert read(path) == [line("e1"), line("e1", 1), line("e2")]


def test_another_process_knows_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    LineFiles().append(path, [line("e1")])
    LineFiles().append(path, [line("e1"), line("e2")])
    assert read(path) == [line("e1"), line("e2")]


def test_what_another_process_wrote_meanwhile_counts(tmp_path: Path) -> None:
    files, path = LineFiles(), tmp_path / "a.jsonl"
    files.append(path, [line("e1")])
    LineFiles().append(path, [line("e2")])
    files.append(path, [line("e2"), line("e3")])
    assert read(path) == [line("e1"), line("e2"), line("e3")]


@pytest.mark.parametrize("cut", range(1, len(b'{"event":"e2","n":0}\n')))
def test_a_line_that_a_crash_cut_short_is_written_again(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    LineFiles().append(path, [line("e1"), line("e2")])
    path.write_bytes(path.read_bytes()[:-cut])
    LineFiles().append(path, [line("e2"), line("e3")])
    assert read(path) == [line("e1"), line("e2"), line("e3")]


def test_a_file_that_a_person_wrote_into_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("not json\n[1]\n")
    LineFiles().append(path, [line("e1")])
    assert path.read_text() == 'not json\n[1]\n{"event":"e1","n":0}\n'


def test_nothing_to_say_makes_no_file(tmp_path: Path) -> None:
    LineFiles().append(tmp_path / "a.jsonl", [])
    assert list(tmp_path.iterdir()) == []


def test_many_files_do_not_fill_the_memory(tmp_path: Path) -> None:
    files = LineFiles()
    for number in range(MAX_REMEMBERED + 5):
        files.append(tmp_path / f"{number}.jsonl", [line("e1")])
    assert len(files._known) == MAX_REMEMBERED
    files.append(tmp_path / "0.jsonl", [line("e1")])
    assert read(tmp_path / "0.jsonl") == [line("e1")]


def test_a_document_is_put_in_place_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_document(path, {"a": 1})
    write_document(path, {"a": 2})
    assert json.loads(path.read_text()) == {"a": 2}
    assert [found.name for found in tmp_path.iterdir()] == ["run.json"]
