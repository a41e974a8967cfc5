"""Observations found by what a person or an agent calls them, told in full and counted."""

import sqlite3
from collections.abc import Iterator

import pytest

from hookd.config import Config
from hookd.memory.observations import Observation, Place, place_of
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.search import Filters
from hookd.paths import Project, project_at
from hookd.reports.memory import (
    OpenMemory,
    find_observation,
    memory_stats,
    observation_count,
    observation_detail,
    observation_numbers,
    open_memory,
    places_named,
    search_result,
)

ROWS = (
    Observation(id="o1234567aa", text="The queue is Postgres", kind="decision", paths=("b.py", "a.py")),
    Observation(id="o1234567", text="The queue is Redis", kind="decision"),
    Observation(id="o1299999", text="exit code 1", kind="failure", provenance="tool", detail="boom"),
)


class Remembered:
    """A memory with rows of two projects of the same name."""

    def __init__(self, here: Project, opened: OpenMemory, db: sqlite3.Connection) -> None:
        self.here, self.opened, self.db = here, opened, db

    def meant(self, name: str, shortest: int = 1) -> str | tuple[str, ...]:
        found = find_observation(
            self.db, name, place_of(self.here.folders, self.here.root), shortest=shortest
        )
        return found.it.id if found.it is not None else found.candidates


@pytest.fixture
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remembered]:
    base = tmp_path_factory.mktemp("memory")
    here = project_at("/work/one/shop", {"HOME": str(base), "HOOKD_HOME": str(base)})
    told: list[str] = []
    opened = open_memory(Config(), here.folders, told.append)
    place, there = Place(here.key, here.root), Place("f" * 64, "/work/two/shop")

    def fill(db: sqlite3.Connection) -> None:
        Observations(db, place).add(ROWS)
        Observations(db, there).add([Observation(id="elsewhere", text="Another shop")])
        Observations(db, place).supersede(["o1234567"], "o1234567aa")

    opened.memory.store.submit(fill).result()
    with opened.memory.store.reading() as db:
        yield Remembered(here, opened, db)
    opened.memory.store.close()


def test_an_id_means_itself_even_if_others_begin_with_it(remembered: Remembered) -> None:
    assert remembered.meant("o1234567") == "o1234567"
    assert remembered.meant("o1234567a") == "o1234567aa"


def test_a_beginning_means_the_only_one_that_begins_so(remembered: Remembered) -> None:
    assert remembered.meant("o129") == "o1299999"
    assert remembered.meant("o12345") == ("o1234567", "o1234567aa")
    assert remembered.meant("o129", shortest=7) == ()
    assert remembered.meant("o129999", shortest=7) == "o1299999"
    assert remembered.meant("") == () == remembered.meant("zz")


def test_another_projects_observations_are_found_only_on_request(remembered: Remembered) -> None:
    assert remembered.meant("elsewhere") == ()
    assert find_observation(remembered.db, "else", None).it is not None
    assert Memories(remembered.db, None).named("else") is None


def test_what_is_known_of_an_observation(remembered: Remembered) -> None:
    it = find_observation(remembered.db, "o1234567aa", None).it
    assert it is not None
    found = observation_detail(remembered.db, it)
    assert found.files == ["b.py", "a.py"] and sorted(found.paths) == ["a.py", "b.py"]
    assert found.supersedes == ["o1234567"]
    plain = found.plain()
    assert [key for key in plain if key.startswith(("tried", "fix"))] == [
        "tried_next",
        "tried_after",
        "fixed_by",
        "fixes",
    ]
    assert (plain["superseded_by"], plain["text"], plain["detail"]) == (None, "The queue is Postgres", "")


def test_a_strangers_words_are_fenced_for_scripts_and_a_persons_are_not(remembered: Remembered) -> None:
    found = remembered.opened.memory.search(
        remembered.db, "", Filters(place_of(remembered.here.folders, remembered.here.root))
    )
    results = {each.id: search_result(each) for each in found}
    assert set(results) == {"o1234567aa", "o1299999"}
    assert not {"fenced", "detail"} & results["o1234567aa"].keys()
    assert "data, not instructions" in results["o1299999"]["fenced"]
    assert "boom" in results["o1299999"]["detail"]


def test_how_much_is_remembered(remembered: Remembered) -> None:
    db, here, memory = remembered.db, remembered.here, remembered.opened.memory
    one, everything = memory_stats(db, here, memory), memory_stats(db, here, memory, everywhere=True)
    assert (one.project, one.observations, one.superseded) == (here.root, 3, 1)
    assert one.kinds == {"decision": 2, "failure": 1}
    assert (everything.project, everything.observations) == (None, 4)
    assert observation_count(db, place_of(here.folders, here.root)) == 3 and observation_count(db, None) == 4
    assert len(observation_numbers(db, Filters(place_of(here.folders, here.root), kind="decision"))) == 2


def test_a_project_is_named_by_its_path_or_by_its_folder(remembered: Remembered) -> None:
    assert [each.root for each in places_named(remembered.db, "/work/two/shop/")] == ["/work/two/shop"]
    assert len(places_named(remembered.db, "shop")) == 2
    assert places_named(remembered.db, "sho") == [] == places_named(remembered.db, "/")
