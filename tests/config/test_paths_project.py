"""Which folder is the project, and the names that are made from it."""

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookd.paths import derived_port, project_key, project_root, user_folders
from worlds import make_git_folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A home with a repository in it, a repository in that, and a few plain folders."""
    for folder in (
        "home/work/.git",
        "home/work/src/deep",
        "home/work/vendor/lib/.hookd",
        "home/work/vendor/lib/src",
        "home/plain/folder",
        "opt/tool/.git",
        "opt/tool/bin",
        "opt/plain",
    ):
        (tmp_path / folder).mkdir(parents=True)
    for head in tmp_path.glob("**/.git"):
        (head / "HEAD").touch()
    for stray in ("home/work/stray/.git", "home/work/src/.git"):
        (tmp_path / stray).mkdir(parents=True)
    (tmp_path / "home/work/broken").mkdir()
    (tmp_path / "home/work/broken/.git").write_text("no pointer")
    (tmp_path / "home/worktree").mkdir()
    (tmp_path / "home/worktree/.git").write_text("gitdir: elsewhere")
    (tmp_path / "home/linked").symlink_to("work/src")
    (tmp_path / "home/dangling").mkdir()
    (tmp_path / "home/dangling/.hookd").symlink_to("nowhere")
    return Path(os.path.realpath(tmp_path))


TABLE = [
    ("home/work", "home/work"),
    ("home/work/src/deep", "home/work"),
    ("home/work/vendor", "home/work"),
    ("home/work/vendor/lib/src", "home/work/vendor/lib"),
    ("home/work/src/../vendor/lib", "home/work/vendor/lib"),
    ("home/work/", "home/work"),
    ("home/work/stray", "home/work"),
    ("home/work/broken", "home/work"),
    ("home/linked/deep", "home/work"),
    ("home/worktree", "home/worktree"),
    ("home/dangling", "home/dangling"),
    ("home/plain/folder", "home/plain/folder"),
    ("home", "home"),
    ("opt/tool/bin", "opt/tool"),
    ("home/work/src/not/there", "home/work"),
    ("home/plain/not/there", "home/plain/not/there"),
]


@pytest.mark.parametrize(("start", "root"), TABLE)
def test_the_project_root(tree: Path, start: str, root: str) -> None:
    assert project_root(f"{tree}/{start}", {"HOME": str(tree / "home")}) == f"{tree}/{root}"


@pytest.mark.parametrize(("start", "root"), TABLE)
def test_the_agents_project_folder_counts_like_a_start(tree: Path, start: str, root: str) -> None:
    env = {"HOME": str(tree / "home"), "CLAUDE_PROJECT_DIR": f"{tree}/{start}"}
    if os.path.isdir(env["CLAUDE_PROJECT_DIR"]):
        assert project_root(None, env) == f"{tree}/{root}"


def test_home_itself_can_be_a_project_but_nothing_above_it(tree: Path) -> None:
    env = {"HOME": str(tree / "home")}
    make_git_folder(tree)
    assert project_root(f"{tree}/home/plain/folder", env) == f"{tree}/home/plain/folder"
    assert project_root(f"{tree}/opt/plain", env) == str(tree)
    (tree / "home/.hookd").mkdir()
    assert project_root(f"{tree}/home/plain/folder", env) == f"{tree}/home"


def test_home_by_a_link_is_the_same_ceiling(tree: Path) -> None:
    make_git_folder(tree)
    (tree / "house").symlink_to("home")
    start = f"{tree}/home/plain/folder"
    assert project_root(start, {"HOME": str(tree / "house")}) == start


@pytest.mark.parametrize("home", [None, "", "/not/there"])
def test_without_a_home_there_is_no_ceiling(tree: Path, home: str | None) -> None:
    env = {} if home is None else {"HOME": home}
    make_git_folder(tree)
    assert project_root(f"{tree}/home/plain/folder", env) == str(tree)


def test_the_working_directory_counts_where_the_agent_names_no_usable_folder(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "home/work/src")
    for named in ("", f"{tree}/not/there", f"{tree}/home/worktree/.git"):
        env = {"HOME": str(tree / "home"), "CLAUDE_PROJECT_DIR": named}
        assert project_root(None, env) == f"{tree}/home/work"


def test_a_working_directory_that_was_deleted_is_no_crash(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tree / "opt/gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert project_root(None, {"HOME": str(tree)}) == "/"
    assert project_root(None, {"HOME": "relative", "CLAUDE_PROJECT_DIR": "relative"}) == "/"


def test_the_key_is_the_hash_of_the_path() -> None:
    assert project_key("/home/u/ä") == hashlib.sha256("/home/u/ä".encode()).hexdigest()
    raw = os.fsdecode(b"/home/\xff")
    assert project_key(raw) == hashlib.sha256(b"/home/\xff").hexdigest()


@given(st.text(st.sampled_from("0123456789abcdef"), min_size=64, max_size=64))
def test_a_port_lies_between_10000_and_65000(key: str) -> None:
    assert 10_000 <= derived_port(key) <= 65_000


def test_the_ports_at_both_ends_are_reached() -> None:
    assert derived_port("0" * 64) == 10_000
    assert derived_port(f"{55_000:012x}" + "f" * 52) == 65_000
    assert derived_port(f"{55_001:012x}" + "f" * 52) == 10_000


@pytest.mark.parametrize(
    ("env", "config", "data"),
    [
        ({"HOOKD_HOME": "/hh", "HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "/hh/config", "/hh/data"),
        ({"HOME": "/h"}, "/h/.config/hookd", "/h/.local/share/hookd"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "/c/hookd", "/h/.local/share/hookd"),
        ({"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/h/.config/hookd", "/d/hookd"),
        ({"HOME": "/h", "HOOKD_HOME": "", "XDG_DATA_HOME": ""}, "/h/.config/hookd", "/h/.local/share/hookd"),
        ({}, "/.config/hookd", "/.local/share/hookd"),
    ],
)
def test_the_users_folders(env: dict[str, str], config: str, data: str) -> None:
    folders = user_folders(env)
    assert (str(folders.config), str(folders.data)) == (config, data)
    assert str(folders.hooks) == f"{config}/hooks"
    assert str(folders.database) == f"{data}/hookd.db"
    assert str(folders.trust) == f"{data}/trust"
    assert str(folders.registrations) == f"{data}/registrations.json"
    assert str(folders.journal("0123456789abcdef" + "0" * 48)) == f"{data}/journal/0123456789abcdef"
