"""What is watched: every change is noticed, also of what did not exist."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hookd.hooks.file_changes import Watched


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that has rested, so that its time can be trusted."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("one")
    for path in (tmp_path / "there" / "file", tmp_path / "there", tmp_path):
        os.utime(path, (1, 1))
    return tmp_path


CHANGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a file appears": ("there/new", lambda at: (at / "there/new").write_text("")),
    "a file appears in a folder that appears": (
        "a/b/c",
        lambda at: ((at / "a/b").mkdir(parents=True), (at / "a/b/c").write_text("")),
    ),
    "a file is written": ("there/file", lambda at: (at / "there/file").write_text("three")),
    "a file goes": ("there/file", lambda at: (at / "there/file").unlink()),
    "a folder gets a file": ("there", lambda at: (at / "there/other").write_text("")),
    "a folder is moved into place": (
        "moved/file",
        lambda at: (at / "there").rename(at / "moved"),
    ),
    "what a link to nowhere leads to appears": (
        "link",
        lambda at: (at / "far/away").write_text(""),
    ),
    "what a folder behind a link to nowhere holds appears": (
        "folder/file",
        lambda at: ((at / "far/behind").mkdir(), (at / "far/behind/file").write_text("")),
    ),
}


@pytest.mark.parametrize("looks", [0, 1, 3], ids=["not looked before", "looked once", "looked thrice"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_noticed(place: Path, name: str, looks: int) -> None:
    (place / "far").mkdir()
    (place / "link").symlink_to(place / "far/away")
    (place / "folder").symlink_to(place / "far/behind")
    path, change = CHANGES[name]
    watched = Watched()
    watched.add(str(place / path))
    watched.add(str(place / "never/there"))
    for _ in range(looks):
        assert not watched.changed()
    change(place)
    assert watched.changed()
    assert watched.changed(), "until somebody reads it all anew"


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_what_happens_beside_it_is_no_change(place: Path, looks: int) -> None:
    watched = Watched()
    watched.add(str(place / "missing/file"))
    for _ in range(looks):
        watched.changed()
    (place / "another").write_text("")
    assert not watched.changed()
    (place / "missing").mkdir()
    assert not watched.changed(), "the file itself is still missing"
    (place / "missing/file").write_text("")
    assert watched.changed()


def test_changes_that_follow_each_other_closely_are_each_noticed(place: Path) -> None:
    for number in range(30):
        watched = Watched()
        path = place / f"file-{number}"
        watched.add(str(path))
        watched.changed()
        path.write_text("")
        assert watched.changed()


def test_much_that_is_missing_costs_one_question(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    for number in range(20):
        watched.add(str(place / "there" / "none" / str(number)))
    # Its own time cannot be set back, so the clock is moved on.
    monkeypatch.setattr("time.time_ns", lambda: os.stat(place / "there").st_ctime_ns + 10**9)
    watched.changed()
    asked: list[object] = []
    stat = os.stat

    def counting(path: str) -> os.stat_result:
        asked.append(path)
        return stat(path)

    monkeypatch.setattr("hookd.hooks.file_changes.os.stat", counting)
    assert not watched.changed()
    assert asked == [str(place / "there")]
