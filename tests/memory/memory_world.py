"""A store with memory in it, for tests of the room."""

import tempfile
from pathlib import Path

from hookd.journal.ingest import open_store
from hookd.memory import settings as memory_settings
from hookd.memory.observations import Observation, Place
from hookd.memory.recall.open_memory import Memory
from hookd.memory.recall.search import Found, search
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.search import ANYTHING, Filters
from hookd.memory.repository.statements import migrations
from hookd.redact.redactor import Redactor
from hookd.store.engine import Store

HERE = Place("a" * 64, "/projects/here")
THERE = Place("b" * 64, "/projects/there")
WORDS_ONLY = memory_settings.Memory(vectors="off")


def new_store() -> Store:
    store = open_store(Path(tempfile.mkdtemp(prefix="hk-memory-")) / "hookd.db")
    store.adopt(list(migrations()))
    return store


def new_memory(settings: memory_settings.Memory = WORDS_ONLY) -> Memory:
    return Memory(new_store(), settings, Redactor())


def put(store: Store, *rows: Observation | str, place: Place = HERE) -> list[str]:
    made = [Observation(text=row) if isinstance(row, str) else row for row in rows]
    return store.submit(lambda db: Observations(db, place).add(made)).result()


def find(store: Store, text: str, filters: Filters = ANYTHING, **more: object) -> list[Found]:
    with store.reading() as db:
        return search(db, text, filters, **more)  # type: ignore[arg-type]


def texts(results: list[Found]) -> list[str]:
    return [result.text for result in results]
