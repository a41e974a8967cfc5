"""Clones of one remote that a person calls one project."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from identity_world import REMOTE, Place, git
from msgspec.structs import replace

from hookd.errors import UsageError
from hookd.identity.clones import join, joinable, leave
from hookd.identity.registry import Belonging, RegisteredRepository
from hookd.identity.resolve import MOST_JOINS


def clones(place: Place, *names: str) -> list[Path]:
    """Registered clones of one remote."""
    app = place.repository("source")
    made = [place.clone(name, app) for name in names]
    for folder in made:
        place.of_repository(folder)
    return made


def record(place: Place, git_id: str) -> RegisteredRepository:
    found = place.registry.get(git_id)
    assert found is not None
    return found


def refused(place: Place, root: Path, other: Path) -> str:
    before = {path: path.read_bytes() for path in place.folders.projects.glob("*.json")}
    with pytest.raises(UsageError) as refusal:
        join(place.folders, str(root), str(other))
    assert {path: path.read_bytes() for path in place.folders.projects.glob("*.json")} == before
    return str(refusal.value)


def test_a_clone_is_joined_and_leaves_again(place: Place) -> None:
    one, two = clones(place, "one", "two")
    first, second = place.of_repository(one), place.of_repository(two)
    assert joinable(place.folders, str(two)) == [str(one)]
    join(place.folders, str(two), str(one))
    assert place.of_repository(two) == replace(second, project=first.project)
    assert place.of_repository(one) == first
    assert joinable(place.folders, str(two)) == joinable(place.folders, str(one)) == []
    assert leave(place.folders, str(two))
    assert not leave(place.folders, str(two))
    assert place.of_repository(two) == second


def test_a_join_holds_for_work_trees_and_after_either_clone_moves_or_goes(place: Place) -> None:
    one, two = clones(place, "one", "two")
    join(place.folders, str(two), str(one))
    project = place.of_repository(one).project
    git(two, "worktree", "add", "../side")
    assert place.of_repository(place.base / "side").project == project
    one.rename(place.base / "away")
    two = two.rename(place.base / "moved")
    assert place.of_repository(two).project == project
    assert place.of_repository(place.copy(two, "copy")).project != project


def test_joins_lead_to_one_project_and_never_round(place: Place) -> None:
    one, two, three = clones(place, "one", "two", "three")
    join(place.folders, str(two), str(one))
    join(place.folders, str(three), str(two))
    projects = {place.of_repository(folder).project for folder in (one, two, three)}
    assert len(projects) == 1
    for root in (one, two, three):
        for other in {one, two, three} - {root}:
            assert "one project already" in refused(place, root, other)
    leave(place.folders, str(two))
    assert place.of_repository(three).project == place.of_repository(one).project
    assert place.of_repository(two).project != place.of_repository(one).project


def test_what_was_joined_to_a_clone_goes_with_it(place: Place) -> None:
    one, two, three = clones(place, "one", "two", "three")
    join(place.folders, str(two), str(one))
    assert "leave that one first" in str(join_error(place, two, three).hint)
    join(place.folders, str(one), str(three))
    assert place.of_repository(two).project == place.of_repository(three).project


def join_error(place: Place, root: Path, other: Path) -> UsageError:
    with pytest.raises(UsageError) as refusal:
        join(place.folders, str(root), str(other))
    return refusal.value


def test_a_registry_that_leads_round_or_on_and_on_gives_nobody_anything(place: Place) -> None:
    one, two = clones(place, "one", "two")
    ids = [place.of_repository(folder).git for folder in (one, two)]
    records = [record(place, git_id) for git_id in ids]
    for number in (0, 1):
        joins = Belonging(ids[1 - number], records[1 - number].project)
        place.registry.put(ids[number], replace(records[number], joins=joins))
    place.alone(one, "lead nowhere")
    place.alone(two, "lead nowhere")
    assert joinable(place.folders, str(one)) == []
    assert "lead nowhere" in refused(place, one, two)
    assert leave(place.folders, str(one))
    assert place.of_repository(two).project == place.of_repository(one).project
    last = record(place, ids[0])
    row = [f"{number:032x}" for number in range(MOST_JOINS + 2)]
    for name, following in pairwise(row):
        place.registry.put(name, replace(last, project=name, joins=Belonging(following, following)))
    place.registry.put(ids[0], replace(last, joins=Belonging(row[0], row[0])))
    place.alone(one, "lead nowhere")


@pytest.mark.parametrize("joins", ["../../config/secret", "x" * 32, "/etc/passwd"])
def test_a_join_to_what_is_no_id_reads_no_other_file(place: Place, joins: str) -> None:
    (one,) = clones(place, "one")
    git_id = place.of_repository(one).git
    registered = record(place, git_id)
    place.folders.config.mkdir()
    shutil.copy(place.folders.projects / f"{git_id}.json", place.folders.config / "secret.json")
    place.registry.put(git_id, replace(registered, joins=Belonging(joins, registered.project[::-1])))
    assert place.registry.get(joins) is None
    assert place.of_repository(one).git == git_id


def test_a_forged_remote_gets_nothing_by_itself(place: Place) -> None:
    app = place.repository(remote=REMOTE)
    first = place.of_repository(app)
    forged = place.repository("forged", REMOTE)
    assert place.remote(forged) == place.remote(app) != ""
    assert place.of_repository(forged).project != first.project
    assert joinable(place.folders, str(forged)) == [str(app)]


def test_only_clones_of_one_remote_can_be_joined(place: Place) -> None:
    app, other = place.repository(remote=REMOTE), place.repository("other", "https://example.com/acme/other")
    local, local_too = place.repository("local", "/srv/app.git"), place.repository("local2", "/srv/app.git")
    unseen = place.repository("unseen", REMOTE)
    for folder in (app, other, local, local_too):
        place.of_repository(folder)
        assert joinable(place.folders, str(folder)) == []
    assert "is a clone of example.com/acme/app" in refused(place, app, other)
    assert "is a clone of example.com/acme/app" in refused(place, app, local)
    assert "no remote" in refused(place, local, local_too)
    assert "hookd has not worked in the repository" in refused(place, app, unseen)
    assert "hookd has not worked in the repository" in refused(place, unseen, app)
    assert "stands alone" in refused(place, app, place.base)
    assert "stands alone" in refused(place, app, place.base / "gone")
    assert not (unseen / ".git/hookd-id").exists()


def test_the_remote_of_today_counts_not_the_one_that_was_seen(place: Place) -> None:
    one, two = clones(place, "one", "two")
    git(one, "remote", "set-url", "origin", "https://example.com/another/app")
    assert joinable(place.folders, str(two)) == []
    assert "is a clone of" in refused(place, two, one)


def test_a_remote_that_a_clone_was_given_since_it_was_seen_counts(place: Place) -> None:
    one, two = place.repository("one"), place.repository("two")
    for folder in (one, two):
        place.of_repository(folder)
        git(folder, "remote", "add", "origin", REMOTE)
    assert joinable(place.folders, str(two)) == [str(one)]


def test_a_clone_that_took_the_place_of_another_is_named_once(place: Place) -> None:
    one, two = clones(place, "one", "two")
    shutil.rmtree(one)
    place.of_repository(place.clone("one", place.base / "source"))
    assert joinable(place.folders, str(two)) == [str(one)]


def test_a_join_is_to_what_a_person_meant_and_not_to_what_has_its_id_later(place: Place) -> None:
    one, two = clones(place, "one", "two")
    join(place.folders, str(two), str(one))
    first = place.of_repository(one)
    (place.folders.projects / f"{first.git}.json").unlink()
    shutil.rmtree(one)
    forged = place.repository("forged", REMOTE)
    (forged / ".git/hookd-id").write_text(f"{first.git}\n")
    assert place.of_repository(forged).git != first.git
    assert place.of_repository(forged).project != first.project
    assert place.of_repository(two).project == first.project


def test_a_clone_whose_record_was_lost_joins_its_former_project_by_the_other(place: Place) -> None:
    one, two = clones(place, "one", "two")
    join(place.folders, str(two), str(one))
    first = place.of_repository(one)
    (place.folders.projects / f"{first.git}.json").unlink()
    assert place.of_repository(one).project != first.project
    join(place.folders, str(one), str(two))
    assert place.of_repository(one).project == first.project
    assert place.of_repository(two).project == first.project


def test_a_join_is_of_one_data_folder(place: Place) -> None:
    one, two = clones(place, "one", "two")
    other = place.with_data("other-data")
    first, second = other.of_repository(one), other.of_repository(two)
    join(place.folders, str(two), str(one))
    assert (other.of_repository(one), other.of_repository(two)) == (first, second)
    join(other.folders, str(one), str(two))
    assert other.of_repository(one).project == second.project
    assert leave(place.folders, str(two))
    assert other.of_repository(one).project == second.project


def test_work_trees_of_one_repository_need_no_join(place: Place) -> None:
    (one,) = clones(place, "one")
    git(one, "worktree", "add", "-b", "side", "../side")
    place.of_repository(place.base / "side")
    assert "of one repository" in refused(place, one, place.base / "side")


def test_folders_are_joined_to_the_same_folder_of_another_clone(place: Place) -> None:
    one, two = clones(place, "one", "two")
    for folder in (one, two):
        (folder / "web/.hookd").mkdir(parents=True)
        place.of_repository(folder / "web")
    assert "different folders" in refused(place, one, two / "web")
    assert joinable(place.folders, str(two / "web")) == [str(one / "web")]
    join(place.folders, str(two / "web"), str(one / "web"))
    for inside in ("", "web"):
        assert place.of_repository(one / inside).project == place.of_repository(two / inside).project


def test_a_registry_that_cannot_be_written_is_said(place: Place) -> None:
    one, two = clones(place, "one", "two")
    (place.folders.projects / "lock").unlink()
    (place.folders.projects / "lock").mkdir()
    assert "cannot be written" in refused(place, one, two)
    with pytest.raises(UsageError, match="cannot be written"):
        leave(place.folders, str(one))
