import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hookd.agents.install import Change
from hookd.agents.settings_file import drop_empty_folder, edit, read, replace_file
from hookd.errors import SettingsError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "settings.json"


@pytest.fixture
def existing(path: Path) -> Path:
    path.parent.mkdir()
    path.write_bytes(b"{}\r\n")
    return path


def to(after: str | None) -> Callable[[str | None], str | None]:
    return lambda _before: after


def listing(folder: Path) -> list[str]:
    return sorted(found.name for found in folder.iterdir())


def test_reads_the_text_as_it_is(existing: Path) -> None:
    existing.write_bytes("\ufeff{}\r\n".encode())
    assert read(existing) == "\ufeff{}\r\n"
    assert read(existing.with_name("other.json")) is None


def test_writes_what_the_change_returns(existing: Path) -> None:
    made = edit(existing, lambda before: f"é, was {before}")
    assert made == Change(existing, "{}\r\n", "é, was {}\r\n", False)
    assert made.changed
    assert existing.read_bytes() == "é, was {}\r\n".encode()
    assert listing(existing.parent) == ["settings.json"]


def test_creates_file_and_folder_and_says_so(path: Path) -> None:
    assert edit(path, lambda before: f"was {before}") == Change(path, None, "was None", True)
    assert path.read_text() == "was None"
    assert not edit(path, to("y")).created_folder


def test_a_new_file_obeys_the_umask(path: Path) -> None:
    old = os.umask(0o027)
    try:
        edit(path, to("x"))
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777])
def test_an_existing_file_keeps_its_mode(existing: Path, mode: int) -> None:
    existing.chmod(mode)
    edit(existing, to("x"))
    assert stat.S_IMODE(existing.stat().st_mode) == mode


def test_an_equal_text_is_not_written(existing: Path) -> None:
    before = existing.stat()
    assert not edit(existing, to("{}\r\n")).changed
    assert existing.stat() == before


def test_a_dry_run_writes_nothing(path: Path) -> None:
    assert edit(path, to("x"), dry_run=True) == Change(path, None, "x", False)
    assert not path.parent.exists()


def test_a_link_is_followed_and_stays_a_link(existing: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(existing)
    edit(link, to("x"))
    assert link.is_symlink()
    assert existing.read_text() == "x"
    assert listing(tmp_path) == [".claude", "link.json"]


def test_a_dangling_link_gets_its_target_and_loses_it_again(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(path)
    assert edit(link, to("x")).created_folder
    assert path.read_text() == "x"
    edit(link, to(None))
    assert drop_empty_folder(link)
    assert listing(tmp_path) == ["link.json"]


def test_deletes_the_file_and_an_empty_folder(existing: Path) -> None:
    edit(existing, to(None))
    assert drop_empty_folder(existing)
    assert not existing.parent.exists()
    assert not drop_empty_folder(existing)


def test_a_folder_with_something_in_it_stays(existing: Path) -> None:
    (existing.parent / "agents").mkdir()
    edit(existing, to(None))
    assert not drop_empty_folder(existing)
    assert listing(existing.parent) == ["agents"]


@pytest.mark.parametrize("after", ["ours", None])
def test_a_change_by_another_program_is_seen_and_the_edit_made_anew(
    existing: Path, after: str | None
) -> None:
    seen = []

    def change(before: str | None) -> str | None:
        seen.append(before)
        if len(seen) == 1:
            existing.write_text("theirs")
        return after and f"{before} and {after}"

    assert edit(existing, change).before == "theirs"
    assert seen == ["{}\r\n", "theirs"]
    assert read(existing) == (after and "theirs and ours")


def test_a_file_that_appears_or_goes_meanwhile_is_a_change(path: Path) -> None:
    seen = []

    def change(before: str | None) -> str:
        seen.append(before)
        if len(seen) == 1:
            path.parent.mkdir()
            path.write_text("theirs")
        return f"{before} and ours"

    assert edit(path, change) == Change(path, "theirs", "theirs and ours", False)


@pytest.mark.parametrize("after", ["ours", None])
def test_gives_up_on_a_file_that_never_rests(existing: Path, after: str | None) -> None:
    def change(before: str | None) -> str | None:
        existing.write_text(f"{before}!")
        return after

    with pytest.raises(SettingsError, match="changed by another program"):
        edit(existing, change)
    assert existing.read_bytes() == b"{}\r\n!!"
    assert listing(existing.parent) == ["settings.json"]


def test_a_failed_write_leaves_no_trace(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SettingsError, match=r"cannot write .*: No space left on device"):
        edit(path, to("x"))
    assert not path.parent.exists()


def test_a_change_that_raises_leaves_the_file_alone(existing: Path) -> None:
    def change(_: str | None) -> str:
        raise SettingsError("no")

    with pytest.raises(SettingsError, match="no"):
        edit(existing, change)
    assert existing.read_bytes() == b"{}\r\n"


def test_only_the_folder_itself_is_created(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        edit(tmp_path / "no" / "such" / "settings.json", to("x"))
    assert listing(tmp_path) == []


def test_text_that_is_not_unicode_is_refused(path: Path) -> None:
    with pytest.raises(SettingsError, match="not Unicode"):
        edit(path, to("\udcff"))
    assert not path.parent.exists()


def test_bytes_that_are_not_utf8_are_refused(existing: Path) -> None:
    existing.write_bytes("{}".encode("utf-16"))
    with pytest.raises(SettingsError, match="not UTF-8"):
        edit(existing, to("x"))
    assert existing.read_bytes() == "{}".encode("utf-16")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused(path: Path, make: Callable[[Path], None]) -> None:
    path.parent.mkdir()
    make(path)
    with pytest.raises(SettingsError, match="not a regular file"):
        edit(path, to("x"))


def test_a_loop_of_links_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path)
    with pytest.raises(SettingsError):
        edit(path, to("x"))


def test_a_read_only_file_is_not_overwritten(existing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(SettingsError, match="it is read-only"):
        edit(existing, to("x"))
    assert existing.read_bytes() == b"{}\r\n"


def test_replaces_a_file_in_one_step(existing: Path) -> None:
    with existing.open("rb") as held:
        replace_file(existing, b"new")
        assert held.read() == b"{}\r\n"
    assert existing.read_bytes() == b"new"


DIFFS = [
    ("a\n", "a\n", ""),
    (None, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n"),
    ("a\n", None, "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
    ("a", "a\n", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
    ("a\u2028b\n", "c\n", "--- f\n+++ f\n@@ -1 +1 @@\n-a\u2028b\n+c\n"),
]


@pytest.mark.parametrize(("before", "after", "diff"), DIFFS)
def test_shows_the_change_as_a_patch(before: str | None, after: str | None, diff: str) -> None:
    assert Change(Path("f"), before, after).diff == diff
