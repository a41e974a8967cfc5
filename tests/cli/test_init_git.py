"""`hookd init` in a real repository: what is private stays out of git, what is shared does not."""

import subprocess
from pathlib import Path

import pytest

from worlds import World

SETTINGS = ".claude/settings.local.json"


def git(folder: Path, *words: str) -> str:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    person = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    done = subprocess.run(
        ["git", *person, *words], cwd=folder, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def repository(world: World) -> Path:
    """The world's project as a real repository with one commit."""
    git(world.project, "init", "-q", "-b", "main")
    (world.project / "README").write_text("read me\n")
    git(world.project, "add", ".")
    git(world.project, "commit", "-q", "-m", "first")
    return world.project


def exclude(repository: Path) -> Path:
    return repository / ".git" / "info" / "exclude"


def status(folder: Path) -> str:
    return git(folder, "status", "--porcelain", "--untracked-files=all")


@pytest.mark.parametrize("before", [None, b"", b"*.orig\n", b"*.orig", b"# \xc3\xa4\r\n*.o\r\n\n\n"])
def test_init_shows_nothing_in_git_status_and_uninstall_restores_the_list(
    world: World, repository: Path, before: bytes | None
) -> None:
    path = exclude(repository)
    path.unlink()
    path.parent.rmdir()
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before)
    said = world.hookd("init")
    assert f"git leaves out {SETTINGS}, .hookd/." in said
    assert status(repository) == ""
    once = path.read_bytes()
    assert once.startswith(before or b"")
    assert "git leaves out" not in world.hookd("init")
    assert path.read_bytes() == once
    git(repository, "add", "-A")
    assert status(repository) == ""
    world.hookd("uninstall")
    assert (path.read_bytes() if path.exists() else None) == before
    assert path.parent.exists() is (before is not None)
    assert status(repository) == ""


def test_only_our_file_of_the_agents_folder_is_left_out(world: World, repository: Path) -> None:
    (repository / ".claude" / "commands").mkdir(parents=True)
    (repository / ".claude" / "commands" / "ship.md").write_text("Ship it.\n")
    world.hookd("init")
    assert status(repository) == "?? .claude/commands/ship.md\n"


def test_a_part_of_a_repository_is_left_out_by_its_path_from_the_root(world: World, repository: Path) -> None:
    for name in ("packages/a [1]", "packages/b"):
        (repository / name / ".hookd").mkdir(parents=True)
        world.hookd("init", "--project", str(repository / name))
    assert status(repository) == ""
    (repository / "packages" / "a1" / ".hookd").mkdir(parents=True)
    (repository / "packages" / "a1" / ".hookd" / "x").touch()
    assert status(repository) == "?? packages/a1/.hookd/x\n"
    lines = exclude(repository).read_text().splitlines()
    assert f"/packages/b/{SETTINGS}" in lines and "/packages/a \\[1\\]/.hookd/" in lines
    before = exclude(repository).read_text()
    world.hookd("uninstall", "--project", str(repository / "packages/a [1]"))
    left = exclude(repository).read_text()
    assert "/packages/b/.hookd/" in left and "a \\[1\\]" not in left
    world.hookd("uninstall", "--project", str(repository / "packages/b"))
    assert "hookd" not in exclude(repository).read_text() and len(left) < len(before)


def test_a_work_tree_is_left_out_in_the_common_list_and_by_itself(world: World, repository: Path) -> None:
    side = world.base / "side"
    git(repository, "worktree", "add", "-q", str(side))
    world.hookd("init", "--project", str(side))
    world.hookd("init")
    assert status(side) == status(repository) == ""
    world.hookd("uninstall")
    assert status(side) == "", "the other tree's lines are its own"
    git(repository, "worktree", "remove", "--force", str(side))
    world.hookd("init")
    assert str(side) not in exclude(repository).read_text()


def test_a_tracked_settings_file_is_told_of_by_init_and_doctor(world: World, repository: Path) -> None:
    world.hookd("init")
    git(repository, "add", "-f", SETTINGS, ".hookd/.gitignore")
    (repository / ".hookd" / "runs").mkdir(exist_ok=True)
    (repository / ".hookd" / "runs" / "x").touch()
    git(repository, "add", "-f", ".hookd/runs/x")
    assert f"{SETTINGS} is tracked by git" in world.hookd("init")
    (finding,) = [found for found in world.json("doctor") if found["check"] == "git"]
    assert not finding["ok"]
    assert SETTINGS in finding["what"] and ".hookd/runs/" in finding["what"]
    git(repository, "rm", "-r", "-q", "--cached", SETTINGS, ".hookd/runs/")
    (finding,) = [found for found in world.json("doctor") if found["check"] == "git"]
    assert finding["ok"]


@pytest.mark.parametrize("how", ["no repository", "a link", "not writable"])
def test_without_a_list_to_write_init_goes_on_and_says_one_line(
    world: World, repository: Path, how: str
) -> None:
    path = exclude(repository)
    if how == "no repository":
        git(repository, "rev-parse", "HEAD")
        (repository / ".git").rename(world.base / "git")
    elif how == "a link":
        path.unlink()
        path.symlink_to(world.base / "bashrc")
    else:
        path.write_bytes(b"\xff\n")  # root may write whatever its mode; what is no text is not touched
    said = world.hookd("init")
    (line,) = [line for line in said.splitlines() if "is not told to leave out" in line]
    assert SETTINGS in line
    assert (world.project / SETTINGS).exists() and not (world.base / "bashrc").exists()
    world.hookd("uninstall")


def test_what_is_made_to_be_shared_says_so_and_git_sees_it(world: World, repository: Path) -> None:
    world.hookd("init")
    assert status(repository) == ""
    said = world.hookd("new", "hook", "no_generated")
    assert "Made to be shared, so git sees it: .hookd/hooks/no_generated.py" in said
    (repository / ".hookd" / "config.local.toml").write_text("")
    (repository / ".hookd" / "runs" / "r").mkdir(parents=True)
    (repository / ".hookd" / "runs" / "r" / "run.json").write_text("{}")
    (repository / ".hookd" / "CURRENT.md").write_text("x")
    (repository / ".hookd" / "drafts").mkdir()
    (repository / ".hookd" / "drafts" / "rule.toml").write_text("x")
    assert status(repository) == "?? .hookd/hooks/no_generated.py\n?? .hookd/tests/test_no_generated.py\n"
    lines = exclude(repository).read_text().splitlines()
    assert "/.hookd/" not in lines and "/.hookd/runs/" in lines and "/.hookd/handovers/" in lines


def test_a_shared_config_file_is_seen_once_it_is_trusted(world: World, repository: Path) -> None:
    world.hookd("init")
    world.write_project_file("config.toml", '[gate]\non_failure = "deny"\n')
    assert status(repository) == ""
    assert "Made to be shared" in world.trust()
    assert status(repository) == "?? .hookd/config.toml\n"


def test_what_config_set_shares_says_so_and_git_sees_it(world: World, repository: Path) -> None:
    world.hookd("init")
    said = world.hookd("config", "set", "--project", "gate.on_failure", "deny")
    assert "Made to be shared, so git sees it: .hookd/config.toml" in said
    assert status(repository) == "?? .hookd/config.toml\n"


def test_what_doctor_registers_is_private_too(world: World, repository: Path) -> None:
    world.run("doctor", "--fix", check=False)
    assert (repository / SETTINGS).exists()
    assert status(repository) == ""


def test_the_project_scope_shares_the_settings_and_nothing_else(world: World, repository: Path) -> None:
    world.hookd("init")
    world.hookd("init", "--scope", "project")
    assert status(repository) == "?? .claude/settings.json\n"
    world.hookd("uninstall", "--scope", "local")
    assert status(repository) == "?? .claude/settings.json\n"
    world.hookd("uninstall", "--scope", "project")
    assert "hookd" not in exclude(repository).read_text()


def test_a_dry_run_shows_the_lines_and_writes_none(world: World, repository: Path) -> None:
    before = exclude(repository).read_bytes()
    assert f"+/{SETTINGS}\n+/.hookd/" in world.hookd("init", "--dry-run")
    assert exclude(repository).read_bytes() == before


@pytest.mark.parametrize("stray", ["an empty folder", "a broken file"])
def test_a_stray_git_above_a_folder_does_not_make_it_part_of_a_project(world: World, stray: str) -> None:
    above = world.base / "above"
    plain = above / "plain"
    plain.mkdir(parents=True)
    if stray == "an empty folder":
        (above / ".git").mkdir()
    else:
        (above / ".git").write_text("what was here?\n")
    world.run("init", cwd=plain)
    assert (plain / SETTINGS).exists() and (plain / ".hookd").exists()
    assert {path.name for path in above.iterdir()} == {".git", "plain"}
    world.run("uninstall", cwd=plain)
    assert list(plain.iterdir()) == []
