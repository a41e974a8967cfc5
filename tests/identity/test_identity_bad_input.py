"""Files that are not what they should be, in `.git` and in the registry: never an exception."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from identity_world import REMOTE, Place, git

ID = "0123456789abcdef" * 2
NO_PROJECT = b'{"project":"","common":"/x","device":1,"inode":1}'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"rubbish\n",
        b"x" * 32,
        ID.upper().encode(),
        b"../" * 11,
        b"\xff" * 32,
        b"0" * 33,
        b"0" * 10**6,
    ],
    ids=lambda content: f"{len(content)}-{content[:3]!r}",
)
def test_an_id_file_with_something_else_in_it_is_replaced(place: Place, content: bytes) -> None:
    app = place.repository()
    (app / ".git/hookd-id").write_bytes(content)
    found = place.of_repository(app)
    assert (app / ".git/hookd-id").read_text() == f"{found.git}\n"
    assert [path.name for path in place.folders.projects.glob("*.json")] == [f"{found.git}.json"]


def linked(path: Path, place: Place) -> None:
    other = place.repository("other")
    place.of_repository(other)
    path.symlink_to(other / ".git/hookd-id")


def dangling(path: Path, place: Place) -> None:
    path.symlink_to(place.base / "made-by-following")


def folder(path: Path, _: Place) -> None:
    path.mkdir()


def pipe(path: Path, _: Place) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [linked, dangling, folder, pipe])
def test_what_is_no_plain_file_is_left_as_it_is(place: Place, make: Callable[[Path, Place], None]) -> None:
    app = place.repository()
    make(app / ".git/hookd-id", place)
    before = (app / ".git/hookd-id").lstat()
    place.alone(app, "hookd-id cannot be used")
    assert (app / ".git/hookd-id").lstat() == before
    assert not (place.base / "made-by-following").exists()
    if make is linked:
        assert place.of_repository(place.base / "other").git


@pytest.mark.parametrize("name", ["HEAD", "objects", "refs"])
def test_a_broken_repository_stands_alone(place: Place, name: str) -> None:
    app = place.repository()
    first = place.of_repository(app)
    (app / ".git" / name).rename(app / "away")
    place.alone(app, "is no git repository")
    (app / "away").rename(app / ".git" / name)
    assert place.of_repository(app) == first


def test_an_empty_git_folder_is_no_repository_and_stays_empty(place: Place) -> None:
    (place.base / "app/.git").mkdir(parents=True)
    place.alone(place.base / "app", "is no git repository")
    assert not os.listdir(place.base / "app/.git")


@pytest.mark.parametrize("name", ["config", "HEAD", "commondir"])
def test_nobody_waits_for_a_pipe(place: Place, name: str) -> None:
    app = place.repository(remote=REMOTE)
    (app / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(app / ".git" / name)
    assert len(place.identity(app).project) == 32
    assert place.remote(app) == ""


@given(st.binary(max_size=80))
@example(b"gitdir: ")
@example(b"gitdir: a\0b")
@example(b"gitdir: " + b"x/" * 500_000)
def test_any_git_file_stands_alone(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    place = Place(tmp_path_factory.mktemp("any"))
    (place.base / "app").mkdir()
    (place.base / "app/.git").write_bytes(content)
    assert place.identity(place.base / "app").why


def test_links_without_end_stand_alone(place: Place) -> None:
    app = place.base / "app"
    app.mkdir()
    for number in range(1500):
        (app / str(number)).symlink_to(str(number + 1))
    (app / ".git").write_text("gitdir: 0/worktrees/x\n")
    place.alone(app, "")


def test_a_config_that_is_broken_or_huge_leaves_the_identity_and_no_remote(place: Place) -> None:
    app = place.repository(remote=REMOTE)
    first = place.of_repository(app)
    for content in (b"[remote", b"\xff\xfe\0", b"[a]\n" * 10**6, b'[a]\nb = "' + b"x" * 200_000, b""):
        (app / ".git/config").write_bytes(content)
        assert place.of_repository(app) == first
        assert place.remote(app) == ""


@pytest.mark.parametrize(
    "content",
    [b"", b"rubbish", b"[]", b"{}", b'{"common":1}', b"[" * 10**5, b'{"common":"/x"', b"\xff", NO_PROJECT],
)
def test_a_damaged_record_is_named_and_kept(place: Place, content: bytes) -> None:
    app = place.repository()
    first = place.of_repository(app)
    record = place.folders.projects / f"{first.git}.json"
    good = record.read_bytes()
    record.write_bytes(content)
    place.alone(app, f"{record} is damaged; delete it")
    assert record.read_bytes() == content
    assert (app / ".git/hookd-id").read_text() == f"{first.git}\n"
    record.write_bytes(good)
    assert place.of_repository(app) == first


def test_a_record_with_more_in_it_than_this_version_knows_is_read(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    record = place.folders.projects / f"{first.git}.json"
    record.write_bytes(record.read_bytes().replace(b"{", b'{"later":[1],', 1))
    assert place.of_repository(app) == first


def test_a_record_that_is_a_link_is_not_followed(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    record = place.folders.projects / f"{first.git}.json"
    record.rename(place.base / "away")
    record.symlink_to(place.base / "away")
    place.alone(app, f"{record} cannot be read")


def test_without_a_place_for_the_registry_everything_stands_alone(place: Place) -> None:
    app = place.repository()
    place.folders.data.write_text("a file where the folder should be")
    place.alone(app, "")
    assert not (app / ".git/hookd-id").exists()


def test_a_registry_that_cannot_be_written_is_enough_for_what_it_knows(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    (place.folders.projects / "lock").unlink()
    (place.folders.projects / "lock").mkdir()  # nobody can be alone in the folder, root neither
    assert place.of_repository(app) == first
    git(app, "worktree", "add", "../side")
    assert place.of_repository(place.base / "side").project == first.project
    place.alone(place.repository("other"), "its id cannot be kept")
    app = app.rename(place.base / "moved")  # the same folder, as its inode tells
    assert place.of_repository(app) == first
    copy = place.copy(app, "copy")
    shutil.rmtree(app)
    place.alone(copy, "its id cannot be kept")


def test_a_name_that_is_not_utf_8_stands_alone(place: Place) -> None:
    app = place.repository()
    strange = os.fsencode(place.base) + b"/\xff"
    os.rename(app, strange)
    place.alone(Path(os.fsdecode(strange)), "not UTF-8")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_repository_of_another_user_stands_alone(place: Place) -> None:
    """As git has it: its files are another person's, and an id of ours among them would lock that one out."""
    app = place.repository()
    os.chown(app / ".git", 65534, 65534)
    place.alone(app, "belongs to another user")
    assert not (app / ".git/hookd-id").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_an_id_of_another_user_is_left_as_it_is(place: Place) -> None:
    app = place.repository()
    (app / ".git/hookd-id").write_text(f"{ID}\n")
    os.chown(app / ".git/hookd-id", 65534, 65534)
    place.alone(app, "hookd-id cannot be used: it belongs to another user")
    assert (app / ".git/hookd-id").read_text() == f"{ID}\n"
