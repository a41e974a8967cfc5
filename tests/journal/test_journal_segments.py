"""The journal's files: what was appended is there, whole, whatever happens to the writer or the disk."""

import errno
import fcntl
import json
import os
import signal
import stat
from pathlib import Path

import pytest
from journal_world import Journal, entry, finish, numbers

from hookd.journal.entries import Entry, HookCall, Problem, decode, encode
from hookd.journal.segments import JournalWriter, read_tail, segments

ENTRY = entry(1)


def lines(path: Path) -> list[bytes]:
    return read_tail(path, 0).lines


def is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@pytest.mark.parametrize(
    "record",
    [
        ENTRY,
        entry("x", tool="Bash", verdict="deny", by="guard.x", hooks=2, ms=1.5, turn=3, detail="startup"),
        Problem(id="p", at=1.0, kind="hook", what="guard.x failed\nbadly", session="s"),
    ],
)
def test_a_record_is_one_line_and_comes_back(record: Entry | Problem) -> None:
    line = encode(record)
    assert b"\n" not in line
    assert decode(line) == record


def test_a_record_that_names_what_is_no_text_is_written_all_the_same() -> None:
    odd = os.fsdecode(b"/od\xff.py")
    problem = decode(encode(Problem(id="p", at=1.0, kind="hook file", what=f"{odd}: broken")))
    assert problem == Problem(id="p", at=1.0, kind="hook file", what="/od?.py: broken")
    assert decode(encode(entry("x", by=odd, hooks=3))) == entry("x", by="/od?.py", hooks=3)
    calls = (HookCall(odd, 3), HookCall("guard.x", 4, "deny"))
    assert decode(encode(entry("x", hook_calls=calls))) == entry(
        "x", hook_calls=(HookCall("/od?.py", 3), calls[1])
    )


def test_hook_calls_take_little_room_and_a_later_version_may_say_more_of_them() -> None:
    line = encode(entry("x", hook_calls=(HookCall("guard.x", 148), HookCall("gate.judge", 2, "deny"))))
    assert b'"hook_calls":[["guard.x",148,""],["gate.judge",2,"deny"]]' in line
    assert decode(line.replace(b'148,""]', b"148]").replace(b'"deny"]', b'"deny",{"more":1}]')) == decode(
        line
    )


def test_what_is_appended_is_there_at_once(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "journal")
    writer.append(b"one")
    writer.append(b"two")
    [path] = segments(tmp_path / "journal")
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    writer.close()


def test_nothing_is_created_before_the_first_record(tmp_path: Path) -> None:
    JournalWriter(tmp_path / "journal").close()
    assert not (tmp_path / "journal").exists()
    assert list(segments(tmp_path / "journal")) == []


def test_a_segment_is_locked_while_its_writer_lives(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path)
    writer.append(b"one")
    [path] = segments(tmp_path)
    assert is_locked(path)
    assert not read_tail(path, 0).finished
    writer.close()
    assert not is_locked(path)
    assert read_tail(path, 0).finished


def test_a_long_journal_is_cut_into_segments_in_order(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path, rotate_bytes=20)
    for number in range(10):
        writer.append(b"record %d" % number)
    paths = list(segments(tmp_path))
    assert len(paths) > 2
    assert [line for path in paths for line in lines(path)] == [b"record %d" % n for n in range(10)]
    assert [is_locked(path) for path in paths] == [False] * (len(paths) - 1) + [True]
    writer.close()


def test_a_closed_writer_goes_on_in_a_new_segment(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path)
    writer.append(b"one")
    writer.close()
    writer.append(b"two")
    assert [lines(path) for path in segments(tmp_path)] == [[b"one"], [b"two"]]
    writer.close()


def test_only_segments_are_listed(tmp_path: Path) -> None:
    for name in ("ingest.lock", ".20.jsonl", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "2.jsonl").touch()
    (tmp_path / "1.jsonl").touch()
    assert [path.name for path in segments(tmp_path)] == ["1.jsonl", "2.jsonl"]


@pytest.mark.parametrize(
    ("content", "offset", "wanted", "end", "torn"),
    [
        (b"", 0, [], 0, False),
        (b"a\nb\n", 0, [b"a", b"b"], 4, False),
        (b"a\nb\n", 2, [b"b"], 4, False),
        (b"a\nb\n", 4, [], 4, False),
        (b"a\nhalf", 0, [b"a"], 2, True),
        (b"half", 0, [], 0, True),
        (b"a\n\n\nb\n", 0, [b"a", b"b"], 6, False),
    ],
)
def test_the_lines_after_an_offset(
    tmp_path: Path, content: bytes, offset: int, wanted: list[bytes], end: int, torn: bool
) -> None:
    path = tmp_path / "1.jsonl"
    path.write_bytes(content)
    assert read_tail(path, offset)[:4] == (wanted, end, torn, True)


def test_a_line_that_is_still_being_written_is_not_torn(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    path.write_bytes(b"a\nhalf")
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert read_tail(path, 0)[:4] == ([b"a"], 2, False, False)


def test_after_a_short_write_the_next_record_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = JournalWriter(tmp_path)
    writer.append(b"first")
    whole_write = os.write
    with monkeypatch.context() as full_disk:
        full_disk.setattr(os, "write", lambda descriptor, data: whole_write(descriptor, data[:3]))
        with pytest.raises(OSError, match="only 3 of 7 bytes"):
            writer.append(b"second")
    writer.append(b"third")
    [path] = segments(tmp_path)
    assert lines(path) == [b"first", b"third"]
    writer.close()


def test_after_a_write_that_failed_the_next_record_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "no space")

    writer = JournalWriter(tmp_path)
    writer.append(b"first")
    with monkeypatch.context() as full_disk:
        full_disk.setattr(os, "write", no_space)
        with pytest.raises(OSError, match="no space"):
            writer.append(b"second")
    writer.append(b"third")
    [path] = segments(tmp_path)
    assert lines(path) == [b"first", b"third"]
    writer.close()


def test_a_segment_that_cannot_be_made_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_self: Path, _target: Path) -> Path:
        raise OSError(errno.ENOSPC, "no space")

    writer = JournalWriter(tmp_path)
    open_files = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as full_disk:
        full_disk.setattr(Path, "rename", no_space)
        for _ in range(3):
            with pytest.raises(OSError, match="no space"):
                writer.append(b"first")
    assert len(os.listdir("/proc/self/fd")) == open_files
    assert list(tmp_path.iterdir()) == []
    writer.append(b"first")
    writer.close()
    assert [lines(path) for path in segments(tmp_path)] == [[b"first"]]


FILLING = """
import resource
from journal_world import *

journal = Journal(Path(sys.argv[1]))
writer = JournalWriter(journal.folder)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
kept, lost = [], []
for number in range(60):
    if number == 40:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    try:
        writer.append(encode(entry(number, detail="x" * 50)))
        kept.append(str(number))
    except OSError:
        lost.append(str(number))
print(json.dumps([kept, lost]))
"""


def test_a_disk_that_is_full_for_a_while_costs_only_what_did_not_fit(journal: Journal) -> None:
    kept, lost = json.loads(finish(journal.process(FILLING)))
    assert kept and lost
    assert kept[-20:] == numbers(60)[40:]
    assert journal.ingest() == len(kept)
    assert journal.ids() == kept
    assert journal.problems() == {}  # what was cut short was taken back


WRITING = """
from journal_world import *
import os

journal = Journal(Path(sys.argv[1]))
writer = JournalWriter(journal.folder, rotate_bytes=5000)
number = 0
while True:
    writer.append(encode(entry(f"{sys.argv[2]}{number}", tool="x" * (number % 97))))
    os.write(1, b"%d\\n" % number)
    number += 1
"""


@pytest.mark.parametrize("patience", [1, 10, 100, 1000])
def test_a_killed_writer_loses_nothing_that_it_had_appended(journal: Journal, patience: int) -> None:
    writers = [journal.process(WRITING, name) for name in ("a", "b")]
    for process in writers:
        assert process.stdout is not None
        for _ in range(patience):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    acknowledged = []
    for name, process in zip("ab", writers, strict=True):
        rest = finish(process, wanted=-signal.SIGKILL)
        # The last number may be cut short in the pipe, where only its line break makes it whole.
        last = int(rest.split(b"\n")[-2]) if b"\n" in rest else patience - 1
        acknowledged += numbers(last + 1, name)
    journal.ingest()
    found = journal.ids()
    assert set(acknowledged) <= set(found)
    assert len(found) <= len(acknowledged) + 2  # one more each may have been written and not told
    assert journal.segments() == []
