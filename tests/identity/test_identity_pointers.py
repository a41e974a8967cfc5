"""Work trees, submodules and their like: a pointer counts if the other end points back."""

import os
import shutil
from pathlib import Path

from identity_world import Place, assert_share_the_identity, git


def side(place: Place, app: Path) -> Path:
    """A linked work tree of a repository."""
    git(app, "worktree", "add", "-b", "side", "../side")
    return place.base / "side"


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_work_trees_share_the_identity_and_are_checkouts_of_it(place: Place) -> None:
    app = place.repository()
    tree = side(place, app)
    assert_share_the_identity(place.of_repository(tree), place.of_repository(app))
    registered = place.registry.get(place.identity(app).git)
    assert registered is not None
    assert registered.checkouts == {str(tree): "", str(app): ""}
    assert not list(tree.rglob("hookd-id"))


def test_a_work_tree_that_git_moves_stays_in(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(side(place, app))
    git(app, "worktree", "move", "../side", "../moved")
    assert place.of_repository(place.base / "moved") == first


def test_a_work_tree_that_is_moved_by_hand_is_in_again_when_git_was_told(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(side(place, app))
    moved = (place.base / "side").rename(place.base / "moved")
    place.alone(moved, "does not lead back; see git worktree repair")
    git(moved, "worktree", "repair")
    assert place.of_repository(moved) == first


def test_pointers_that_are_relative(place: Place) -> None:
    app = place.repository()
    tree = side(place, app)
    (tree / ".git").write_text("gitdir: ../app/.git/worktrees/side\n")
    (app / ".git/worktrees/side/gitdir").write_text("../../../../side/.git\n")
    assert_share_the_identity(place.of_repository(tree), place.of_repository(app))


def test_a_work_tree_that_was_pruned_stands_alone(place: Place) -> None:
    app = place.repository()
    tree = side(place, app)
    first = place.of_repository(tree)
    away = tree.rename(place.base / "away")
    git(app, "worktree", "prune")
    away.rename(tree)
    assert place.alone(tree, "side").project != first.project


def test_a_copied_work_tree_stands_alone(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(side(place, app))
    copy = place.copy(place.base / "side", "copy")
    assert place.alone(copy, "does not lead back").project != first.project
    os.unlink(copy / ".git")
    os.link(place.base / "side" / ".git", copy / ".git")
    place.alone(copy, "does not lead back")


def test_a_forged_pointer_into_another_repository_gets_nothing_and_changes_nothing(place: Place) -> None:
    app = place.repository()
    side(place, app)
    place.of_repository(app)
    before = snapshot(app / ".git")
    forged = place.base / "forged"
    forged.mkdir()
    for target in (app / ".git", app / ".git/worktrees/side", app / ".git/worktrees", app, place.base):
        (forged / ".git").write_text(f"gitdir: {target}\n")
        place.alone(forged, "its .git leads to")
    assert snapshot(app / ".git") == before


def test_a_forged_pointer_the_other_way_gets_nothing(place: Place) -> None:
    """A stranger's repository claims a checkout of ours as its work tree."""
    app = place.repository()
    first = place.of_repository(app)
    strange = place.repository("strange")
    claim = strange / ".git/worktrees/app"
    claim.mkdir(parents=True)
    (claim / "gitdir").write_text(f"{app}/.git\n")
    (claim / "commondir").write_text("../..\n")
    git(strange, "config", "core.worktree", str(app))
    assert place.of_repository(app) == first
    assert place.of_repository(strange).project != first.project


def test_a_forged_work_tree_folder_that_borrows_another_repository_gets_nothing(place: Place) -> None:
    app = place.repository()
    place.of_repository(app)
    before = snapshot(app / ".git")
    forged = place.base / "forged"
    fake = forged / "fake/worktrees/x"
    fake.mkdir(parents=True)
    (forged / ".git").write_text("gitdir: fake/worktrees/x\n")
    (fake / "gitdir").write_text(f"{forged}/.git\n")
    (fake / "commondir").write_text(f"{app}/.git\n")
    place.alone(forged, "which is no work tree's")
    shutil.rmtree(forged / "fake")
    (forged / "fake").symlink_to(app / ".git")
    (forged / ".git").write_text("gitdir: fake/worktrees/x\n")
    place.alone(forged, "its .git leads to")
    assert snapshot(app / ".git") == before


def test_a_folder_with_a_forged_commondir_stands_alone(place: Place) -> None:
    app, forged = place.repository(), place.repository("forged")
    place.of_repository(app)
    before = snapshot(app / ".git")
    (forged / ".git/commondir").write_text(f"{app}/.git\n")
    place.alone(forged, "part of another repository's")
    (forged / ".git/commondir").unlink()
    (forged / ".git/commondir").symlink_to("nowhere")
    place.alone(forged, "part of another repository's")
    assert snapshot(app / ".git") == before


def test_a_symbolic_link_stands_alone_whatever_it_leads_to(place: Place) -> None:
    app = place.repository()
    tree = side(place, app)
    forged = place.base / "forged"
    forged.mkdir()
    for target in (app / ".git", tree / ".git", Path("nowhere"), Path(".git")):
        (forged / ".git").symlink_to(target)
        place.alone(forged, "neither a folder nor a plain file")
        (forged / ".git").unlink()


def test_a_submodule_is_a_repository_of_its_own(place: Place) -> None:
    app, library = place.repository(), place.repository("library")
    git(app, "submodule", "add", str(library), "vendor/library")
    found = place.of_repository(app / "vendor/library")
    assert found.inside == ""
    assert (app / ".git/modules/vendor/library/hookd-id").read_text() == f"{found.git}\n"
    assert found.project not in {place.of_repository(app).project, place.of_repository(library).project}
    git(app / "vendor/library", "worktree", "add", "-b", "side", str(place.base / "side"))
    assert_share_the_identity(place.of_repository(place.base / "side"), found)


def test_a_submodule_whose_configuration_is_per_work_tree(place: Place) -> None:
    app, library = place.repository(), place.repository("library")
    git(app, "submodule", "add", str(library), "library")
    first = place.of_repository(app / "library")
    modules = app / ".git/modules/library"
    git(app / "library", "sparse-checkout", "set", "--cone")
    assert "worktree = " in (modules / "config.worktree").read_text()
    assert place.of_repository(app / "library") == first
    git(app / "library", "config", "extensions.worktreeConfig", "false")
    place.alone(app / "library", "does not lead back")


def test_a_forged_pointer_into_a_submodule_gets_nothing(place: Place) -> None:
    app, library = place.repository(), place.repository("library")
    git(app, "submodule", "add", str(library), "library")
    forged = place.base / "forged"
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {app}/.git/modules/library\n")
    place.alone(forged, "core.worktree does not lead back")
    assert not (app / ".git/modules/library/hookd-id").exists()


def test_a_git_folder_elsewhere_counts_once_it_leads_back(place: Place) -> None:
    git(place.base, "init", "--separate-git-dir", str(place.base / "apart.git"), "app")
    app = place.base / "app"
    place.alone(app, "core.worktree does not lead back")
    assert not (place.base / "apart.git/hookd-id").exists()
    git(app, "config", "core.worktree", str(app))
    assert place.of_repository(app).git
