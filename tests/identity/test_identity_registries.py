"""Repositories that more than one data folder knows, and ids that one of them has never heard of."""

import shutil
from pathlib import Path

from identity_world import Place, assert_share_the_identity, git

FOREIGN = "0123456789abcdef" * 2


def ids_in(folder: Path) -> list[str]:
    return (folder / ".git/hookd-id").read_text().split()


def test_an_id_that_the_registry_does_not_know_stays_and_counts_for_nothing(place: Place) -> None:
    projects = set()
    for number in range(3):
        app = place.repository(f"app{number}")
        (app / ".git/hookd-id").write_text(f"{FOREIGN}\n")
        user = place.with_data(f"data{number}")
        found = user.of_repository(app)
        assert found.git != FOREIGN
        assert ids_in(app) == [FOREIGN, found.git]
        assert user.of_repository(app) == found
        projects.add(found.project)
    assert len(projects) == 3


def test_data_folders_that_alternate_keep_their_identity_each(place: Place) -> None:
    app = place.repository()
    git(app, "worktree", "add", "../side")
    users = [place, place.with_data("container")]
    first = [user.of_repository(app) for user in users]
    side = [user.of_repository(place.base / "side") for user in users]
    assert [found.git for found in first] == ids_in(app)
    assert first[0].project != first[1].project
    for one, other in zip(first, side, strict=True):
        assert_share_the_identity(one, other)
    for _ in range(3):
        assert [user.of_repository(app) for user in users] == first
        assert [user.of_repository(place.base / "side") for user in users] == side
    app = app.rename(place.base / "moved")
    git(app, "worktree", "repair", "../side")
    for folder, found in ((app, first), (place.base / "side", side), (app, first)):
        assert [user.of_repository(folder) for user in users] == found


def test_a_copy_of_a_repository_that_two_data_folders_know(place: Place) -> None:
    app = place.repository()
    users = [place, place.with_data("container")]
    first = [user.of_repository(app) for user in users]
    copy = place.copy(app, "copy")
    copied = [user.of_repository(copy) for user in users]
    assert [found.git for found in copied] == ids_in(copy)
    assert len({found.git for found in (*first, *copied)}) == 4
    for _ in range(2):
        assert [user.of_repository(copy) for user in users] == copied
        assert [user.of_repository(app) for user in users] == first
    assert len({found.project for found in (*first, *copied)}) == 4


def test_a_forged_id_that_another_registry_knows_gets_nothing(place: Place) -> None:
    app, forged = place.repository(), place.repository("forged")
    other = place.with_data("container")
    first = other.of_repository(app)
    shutil.copy(app / ".git/hookd-id", forged / ".git/hookd-id")
    found = place.of_repository(forged)
    assert found.git != first.git
    assert found.project != first.project
    assert other.of_repository(forged).project != first.project
    assert other.of_repository(app) == first


def test_an_id_of_a_record_is_not_what_memory_goes_by(place: Place) -> None:
    """Who reads the id file of a repository has nothing to compute its project from."""
    app = place.repository()
    first = place.of_repository(app)
    registered = place.registry.get(first.git)
    assert registered is not None
    assert registered.project not in (first.git, first.project)
    for path in app.rglob("*"):
        assert not path.is_file() or registered.project.encode() not in path.read_bytes()


def test_losing_the_registry_gives_a_new_identity_once(place: Place) -> None:
    app = place.repository()
    first = place.of_repository(app)
    shutil.rmtree(place.folders.projects)
    second = place.of_repository(app)
    assert ids_in(app) == [first.git, second.git]
    assert second.project != first.project
    assert place.of_repository(app) == second
    assert place.of_repository(app.rename(place.base / "moved")) == second


def test_a_folder_that_brings_the_id_of_a_registered_one_is_a_copy_though_the_id_was_foreign(
    place: Place,
) -> None:
    app = place.repository()
    (app / ".git/hookd-id").write_text(f"{FOREIGN}\n")
    first = place.of_repository(app)
    copy = place.copy(app, "copy")
    assert place.of_repository(copy).project != first.project
    assert first.git not in ids_in(copy)
    assert place.of_repository(app) == first
