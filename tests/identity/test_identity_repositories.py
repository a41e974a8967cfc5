"""The identity of a repository: what it follows, and who does not get it."""

import os
import shutil
import stat
import subprocess
import sys

import pytest
from identity_world import REMOTE, Place, assert_share_the_identity, git
from msgspec.structs import replace

from hookd.paths import project_key


def test_an_identity_stays_and_the_id_is_private_and_all_that_is_written(place: Place) -> None:
    app = place.repository(remote=REMOTE)
    before = set(os.listdir(app / ".git"))
    first = place.of_repository(app)
    assert (place.remote(app), first.inside) == ("example.com/acme/app", "")
    id_file = app / ".git" / "hookd-id"
    assert id_file.read_text() == f"{first.git}\n"
    assert stat.S_IMODE(id_file.stat().st_mode) == 0o600
    assert set(os.listdir(app / ".git")) - before == {"hookd-id"}
    assert place.of_repository(app) == first
    assert first.git not in first.project


def test_nothing_is_written_for_what_is_known(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    files = [app / ".git" / "hookd-id", place.folders.projects / f"{first.git}.json"]
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in files]
    assert place.of_repository(app) == first
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in files] == before


IMPORTED = """
import sys
import hookd.daemon.service
before = set(sys.modules)
from pathlib import Path
from hookd.identity.resolve import identify
from hookd.paths import UserFolders
identify(UserFolders(Path(sys.argv[1]), Path(sys.argv[2])), sys.argv[3])
print(*sorted(set(sys.modules) - before))
"""


def test_what_is_known_needs_few_modules(place: Place) -> None:
    """A daemon's first event waits for each: none is for what is new, for remotes or for joins."""
    app = place.repository(remote=REMOTE)
    place.of_repository(app)
    arguments = [str(place.folders.config), str(place.folders.data), str(app)]
    told = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True
    )
    room = {f"hookd.identity.{name}" for name in ("ids", "registry", "repository", "resolving")}
    assert set(told.stdout.split()) <= {"hookd.identity", "hookd.gitstate", *room}


def test_git_itself_is_never_started(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    app = place.repository()
    git(app, "config", "core.fsmonitor", f"touch {place.base}/ran")
    monkeypatch.setenv("PATH", "/nonexistent")
    place.of_repository(app)
    assert not (place.base / "ran").exists()


def test_a_repository_that_is_moved_keeps_its_identity(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    moved = app.rename(place.base / "elsewhere")
    assert place.of_repository(moved) == first
    registered = place.registry.get(first.git)
    assert registered is not None
    assert registered.common == f"{moved}/.git"
    assert list(registered.checkouts) == [str(app), str(moved)]


def test_a_moved_repository_keeps_it_though_a_clone_has_taken_its_path(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    moved = app.rename(place.base / "elsewhere")
    clone = place.clone("app", moved)
    assert place.of_repository(moved) == first
    assert place.of_repository(clone).project != first.project
    assert place.of_repository(moved) == first


def test_a_copy_gets_an_id_of_its_own_and_the_original_keeps_its(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    copy = place.copy(app, "copy")
    assert (copy / ".git" / "hookd-id").read_text() == f"{first.git}\n"
    second = place.of_repository(copy)
    assert second.project != first.project
    assert (copy / ".git" / "hookd-id").read_text() == f"{second.git}\n"
    assert place.of_repository(app) == first
    shutil.rmtree(app)
    assert place.of_repository(copy) == second


def test_a_copy_that_is_seen_once_the_original_is_gone_has_moved(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    copy, another = place.copy(app, "copy"), place.copy(app, "another")
    shutil.rmtree(app)
    assert place.of_repository(copy) == first
    assert place.of_repository(another).project != first.project


def test_a_repository_that_was_restored_at_its_path_is_the_same(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    backup = place.copy(app, "backup")
    shutil.rmtree(app)
    other = place.repository("other")  # has the inode now, where inodes are given out again at once
    backup.rename(app)
    assert place.of_repository(app) == first
    assert place.of_repository(other).project != first.project


def test_an_original_that_cannot_be_looked_at_is_not_gone(place: Place) -> None:
    first = place.of_repository(place.repository())
    registered = place.registry.get(first.git)
    assert registered is not None
    assert not registered.has_moved()
    out_of_reach = replace(registered, common="/" + "x" * 300, device=1, inode=1)
    assert not out_of_reach.has_moved()


def test_a_copied_id_by_a_hard_link_gets_nothing_and_spoils_nothing(place: Place) -> None:
    app, forged = place.repository(), place.repository("forged")
    first = place.of_repository(app)
    os.link(app / ".git" / "hookd-id", forged / ".git" / "hookd-id")
    assert place.of_repository(forged).project != first.project
    assert place.of_repository(app) == first


def test_a_clone_has_an_identity_of_its_own_with_or_without_the_same_remote(place: Place) -> None:
    app = place.repository(remote=REMOTE)
    checkouts = [app, place.clone("full", app), place.clone("shallow", app, REMOTE, "--depth=1")]
    assert (place.base / "shallow" / ".git" / "shallow").exists()
    assert {place.remote(folder) for folder in checkouts} == {"example.com/acme/app"}
    assert len({place.of_repository(folder).project for folder in checkouts}) == 3


def test_a_repository_without_commits(place: Place) -> None:
    (place.base / "empty").mkdir()
    git(place.base / "empty", "init")
    assert place.of_repository(place.base / "empty").inside == ""
    assert place.remote(place.base / "empty") == ""


def test_a_bare_repository_stands_alone_and_its_work_trees_do_not(place: Place) -> None:
    app = place.repository()
    git(place.base, "clone", "--bare", str(app), "bare.git")
    place.alone(place.base / "bare.git", "no git repository")
    git(place.base / "bare.git", "worktree", "add", "../one", "main")
    git(place.base / "bare.git", "worktree", "add", "-b", "side", "../two")
    one, two = place.of_repository(place.base / "one"), place.of_repository(place.base / "two")
    assert_share_the_identity(one, two)
    assert (place.base / "bare.git" / "hookd-id").read_text() == f"{one.git}\n"


def test_folders_of_a_monorepo_are_projects_of_their_own(place: Place) -> None:
    app = place.repository()
    for name in ("services/web", "services/api"):
        (app / name / ".hookd").mkdir(parents=True)
    found = [place.of_repository(folder) for folder in (app, app / "services/web", app / "services/api")]
    assert [each.inside for each in found] == ["", "services/web", "services/api"]
    assert len({each.git for each in found}) == 1
    assert len({each.project for each in found}) == 3
    git(app, "worktree", "add", "../side")
    (place.base / "side/services/web/.hookd").mkdir(parents=True)
    assert_share_the_identity(place.of_repository(place.base / "side/services/web"), found[1])


def test_a_root_by_a_link_is_the_same_checkout(place: Place) -> None:
    app = place.repository()
    (place.base / "link").symlink_to("app")
    assert place.of_repository(place.base / "link") == place.of_repository(app)


def test_without_git_the_path_and_the_machine_tell(place: Place) -> None:
    for name in ("one", "two"):
        (place.base / name).mkdir()
    one, two = (place.alone(place.base / name, "no git repository") for name in ("one", "two"))
    assert one.project != two.project
    assert one.project not in project_key(str(place.base / "one"))
    place.folders.machine.unlink()
    assert place.identity(place.base / "one").project != one.project


def test_the_latest_checkouts_are_remembered_and_not_without_end(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookd.identity.register.MOST_CHECKOUTS", 3)
    app = place.repository()
    for name in ("a", "b", "c", "d"):
        (app / name).mkdir()
        place.of_repository(app / name)
    registered = place.registry.get(place.of_repository(app / "d").git)
    assert registered is not None
    assert registered.checkouts == {f"{app}/{name}": name for name in "bcd"}
