"""The folder for sockets: where it is, and when it is refused."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd.errors import RuntimeFolderError
from hookd.paths import SOCKET_PATH_LIMIT, ensure_runtime_folder, runtime_files, runtime_folder

ME = os.geteuid()


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room for a socket's; pytest's own may not."""
    with tempfile.TemporaryDirectory(prefix="hk-", dir="/tmp") as folder:
        yield Path(folder)


def private(folder: Path, mode: int = 0o700) -> Path:
    folder.mkdir()
    folder.chmod(mode)
    return folder


def test_hookd_home_comes_first(short_path: Path) -> None:
    env = {"HOOKD_HOME": "/hh", "XDG_RUNTIME_DIR": str(private(short_path / "x")), "TMPDIR": "/t"}
    assert runtime_folder(env) == "/hh/run"


def test_then_a_private_folder_of_the_system(short_path: Path) -> None:
    mine = private(short_path / "x")
    assert runtime_folder({"XDG_RUNTIME_DIR": str(mine), "TMPDIR": "/t"}) == f"{mine}/hookd"


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755, 0o777, 0o704])
def test_a_folder_that_others_may_enter_is_passed_over(short_path: Path, mode: int) -> None:
    theirs = private(short_path / "x", mode)
    assert runtime_folder({"XDG_RUNTIME_DIR": str(theirs), "TMPDIR": "/t"}) == f"/t/hookd-{ME}"


def test_a_link_a_file_and_a_missing_folder_are_passed_over(short_path: Path) -> None:
    private(short_path / "real")
    (short_path / "link").symlink_to("real")
    (short_path / "file").touch()
    for name in ("link", "file", "missing"):
        assert runtime_folder({"XDG_RUNTIME_DIR": f"{short_path}/{name}", "TMPDIR": "/t"}) == f"/t/hookd-{ME}"


@pytest.mark.skipif(ME != 0, reason="only root can give a folder to somebody else")
def test_somebody_elses_folder_is_passed_over(short_path: Path) -> None:
    theirs = private(short_path / "x")
    os.chown(theirs, 12345, 12345)
    assert runtime_folder({"XDG_RUNTIME_DIR": str(theirs), "TMPDIR": "/t"}) == f"/t/hookd-{ME}"


def test_the_last_resort_is_the_temporary_folder() -> None:
    assert runtime_folder({"TMPDIR": "/t"}) == f"/t/hookd-{ME}"
    assert runtime_folder({"TMPDIR": ""}) == f"/tmp/hookd-{ME}"
    assert runtime_folder({}) == f"/tmp/hookd-{ME}"


@given(
    st.text(st.characters(exclude_characters="\0/", codec="utf-8"), min_size=1, max_size=120), st.booleans()
)
def test_a_socket_path_always_fits(name: str, is_home: bool) -> None:
    env = {"HOOKD_HOME": f"/{name}"} if is_home else {"TMPDIR": f"/{name}"}
    files = runtime_files("/some/project", env)
    assert len(os.fsencode(files.socket)) < SOCKET_PATH_LIMIT


def test_a_long_folder_has_a_short_name_of_its_own() -> None:
    long = "/x" * 60
    short = runtime_folder({"TMPDIR": long})
    assert short.startswith(f"/tmp/hookd-{ME}-")
    assert short == runtime_folder({"TMPDIR": long})
    assert short != runtime_folder({"TMPDIR": long + "y"})


def test_the_longest_folder_that_fits_is_kept() -> None:
    room = SOCKET_PATH_LIMIT - 1 - len("/p-0123456789abcdef.sock") - len("/run")
    fits = "/" + "x" * (room - 1)
    assert runtime_folder({"HOOKD_HOME": fits}) == f"{fits}/run"
    assert runtime_folder({"HOOKD_HOME": fits + "x"}) != f"{fits}x/run"


def test_a_projects_files_are_named_after_its_key() -> None:
    files = runtime_files("/some/project", {"HOOKD_HOME": "/hh"})
    names = (files.socket, files.pid, files.port, files.log, files.lock, files.token)
    assert len(files.key16) == 16
    assert names == tuple(
        f"/hh/run/p-{files.key16}.{end}" for end in ("sock", "pid", "port", "log", "lock", "token")
    )


def test_the_folder_is_created_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "run"
    previous = os.umask(0)
    try:
        ensure_runtime_folder(str(folder))
    finally:
        os.umask(previous)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    ensure_runtime_folder(str(folder))


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o770, 0o755, 0o777])
def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path, mode: int) -> None:
    folder = private(tmp_path / "run", mode)
    with pytest.raises(RuntimeFolderError, match=rf"others may enter it \(mode {mode:04o}") as error:
        ensure_runtime_folder(str(folder))
    assert f"chmod 700 {folder}" in str(error.value.hint)
    assert stat.S_IMODE(folder.stat().st_mode) == mode


def test_a_link_is_refused_although_it_leads_to_a_good_folder(tmp_path: Path) -> None:
    private(tmp_path / "good")
    (tmp_path / "run").symlink_to("good")
    with pytest.raises(RuntimeFolderError, match="it is a symbolic link"):
        ensure_runtime_folder(str(tmp_path / "run"))


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to("nowhere")
    with pytest.raises(RuntimeFolderError, match="it is a symbolic link"):
        ensure_runtime_folder(str(tmp_path / "run"))
    assert not (tmp_path / "nowhere").exists()


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    with pytest.raises(RuntimeFolderError, match="it is not a folder"):
        ensure_runtime_folder(str(tmp_path / "run"))


@pytest.mark.skipif(ME != 0, reason="only root can give a folder to somebody else")
def test_somebody_elses_folder_is_refused(tmp_path: Path) -> None:
    folder = private(tmp_path / "run")
    os.chown(folder, 12345, 12345)
    with pytest.raises(RuntimeFolderError, match="it belongs to user 12345"):
        ensure_runtime_folder(str(folder))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (f"{tmp_path}/file/run", f"{tmp_path}/file/deeper/run", "/proc/hookd/run"):
        with pytest.raises(RuntimeFolderError, match="cannot create the runtime folder") as error:
            ensure_runtime_folder(folder)
        assert "HOOKD_HOME" in str(error.value.hint)
