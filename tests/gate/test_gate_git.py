"""What a repository's own files say of its state, against real repositories."""

import os
from pathlib import Path

import pytest
from gate_world import git, judged, repository, said, shell

from hookd.gitstate import GitState, is_protected


def test_outside_a_repository_nothing_is_known(tmp_path: Path) -> None:
    state = GitState(str(tmp_path))
    assert (state.branch, state.is_clean, state.is_pushed(), state.has_all(str(tmp_path))) == (
        None,
        None,
        None,
        None,
    )


def test_a_fresh_commit_is_clean(tmp_path: Path) -> None:
    state = GitState(str(repository(tmp_path / "r") / "src"))
    assert (state.branch, state.is_clean) == ("main", True)
    assert state.work_tree == str(tmp_path / "r")


@pytest.mark.parametrize("change", ["edit", "delete", "stage", "add"])
def test_a_change_is_dirt(tmp_path: Path, change: str) -> None:
    folder = repository(tmp_path / "r")
    if change == "delete":
        (folder / "README").unlink()
    elif change == "add":
        (folder / "new").write_text("x")
        git(folder, "add", "new")
    else:
        (folder / "README").write_text("something else altogether\n")
        if change == "stage":
            git(folder, "add", ".")
    assert GitState(str(folder)).is_clean is False


def test_a_file_that_git_does_not_track_is_no_dirt_but_is_not_had(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    assert GitState(str(folder)).has_all(str(folder / "src")) is True
    (folder / "src" / "new.c").write_text("x")
    state = GitState(str(folder))
    assert (state.is_clean, state.has_all(str(folder / "src"))) == (True, False)


def test_a_linked_work_tree_has_its_own_state(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    git(folder, "worktree", "add", "-b", "side", "../side")
    state = GitState(str(tmp_path / "side"))
    assert (state.branch, state.is_clean) == ("side", True)


def test_pushed_branches_are_known(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    git(tmp_path, "init", "--bare", "far.git")
    git(folder, "remote", "add", "origin", "../far.git")
    assert GitState(str(folder)).is_pushed() is False
    git(folder, "push", "origin", "main")
    assert GitState(str(folder)).is_pushed() is True
    git(folder, "pack-refs", "--all")
    assert GitState(str(folder)).is_pushed("main") is True
    assert GitState(str(folder)).is_pushed("other") is None


@pytest.mark.parametrize("damage", [b"", b"DIRC", b"DIRC" + b"\xff" * 200, os.urandom(500)])
def test_an_index_that_cannot_be_read_is_unknown(tmp_path: Path, damage: bytes) -> None:
    folder = repository(tmp_path / "r")
    (folder / ".git" / "index").write_bytes(damage)
    assert GitState(str(folder)).is_clean is None


def test_nobody_waits_for_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    for name in ("HEAD", "index"):
        (folder / ".git" / name).unlink()
        os.mkfifo(folder / ".git" / name)
    assert (GitState(str(folder)).branch, GitState(str(folder)).is_clean) == (None, None)


@pytest.mark.parametrize("name", ["main", "master", "release/1.2", "production", "refs/heads/main"])
def test_protected_names(name: str) -> None:
    assert is_protected(name)
    assert not is_protected("feature/main")


def test_nothing_is_asked_where_nothing_would_be_lost(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    for command in ("git reset --hard", "git checkout -- README", "rm -rf src", "rm -rf not-there"):
        assert judged(shell(command, root=str(folder))).verdict == "none", command
    (folder / "src" / "a.c").write_text("int changed_and_longer;\n")
    for command in ("git reset --hard", "git checkout -- src/a.c", "git restore .", "rm -rf src"):
        assert judged(shell(command, root=str(folder))).verdict == "ask", command
    for command in ("git checkout -- README", "git restore README", "rm -rf src/a.c"):
        assert judged(shell(command, root=str(folder))).verdict == "none", command
    for command in ("git checkout HEAD~1 -- README", "git restore --source main README", "git checkout -- ."):
        assert judged(shell(command, root=str(folder))).verdict == "ask", command
    assert "context.uncommitted" in said(shell("rm -rf src", root=str(folder)))


def test_a_branch_that_is_new_takes_nothing_from_another(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    for command in ("git switch -C fresh", "git checkout -B fresh main", "git branch -D fresh"):
        assert judged(shell(command, root=str(folder))).verdict == "none", command
    for command in ("git switch -C main", "git checkout -B main", "git branch -D main", "git switch -C ../x"):
        assert judged(shell(command, root=str(folder))).verdict == "ask", command


def test_a_repository_elsewhere_is_looked_at_where_it_is(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    (folder / "README").write_text("changed and longer than before\n")
    other = repository(folder / "sub")
    assert judged(shell("git -C sub reset --hard", root=str(folder))).verdict == "none"
    assert judged(shell("cd sub && git reset --hard", root=str(folder))).verdict == "none"
    assert judged(shell("git -C .. reset --hard", root=str(folder), cwd=str(other))).verdict == "ask"


def test_git_itself_is_never_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r")
    monkeypatch.setenv("PATH", "/nonexistent")
    git_config = folder / ".git" / "config"
    git_config.write_text(git_config.read_text() + f"[core]\n\tfsmonitor = touch {tmp_path}/ran\n")
    assert judged(shell("git reset --hard", root=str(folder))).verdict == "none"
    assert not (tmp_path / "ran").exists()


def test_what_depends_on_the_disk_is_looked_at_again(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    command = "newwrapper git reset --hard"
    assert judged(shell("git reset --hard", root=str(folder))).verdict == "none"
    assert judged(shell(command, root=str(folder))).verdict == "none"
    (folder / "README").write_text("changed, and longer than it was\n")
    assert judged(shell("git reset --hard", root=str(folder))).verdict == "ask"
    assert judged(shell(command, root=str(folder))).verdict == "ask"
