"""Whom memory follows: real repositories, moved, joined and forged, with the whole way of an event."""

import asyncio
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from identity_world import REMOTE, Place, git

from hookd.cli.purge import _folders, forget
from hookd.daemon.recorder import put_on_record
from hookd.daemon.service import Service
from hookd.identity import clones
from hookd.journal.entries import Joined
from hookd.memory.observations import place_of
from hookd.memory.repository.search import Filters
from hookd.memory.sharing import report
from hookd.paths import Project, project_at
from hookd.wire import Request
from played import Played

DECISION = "We use the port 8443 for the gateway from now on."


class Checkout(Played):
    """One of several folders of a person, all with the same store."""

    def __init__(self, home: Path, root: Path) -> None:
        self.root = root
        self.env = {"HOME": str(home), "HOOKD_HOME": str(home / "h")}
        (home / "h").mkdir(exist_ok=True)
        self._loop = asyncio.Runner()
        self.service = Service(str(root), self.env)
        self.session = f"in {root.name}"
        self._calls = 0

    @property
    def project(self) -> Project:
        return project_at(str(self.root), self.env)

    def close(self) -> None:
        self.service.close()
        self._loop.close()

    def work(self, decision: str = DECISION) -> None:
        """A session with a decision and a test that fails."""
        self.begin()
        self.prompt(decision)
        self.write("gateway.py", "PORT = 1")
        self.bash("pytest tests/test_gateway.py", error="1 failed: test_port")
        self.answer("The port is changed; one test still fails.")
        self.ingest()

    def begin(self, session: str = "") -> str:
        """What a session is told when it begins."""
        self.session = session or self.session
        self.ingest()
        body = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": "SessionStart"}
        request = Request("claude-code", "SessionStart", json.dumps(body | {"source": "startup"}).encode())
        answer = self._loop.run(self.service.answer(request))
        return str(
            json.loads(answer.stdout or b"{}").get("hookSpecificOutput", {}).get("additionalContext", "")
        )

    def remembers(self) -> list[str]:
        """What a search in this project finds."""
        here = place_of(self.project.folders, str(self.root))
        return [found.text for found in self.found("gateway port", Filters(here))]


def shared(checkout: Checkout) -> tuple[list[str], list[str]]:
    """With whom it shares, and with whom it could, as `hookd status` has it."""
    found = report(checkout.project)["memory"]
    assert found["stands_alone"] == ""
    return found["shared_with"], found["joinable"]


class Person:
    """Somebody with a home and repositories."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.home = place.base / "home"
        self.home.mkdir()
        self._open: list[Checkout] = []

    def at(self, root: Path) -> Checkout:
        made = Checkout(self.home, root)
        self._open.append(made)
        return made

    def leaves(self, checkout: Checkout) -> None:
        checkout.close()
        self._open.remove(checkout)

    def close(self) -> None:
        for each in self._open:
            each.close()


@pytest.fixture
def person(place: Place) -> Iterator[Person]:
    made = Person(place)
    yield made
    made.close()


def test_a_moved_project_keeps_its_memory_and_where_work_stands(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    moved = person.at(app.root.rename(person.place.base / "elsewhere"))
    told = moved.begin("next")
    assert "8443" in told and "The last session" in told and "test_gateway" in told
    assert any("8443" in text for text in moved.remembers())
    moved.bash("pytest tests/test_gateway.py", output="1 passed")
    moved.answer()
    assert "failed" not in moved.begin("after that")  # what mends it need not know where it failed


def test_a_work_tree_knows_what_was_decided_and_not_what_is_open_elsewhere(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    git(app.root, "worktree", "add", "../side")
    side = person.at(person.place.base / "side")
    told = side.begin("first here")
    assert "8443" in told
    assert "The last session" not in told and "test_gateway" not in told
    side.work("We decided to keep the log in one file.")
    assert "one file" in app.begin("back")
    keys = {row["project"] for row in app.rows("SELECT DISTINCT project FROM event")}
    assert keys == {app.project.key, side.project.key}


def test_another_clone_shares_after_a_person_said_so_and_until_they_say_otherwise(person: Person) -> None:
    source = person.place.repository("source")
    one, two = (person.at(person.place.clone(name, source)) for name in ("one", "two"))
    one.work()
    assert two.begin() == "" and two.remembers() == []
    assert shared(two) == ([], [str(one.root)])
    clones.join(two.project.folders, str(two.root), str(one.root))
    put_on_record(two.project, Joined(id="1" * 32, at=1.0, clone=str(one.root)))
    assert "8443" in two.begin("second") and "The last session" not in two.begin("third")
    two.prompt("We use the codename Heron for the gateway port release.")
    two.answer()
    two.ingest()
    assert any("Heron" in text for text in one.remembers())
    assert shared(two) == ([str(one.root)], [])
    assert clones.leave(two.project.folders, str(two.root))
    put_on_record(two.project, Joined(id="2" * 32, at=2.0))
    assert not any("8443" in text for text in two.remembers())
    assert any("Heron" in text for text in two.remembers())
    assert not any("Heron" in text for text in one.remembers())


def test_a_copy_a_forged_work_tree_and_a_forged_remote_get_nothing(person: Person) -> None:
    app = person.at(person.place.repository(remote=REMOTE))
    app.work()
    copy = person.at(person.place.copy(app.root, "copy"))
    forged = person.place.base / "forged"
    forged.mkdir()
    git(app.root, "worktree", "add", "../side")
    shutil.copy(person.place.base / "side/.git", forged / ".git")
    stolen = person.place.repository("stolen", remote=REMOTE)
    shutil.copy(app.root / ".git/hookd-id", stolen / ".git/hookd-id")
    for each in (copy, person.at(forged), person.at(stolen)):
        assert each.begin() == "", each.root
        assert each.remembers() == [], each.root
    assert "8443" in app.begin("still mine")


def test_two_projects_of_one_monorepo_and_two_unrelated_ones_share_nothing(person: Person) -> None:
    app = person.place.repository()
    for name in ("web", "api"):
        (app / name / ".hookd").mkdir(parents=True)
    person.at(app / "web").work()
    for root in (app / "api", app, person.place.repository("other"), person.place.base):
        other = person.at(root)
        assert other.begin() == "" and other.remembers() == [], root


def test_a_project_that_took_the_place_of_another_does_not_get_its_memory(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    app.root.rename(person.place.base / "away")
    after = person.at(person.place.repository())
    assert after.root == app.root
    assert after.begin() == "" and after.remembers() == []
    after.work("We use the port 9000 for this gateway.")
    away = person.at(person.place.base / "away")
    assert "8443" in away.begin("back") and "9000" not in away.begin("again")


def test_a_folder_that_becomes_a_repository_keeps_what_it_had(person: Person) -> None:
    root = person.place.base / "young"
    root.mkdir()
    young = person.at(root)
    young.work()
    git(root, "init", "-b", "main")
    assert "8443" in young.begin("as a repository")
    young.work("We decided to write the changelog by hand.")
    person.leaves(young)
    moved = person.at(root.rename(person.place.base / "grown"))
    told = moved.begin("moved")
    assert "8443" in told and "changelog" in told


def test_a_store_of_before_is_taken_over_where_its_folder_is_next_seen(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()

    def as_before(db: object) -> None:
        db.run("UPDATE memory_place SET identity = '', tree = ''")  # type: ignore[attr-defined]

    app.service.recorder.store.submit(as_before).result()
    assert "8443" in app.begin("first of this version")
    app.answer()
    app.ingest()
    git(app.root, "worktree", "add", "../side")
    assert "8443" in person.at(person.place.base / "side").begin()


def test_an_id_that_a_template_brought_along_leads_nowhere(person: Person) -> None:
    template = person.place.repository("template")
    (template / ".git/hookd-id").write_text("0123456789abcdef" * 2 + "\n")
    app = person.at(person.place.copy(template, "app"))
    app.work()
    person.leaves(app)
    client = person.at(app.root.rename(person.place.base / "client"))
    again = person.at(person.place.copy(template, "app"))
    assert again.begin() == "" and again.remembers() == []
    assert "8443" in client.begin("mine")


def test_a_repository_that_comes_to_the_path_of_a_plain_folder_gets_nothing(person: Person) -> None:
    plain = person.place.base / "plain"
    plain.mkdir()
    first = person.at(plain)
    first.work()
    person.leaves(first)
    plain.rename(person.place.base / "away")  # its number is in use as long as it is there
    after = person.at(person.place.repository("plain"))
    assert after.begin() == "" and after.remembers() == []


def test_a_work_tree_of_the_name_of_a_removed_one_begins_anew(person: Person) -> None:
    app = person.place.repository()
    git(app, "worktree", "add", "../side")
    side = person.at(person.place.base / "side")
    side.work()
    person.leaves(side)
    (app / ".git/worktrees/side").rename(person.place.base / "kept")  # else its number may be given again
    shutil.rmtree(side.root)
    git(app, "worktree", "prune")
    git(app, "worktree", "add", "../side", "-B", "again")
    told = person.at(person.place.base / "side").begin("new")
    assert "8443" in told and "The last session" not in told


def test_a_repository_that_is_exchanged_during_a_session_does_not_write_for_the_other(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    app.root.rename(person.place.base / "away")
    person.place.repository()
    app.prompt("We use the codename Heron for the gateway port release.")
    app.answer()
    app.ingest()
    assert not any("Heron" in text for text in person.at(person.place.base / "away").remembers())


def test_purging_one_leaves_what_another_had_at_a_former_path(person: Person) -> None:
    first = person.at(person.place.repository())
    first.work()
    person.leaves(first)
    first_now = person.at(first.root.rename(person.place.base / "first"))
    first_now.prompt("Go on.")
    first_now.ingest()
    second = person.at(person.place.repository())
    second.work("We use the codename Heron for the gateway port release.")
    person.leaves(second)
    second.root.rename(person.place.base / "second")
    assert _folders(first_now.project).before == ()
    person.leaves(first_now)
    forget(first_now.project)
    assert any("Heron" in text for text in person.at(person.place.base / "second").remembers())


def test_a_folder_is_purged_whose_repository_is_another_one_now(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    app.root.rename(person.place.base / "away")
    other = person.at(person.place.repository())
    other.work("We use the codename Heron for the gateway port release.")
    person.leaves(other)
    forget(other.project)
    away = person.at(person.place.base / "away")
    assert "8443" in away.begin("mine")
    assert not [row for row in away.rows("SELECT text FROM observation") if "Heron" in row["text"]]


@pytest.mark.parametrize("how", ["deleted", "damaged"])
def test_what_cannot_be_recognised_any_more_is_purged_by_its_path(person: Person, how: str) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    if how == "deleted":
        shutil.rmtree(app.root)
    else:
        [record] = app.project.folders.projects.glob("*.json")
        record.write_text("{")
    forget(app.project)
    other = person.at(person.place.repository("other"))
    assert other.rows("SELECT text FROM observation") == []
    assert not [path for path in person.home.rglob("*") if path.is_file() and b"8443" in path.read_bytes()]


def test_trust_and_what_the_gate_was_taught_do_not_follow(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    moved = person.at(app.root.rename(person.place.base / "elsewhere"))
    moved.begin("next")
    folders = moved.project.folders
    assert app.project.key != moved.project.key
    assert folders.journal(app.project.key) != folders.journal(moved.project.key)
    assert moved.rows("SELECT 1 FROM learned_rule WHERE project = ?", moved.project.key) == []


def test_purge_covers_where_a_project_was_and_names_with_whom_it_shares(person: Person) -> None:
    app = person.at(person.place.repository())
    app.work()
    person.leaves(app)
    moved = person.at(app.root.rename(person.place.base / "elsewhere"))
    moved.begin("next")
    moved.answer()
    git(moved.root, "worktree", "add", "../side")
    side = person.at(person.place.base / "side")
    side.work("We use the codename Heron for the gateway port release.")
    found = _folders(moved.project)
    assert found.before == (str(app.root),)
    assert found.sharing == (str(side.root),)
    person.leaves(moved)
    for each in (moved.project, app.project):
        forget(each)
    left = [row["text"] for row in side.rows("SELECT text FROM observation")]
    assert left and not any("8443" in text for text in left)
    assert [row["project"] for row in side.rows("SELECT DISTINCT project FROM event")] == [side.project.key]


def test_forgetting_after_a_move_reaches_what_was_recorded_before_it(person: Person) -> None:
    from functools import partial

    from hookd.daemon.recorder import recording
    from hookd.journal.recovery import Keeper
    from hookd.memory import forget

    app = person.at(person.place.repository())
    (app.root / ".hookd").mkdir()
    app.work()
    person.leaves(app)
    moved = person.at(app.root.rename(person.place.base / "elsewhere"))
    moved.prompt("Go on.")
    numbers = [row["seq"] for row in moved.observations() if "gateway" in row["text"]]
    folders = moved.project.folders
    keeper = Keeper(moved.service.recorder.store, folders.journals)
    forget.forget(keeper, numbers, str(moved.root), partial(recording, folders), folders.spools())
    person.leaves(moved)
    kept = [path for base in (person.home, moved.root) for path in base.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"test_gateway" in path.read_bytes()]
    assert os.path.exists(moved.root / ".hookd/CURRENT.md")
