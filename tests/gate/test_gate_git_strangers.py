"""Repositories that were made to be slow: little is read of them, and the rest counts as the worse case."""

import hashlib
import os
import struct
import tracemalloc
import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest
from gate_world import git, judged, repository, said, shell

from hookd.bounded_reads import MOST_BYTES, MOST_ENTRIES, Budget
from hookd.gate.case.model import Case
from hookd.gate.guard.registration import OWN_ENTRY
from hookd.gate.layers import deletions
from hookd.gitstate import GitState, Repositories

MEGABYTE = 1 << 20


def budget(size: int = MOST_BYTES, entries: int = MOST_ENTRIES) -> Budget:
    """One whose time is not up on a busy machine."""
    return Budget(size, entries, seconds=600)


def state(folder: Path, **limits: int) -> GitState:
    return GitState(str(folder), budget(**limits))


def asking(command: str, folder: Path, **limits: int) -> Case:
    case = shell(command, root=str(folder))
    case.__dict__["repositories"] = Repositories(budget(**limits))
    return case


def index(paths: Iterable[bytes], content: bytes = b"", more: bytes = b"") -> bytes:
    """An index that says of each path that it has this content, and was looked at long ago."""
    digest = hashlib.sha1(b"blob %d\0" % len(content) + content).digest()
    entries = []
    for path in paths:
        numbers = struct.pack(">10I", 0, 0, 1, 0, 0, 0, 0o100644, 0, 0, len(content))
        entry = numbers + digest + struct.pack(">H", min(len(path), 0xFFF)) + path
        entries.append(entry + b"\0" * (8 - len(entry) % 8))
    return struct.pack(">4sII", b"DIRC", 2, len(entries)) + b"".join(entries) + more + b"\0" * 20


def pushed(folder: Path) -> Path:
    """A repository whose branch a remote has."""
    repository(folder)
    commit = (folder / ".git/refs/heads/main").read_text()
    (folder / ".git/refs/remotes/origin").mkdir(parents=True)
    (folder / ".git/refs/remotes/origin/main").write_text(commit)
    return folder


@pytest.mark.parametrize("name", ["refs/remotes", "refs/heads"])
def test_a_link_in_the_place_of_refs_is_not_followed(tmp_path: Path, name: str) -> None:
    folder = pushed(tmp_path / "r")
    assert judged(asking("git branch -D main", folder)).verdict == "none"
    (folder / ".git" / name).rename(tmp_path / "elsewhere")
    (folder / ".git" / name).symlink_to(tmp_path / "elsewhere")
    assert state(folder).is_pushed() is None
    assert judged(asking("git branch -D main", folder)).verdict == "ask"


def test_links_among_the_refs_are_not_followed(tmp_path: Path) -> None:
    folder = pushed(tmp_path / "r")
    (folder / ".git/refs/remotes/origin").rename(tmp_path / "elsewhere")
    (folder / ".git/refs/remotes/origin").symlink_to("/usr")
    left = budget()
    assert GitState(str(folder), left).is_pushed() is False
    assert MOST_ENTRIES - left.entries < 10


@pytest.mark.parametrize("name", ["refs", "objects", "HEAD", "index", "packed-refs"])
def test_what_stands_right_in_the_git_folder_may_be_a_link(tmp_path: Path, name: str) -> None:
    folder = pushed(tmp_path / "r")
    if name == "packed-refs":
        git(folder, "pack-refs", "--all")
    (folder / ".git" / name).rename(tmp_path / "elsewhere")
    (folder / ".git" / name).symlink_to(tmp_path / "elsewhere")
    found = state(folder)
    assert (found.branch, found.is_pushed(), found.is_clean) == ("main", True, True)


@pytest.mark.parametrize(
    "name", ["../../main", "a b", "x\nrefs/heads/main", "a\0b", "\ud800", "/etc/passwd", ""]
)
def test_no_branch_has_such_a_name(tmp_path: Path, name: str) -> None:
    folder = pushed(tmp_path / "r")
    (folder / ".git/main").write_text((folder / ".git/refs/heads/main").read_text())
    assert state(folder).commit(f"refs/heads/{name}") is None
    (folder / ".git/HEAD").write_text("ref: main\n")
    assert state(folder).is_clean is None


def test_many_refs_are_read_until_the_budget_is_spent(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    for number in range(300):
        ref = folder / f".git/refs/remotes/origin/{number % 3}/{number}"
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text("1" * 40 + "\n")
    assert state(folder).is_pushed() is False
    assert state(folder, entries=100).is_pushed() is None
    assert judged(asking("git branch -D main", folder, entries=100)).verdict == "ask"


def test_megabytes_of_packed_refs_are_told(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    ours = (folder / ".git/refs/heads/main").read_text().strip()
    others = "".join(f"{n:040x} refs/remotes/origin/{'x' * 60}-{n}\n^{n:040x}\n" for n in range(20_000))
    packed = folder / ".git/packed-refs"
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted \n{others}")
    assert packed.stat().st_size > 2 * MEGABYTE
    assert state(folder).is_pushed() is False
    packed.write_text(f"{others}{ours} refs/remotes/origin/main")
    (folder / ".git/refs/heads/main").unlink()
    assert state(folder).is_pushed() is None
    packed.write_text(f"{ours} refs/heads/main\n{others}{ours} refs/remotes/origin/main")
    assert state(folder).is_pushed() is True
    assert state(folder, size=MEGABYTE).is_pushed() is None


def test_of_a_commit_only_the_beginning_is_unpacked(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    commit = (folder / ".git/refs/heads/main").read_text().strip()
    loose = folder / ".git/objects" / commit[:2] / commit[2:]
    content = zlib.decompress(loose.read_bytes())
    loose.chmod(0o600)
    loose.write_bytes(zlib.compress(content + b"\0" * (64 * MEGABYTE)))
    tracemalloc.start()
    try:
        assert state(folder).is_clean is True
        assert tracemalloc.get_traced_memory()[1] < 4 * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "paths",
    [
        [b"/etc/hostname"],
        [b"../secret"],
        [b"a/../../secret"],
        [b"a/.."],
        [b".."],
        [b"."],
        [b"./a"],
        [b"a/./b"],
        [b"a//b"],
        [b""],
        [b"a", b"a"],
        [b"b", b"a"],
    ],
)
def test_an_index_with_paths_that_git_does_not_write_is_unknown(tmp_path: Path, paths: list[bytes]) -> None:
    folder = repository(tmp_path / "r")
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / ".git/index").write_bytes(index([b".a/..b/c.", b"d/.e"], b"secret"))
    assert state(folder).tracked == (".a/..b/c.", "d/.e")
    (folder / ".git/index").write_bytes(index(paths, b"secret"))
    left = budget()
    found = GitState(str(folder), left)
    assert (found.tracked, found.changed(), found.is_clean) == ((), [], None)
    assert MOST_BYTES - left.size == (folder / ".git/index").stat().st_size


def test_empty_extensions_of_an_index_are_counted(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (folder / ".git/index").write_bytes(index([b"a"], more=struct.pack(">4sI", b"xxxx", 0) * 1000))
    assert state(folder).tracked == ("a",)
    assert state(folder, entries=500).tracked == ()


def test_one_file_under_many_names_is_compared_within_the_budget(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    content = b"x" * MEGABYTE
    (folder / "0").write_bytes(content)
    names = sorted(str(number) for number in range(50))
    for name in names[1:]:
        os.link(folder / "0", folder / name)
    (folder / "y").write_bytes(b"no longer as long")
    (folder / ".git/index").write_bytes(index([*map(os.fsencode, names), b"y"], content))
    assert state(folder).changed() == ["y"]
    small = budget(size=5 * MEGABYTE)
    assert GitState(str(folder), small).changed() == ["y"]
    assert small.is_spent


def test_what_was_found_when_the_budget_was_spent_is_told(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    names = [f"{number:03}" for number in range(100)]
    (folder / ".git/index").write_bytes(index(map(os.fsencode, names)))
    assert state(folder).changed() == names
    assert state(folder, entries=100 + 41).changed() == names[:40]
    assert state(folder, entries=50).changed() == []


def test_files_behind_a_link_in_the_work_tree_are_not_looked_at(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    assert state(folder).has(str(folder / "src/a.c")) is True
    (folder / "src").rename(tmp_path / "elsewhere")
    (folder / "src").symlink_to(tmp_path / "elsewhere")
    found = state(folder)
    assert (found.has(str(folder / "src/a.c")), found.is_clean, found.changed()) == (
        False,
        False,
        ["src/a.c"],
    )


@pytest.mark.parametrize("command", ["git reset --hard", "rm -rf src", "git branch -D main"])
def test_a_spent_budget_is_the_worse_case(tmp_path: Path, command: str) -> None:
    folder = pushed(tmp_path / "r")
    assert judged(asking(command, folder)).verdict == "none"
    assert judged(asking(command, folder, entries=0)).verdict == "ask"
    assert judged(asking(command, folder, size=0)).verdict == "ask"


def test_a_folder_is_kept_only_if_all_of_it_was_looked_at(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    for number in range(50):
        (folder / f"src/empty{number}").mkdir()
    assert "context.uncommitted" not in said(asking("rm -rf src", folder))
    assert "context.uncommitted" in said(asking("rm -rf src", folder, entries=30))


@pytest.mark.parametrize("content", [b"", b"\n" * 10_000 + b"../x", b".." + b"\n" * 10_000])
def test_a_git_folder_whose_shared_one_cannot_be_told_has_no_known_config(
    tmp_path: Path, content: bytes
) -> None:
    folder = repository(tmp_path / "r")
    assert state(folder).configs
    (folder / ".git/commondir").write_bytes(content)
    found = state(folder)
    assert (found.configs, found.is_pushed(), found.is_clean) == ((), None, None)


def test_settings_may_be_taken_by_a_repository_that_takes_too_long(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text('{"hooks": {"Stop": [{"command": "hookd-client"}]}}')
    git(folder, "add", ".")
    git(folder, "commit", "-m", "settings")
    command = "git checkout -- ."
    assert OWN_ENTRY not in said(asking(command, folder))
    assert judged(asking(command, folder, entries=1)).verdict == "deny"


def test_patterns_to_ignore_are_held_against_a_file_within_the_budget(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text('{"hooks": {"Stop": [{"command": "hookd-client"}]}}')
    (folder / ".gitignore").write_text("".join(f"x{number}\n" for number in range(200)) + ".claude\n")
    command = "git clean -fd"
    assert judged(asking(command, folder)).verdict != "deny"
    assert judged(asking(command, folder, entries=100)).verdict == "deny"
    (folder / ".gitignore").unlink()
    os.mkfifo(folder / ".gitignore")
    assert judged(asking(command, folder)).verdict == "deny"


def test_a_pipe_or_a_link_among_the_tracked_files_is_not_searched(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (tmp_path / "outside").write_text('#include "a.c"\n')
    (folder / "b.c").symlink_to(tmp_path / "outside")
    (folder / "c.c").write_text('#include "a.c"\n')
    git(folder, "add", ".")
    (folder / "README").unlink()
    os.mkfifo(folder / "README")
    (opinion,) = deletions.opinions(asking("rm src/a.c", folder))
    assert opinion.evidence == "c.c: names src/a.c"


def test_globs_are_held_against_tracked_files_within_the_budget(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (folder / "Makefile").write_text("all: src/a.c\n")
    git(folder, "add", ".")
    globs = " ".join(["src/*.c"] * 30)
    assert list(deletions.opinions(asking(f"rm {globs}", folder)))
    assert not list(deletions.opinions(asking(f"rm {globs}", folder, entries=20)))
