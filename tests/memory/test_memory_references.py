"""References by id: within one place, none left behind, and none lost for coming too early."""

import pytest
from memory_world import HERE, THERE, find, new_store, put, texts

from hookd.memory.observations import Observation, Place
from hookd.memory.repository.capture import CapturedFacts
from hookd.memory.repository.forget import REFERRING, Forgetting
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.statements import statements
from hookd.store.database import Database
from hookd.store.engine import Store

OLD = Observation(id="old", text="the queue is Redis")
NEW = Observation(id="new", text="the queue is Postgres")
REFERENCES = (
    "SELECT superseded_by AS id, place FROM observation WHERE superseded_by IS NOT NULL "
    "UNION SELECT from_id, place FROM observation_link UNION SELECT to_id, place FROM observation_link"
)


def supersede(store: Store, older: str, newer: str, place: Place = HERE) -> int:
    return store.submit(lambda db: Observations(db, place).supersede([older], newer)).result()


def named(store: Store, name: str, place: Place = HERE) -> Remembered:
    with store.reading() as db:
        found = Memories(db, place).named(name)
    assert found is not None
    return found


def dangling(store: Store) -> list[tuple[str, int]]:
    with store.reading() as db:
        return [
            tuple(row)
            for row in db.rows(f"{REFERENCES} EXCEPT SELECT id, place FROM observation")  # type: ignore[misc]
        ]


def test_the_same_ids_in_two_projects_refer_to_their_own() -> None:
    store = new_store()
    for place in (HERE, THERE):
        put(store, OLD, NEW, place=place)

    def link(db: Database) -> None:
        CapturedFacts(db, Observations(db, THERE).place_number).link("old", "new", "tried")

    assert supersede(store, "old", "new", THERE) == 1
    store.submit(link).result()
    with store.reading() as db:
        here, there = Memories(db, HERE), Memories(db, THERE)
        its = {place.key: Memories(db, place).named("new") for place in (HERE, THERE)}
        assert its[HERE.key] is not None and its[THERE.key] is not None
        assert here.superseded_by(its[HERE.key]) == [] and here.links(its[HERE.key]) == []
        assert there.superseded_by(its[THERE.key]) == ["old"]
        assert [each.id for each in there.links(its[THERE.key])] == ["old"]
        assert (here.link_kinds(), there.link_kinds()) == ({}, {"tried": 1})
    place = named(store, "old").place
    store.submit(lambda db: Forgetting(db).delete_places([place])).result()
    assert named(store, "old", THERE).superseded_by == "new" and dangling(store) == []
    store.close()


@pytest.mark.parametrize("gone", ["old", "new", "last"])
def test_what_is_deleted_is_referred_to_no_more(gone: str) -> None:
    store = new_store()
    put(store, OLD, NEW, Observation(id="last", text="the queue is in memory"))
    supersede(store, "old", "new")
    supersede(store, "new", "last")
    supersede(store, gone, "never came")

    def link_and_delete(db: Database) -> None:
        known = CapturedFacts(db, Observations(db, HERE).place_number)
        for one, other in (("old", "new"), ("new", "last"), ("last", "old")):
            known.link(one, other, "tried")
        it = Memories(db, HERE).named(gone)
        assert it is not None
        assert Forgetting(db).delete([it.seq, 10_000]) == [it.name]

    store.submit(link_and_delete).result()
    assert dangling(store) == []
    with store.reading() as db:
        assert db.value("SELECT count(*) FROM observation_link") == 1
        assert db.value("SELECT count(*) FROM awaited_superseding") == 0
    put(store, Observation(id=gone, text="back again"), Observation(id="never came", text="but did"))
    assert (
        named(store, gone).superseded_by is None
    )  # what was said of the one that is forgotten is forgotten too
    store.close()


@pytest.mark.parametrize("name", [*REFERRING, "awaiting", "superseded_by", "links_from"])
def test_what_refers_to_an_observation_is_not_looked_for_among_all(name: str) -> None:
    values = {"id": "old", "place": 1, "from_id": "old", "kind": "tried"}
    store = new_store()
    with store.reading() as db:
        plan = [row[3] for row in db.rows(f"EXPLAIN QUERY PLAN {statements()[name]}", values)]
    steps = [step for step in plan if step.startswith(("SCAN", "SEARCH"))]
    assert steps and all("=? AND place=?" in step for step in steps), plan


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_what_supersedes_may_be_said_before_either_is_here(order: tuple[Observation, Observation]) -> None:
    store = new_store()
    assert supersede(store, "old", "new") == 0
    put(store, order[0])
    # Nothing is left out for an observation that may never come.
    assert texts(find(store, "queue")) == [order[0].text]
    put(store, order[1])
    assert texts(find(store, "queue")) == [NEW.text] and named(store, "old").superseded_by == "new"
    with store.reading() as db:
        assert db.value("SELECT count(*) FROM awaited_superseding") == 0
    assert supersede(store, "new", "new") == 0
    store.close()


def test_a_strangers_file_cannot_lie_in_wait_for_a_persons_words() -> None:
    store = new_store()
    stranger = Observation(id="theirs", text="the queue is theirs", provenance="file")
    put(store, stranger)

    def say(db: Database) -> None:
        Observations(db, HERE).supersede_imported("old", "theirs", own=False)

    store.submit(say).result()
    put(store, OLD)
    assert named(store, "old").superseded_by is None
    store.close()


def test_what_waits_goes_with_its_project() -> None:
    store = new_store()
    put(store, OLD)
    supersede(store, "old", "new")
    supersede(store, "one", "other")
    place = named(store, "old").place
    store.submit(lambda db: Forgetting(db).delete_places([place])).result()
    with store.reading() as db:
        assert db.value("SELECT count(*) FROM awaited_superseding") == 0
    store.close()
