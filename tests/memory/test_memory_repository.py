"""Memory's statements and the structs that are made from their rows agree."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from memory_world import HERE, new_store

from hookd.memory import repository
from hookd.memory.observations import Observation
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.remembered import Name, Remembered
from hookd.memory.repository.search import Filters, Search
from hookd.memory.repository.statements import statements
from hookd.store.database import Database, Values
from hookd.tasks.repository import migrations as task_migrations

PARTS = frozenset({"columns", "with_place", "here", "in_tree", "of_project", "filters", "heard_until"})
FOLDER = Path(repository.__file__).parent


class Nothing(dict[str, None]):
    """NULL for every name that a statement has."""

    def __missing__(self, name: str) -> None:
        return None


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    store = new_store()
    store.adopt(list(task_migrations()))
    with store.reading() as opened:
        yield opened


@pytest.mark.parametrize("name", sorted(statements().keys() - PARTS))
def test_the_tables_have_what_a_statement_names(db: Database, name: str) -> None:
    sql = statements()[name].replace("{has_run}", "0")
    assert "{" not in sql
    db.rows(f"EXPLAIN {sql}", (None,) * sql.count("?") or Nothing())


def test_every_statement_is_used() -> None:
    code = "\n".join(file.read_text() for file in FOLDER.glob("*.py"))
    sql = "\n".join(file.read_text() for file in FOLDER.glob("*.sql"))
    unused = [name for name in statements() if f'"{name}"' not in code and f"{{{name}}}" not in sql]
    assert unused == []


def test_what_only_sqlite_understands_is_in_its_own_file() -> None:
    portable = (FOLDER / "queries.sql").read_text()
    assert re.findall(r"\b(?:MATCH|GLOB|INDEXED BY|json_\w+|rowid|instr|observation_word)\b", portable) == []


def test_an_observation_is_read_as_it_was_written() -> None:
    made = Observation(
        text="The parser keeps comments",
        id="o1",
        kind="decision",
        provenance="agent",
        at=1_800_000_000.5,
        tool="Edit",
        paths=("src/b.py", "src/a.py"),
        session="s",
        task="t",
        prompt="p",
        event="e",
        tool_use="u",
        importance=0.7,
        detail="said by a tool",
        repeatable=True,
    )
    store = new_store()

    def write(db: Database) -> tuple[list[tuple[str, int]], int]:
        observations = Observations(db, HERE)
        written = observations.add_numbered([made, Observation(text="It drops them", id="o2")])
        assert observations.add([made]) == []
        return written, observations.supersede(["o1"], "o2")

    written, superseded = store.submit(write).result()
    assert [name for name, _ in written] == ["o1", "o2"] and superseded == 1
    with store.reading() as db:
        memories = Memories(db, HERE)
        it = memories.named("o1")
        assert it is not None
        names = set(Remembered.__struct_fields__) & set(Observation.__struct_fields__)
        assert {name: getattr(it, name) for name in names} == {name: getattr(made, name) for name in names}
        assert (it.seq, it.superseded_by) == (written[0][1], "o2")
        assert (it.path, it.project, it.root) == ("src/b.py", HERE.key, HERE.root)
        assert memories.paths_in_order(it.seq, it.path) == made.paths
        assert Search(db).named([it.name]) == []
        assert Search(db, Filters(superseded=True)).named([it.name, Name("o1", it.place + 1)]) == [it]
        assert next(memories.all()) == it
        assert [each.id for each in memories.after(it, 5)] == ["o2"] and memories.before(it, 5) == []


def test_a_column_of_numbers_gets_a_number() -> None:
    """SQLite takes a truth value for one; no other database does."""
    kinds: list[type] = []

    class Noting(Database):
        def value(self, sql: str, values: Values = ()) -> Any:
            if sql == statements()["add"]:
                assert isinstance(values, Mapping)
                kinds.extend(type(each) for each in values.values())
            return super().value(sql, values)

    def write(db: Database) -> None:
        Observations(Noting(db.connection), HERE).add([Observation(text="It drops them")])

    new_store().submit(write).result()
    assert set(kinds) == {str, int, float}
