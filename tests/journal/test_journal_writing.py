"""Records while the journal's folder cannot be written: kept elsewhere, in order, and none twice."""

import errno
import os
import time
from pathlib import Path

import pytest
from journal_world import Journal, entry, numbers

from hookd.journal import segments as segments_module
from hookd.journal import writer as writer_module
from hookd.journal.entries import encode
from hookd.journal.segments import JournalWriter, segments
from hookd.journal.writer import Journal as Writer


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir(mode=0o700)
    return tmp_path / "run" / "spool" / "k"


@pytest.fixture
def writer(journal: Journal, spool: Path, monkeypatch: pytest.MonkeyPatch) -> Writer:
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.0)
    journal.project = journal.project._replace(spool=spool)
    return Writer(journal.folder, spool)


def block(folder: Path) -> None:
    """Takes a folder out of reach, for root too."""
    if folder.exists():
        folder.rename(folder.with_name(f"{folder.name}-away"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")


def unblock(folder: Path) -> None:
    folder.unlink()
    away = folder.with_name(f"{folder.name}-away")
    if away.exists():
        away.rename(folder)


def add(writer: Writer, first: int, last: int) -> None:
    for number in range(first, last):
        writer.append(encode(entry(number)))


def told(journal: Journal) -> list[str]:
    """What the sink was told of, in the order of reading."""
    journal.ingest()
    return journal.told


def test_the_spool_takes_over_and_hands_back(journal: Journal, writer: Writer, spool: Path) -> None:
    add(writer, 0, 3)
    writer.close()
    block(journal.folder)
    add(writer, 3, 6)
    assert writer.trouble.startswith("the journal cannot be written: ")
    assert len(list(segments(spool))) == 1
    unblock(journal.folder)
    add(writer, 6, 9)
    assert writer.trouble == ""
    assert told(journal) == numbers(9)
    writer.close()
    journal.ingest()
    assert journal.told == numbers(9)
    assert list(segments(spool)) == []
    assert writer.lost == 0


def test_memory_takes_what_the_spool_does_not(journal: Journal, writer: Writer, spool: Path) -> None:
    block(journal.folder)
    block(spool)
    add(writer, 0, 5)
    unblock(spool)
    add(writer, 5, 8)
    block(spool)
    writer._spool.close()  # type: ignore[union-attr]
    add(writer, 8, 9)
    unblock(spool)
    unblock(journal.folder)
    add(writer, 9, 12)
    writer.close()
    assert told(journal) == numbers(12)
    assert writer.lost == 0


def test_memory_is_bounded_and_what_is_lost_is_counted(
    journal: Journal, writer: Writer, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MEMORY_RECORDS", 10)
    block(journal.folder)
    block(spool)
    add(writer, 0, 15)
    unblock(journal.folder)
    add(writer, 15, 16)
    assert writer.lost == 6
    writer.close()
    assert told(journal) == numbers(16)[6:]


def test_what_waits_is_written_at_the_end(journal: Journal, writer: Writer, spool: Path) -> None:
    block(journal.folder)
    block(spool)
    add(writer, 0, 3)
    unblock(journal.folder)
    writer.close()
    assert (writer.lost, writer.trouble) == (0, "")
    assert told(journal) == numbers(3)


def test_a_disk_that_flaps_keeps_the_order(
    journal: Journal, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full in the middle of writing, again and again, at every place that a record can go to."""
    whole_write, count = os.write, 0

    def sometimes_full(descriptor: int, data: bytes) -> int:
        nonlocal count
        count += 1
        if count % 3 == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole_write(descriptor, data[:9] if count % 5 == 0 else data)

    with monkeypatch.context() as full:
        full.setattr(os, "write", sometimes_full)
        add(writer, 0, 200)
    writer.close()
    assert told(journal) == numbers(200)
    assert journal.problems() == {}


def test_a_spool_in_a_folder_that_others_can_write_to_is_neither_written_nor_read(
    journal: Journal, writer: Writer, spool: Path
) -> None:
    spool.parents[1].chmod(0o777)
    block(journal.folder)
    add(writer, 0, 2)
    assert not spool.exists()
    unblock(journal.folder)
    forged = JournalWriter(spool)
    forged.append(encode(entry("forged")))
    forged.close()
    writer.close()
    assert told(journal) == numbers(2)


def test_a_clock_that_is_set_back_does_not_change_the_order(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()
    clock = iter([now, now - 10**18, now + 5, now - 10**15, now + 10**9] + [now - 7] * 100)
    monkeypatch.setattr(segments_module.time, "time_ns", lambda: next(clock))
    writer = JournalWriter(journal.folder, rotate_bytes=200)
    journal.write(*(entry(number) for number in range(20)), writer=writer)
    assert len(journal.segments()) > 5
    writer.close()
    assert told(journal) == numbers(20)


def test_a_position_beyond_the_end_does_not_hide_what_is_there(journal: Journal) -> None:
    writer = JournalWriter(journal.folder)
    journal.write(*(entry(number) for number in range(5)), writer=writer)
    journal.ingest()
    [path] = journal.segments()
    os.truncate(path, 0)
    journal.write(entry(7), writer=writer)
    assert journal.ingest() == 1
    writer.close()
