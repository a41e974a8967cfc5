"""Meaning beside words: vectors that follow the rows, endpoints that fail, machines without either."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from memory_world import new_memory, put

from hookd import config
from hookd.installation import how_to_add
from hookd.memory import settings as memory_settings
from hookd.memory.observations import Observation
from hookd.memory.recall import open_memory
from hookd.memory.recall.open_memory import Memory
from hookd.memory.recall.search import Found
from hookd.memory.recall.vectors import are_installed, file_of, forget_vectors, has_static_model
from hookd.memory.repository.remembered import Name
from hookd.redact.redactor import Redactor

needs_vectors = pytest.mark.skipif(not are_installed(), reason="hookd[vectors] is not installed")
needs_model = pytest.mark.skipif(not has_static_model(), reason="hookd[vectors] is not installed")


def found(memory: Memory, text: str) -> list[Found]:
    with memory.store.reading() as db:
        return memory.search(db, text)


@needs_model
def test_a_text_is_found_that_shares_no_word_with_the_query() -> None:
    memory = new_memory(memory_settings.Memory())
    put(memory.store, "the automobile needs petrol", "a recipe for bread", "the meeting is on Monday")
    assert found(memory, "car fuel")[0].text == "the automobile needs petrol"
    assert found(new_memory_like(memory), "car fuel") == []


def new_memory_like(memory: Memory) -> Memory:
    return Memory(memory.store, memory_settings.Memory(vectors="off"), Redactor())


@needs_model
def test_rows_that_come_later_are_found_and_rows_that_went_are_not() -> None:
    memory = new_memory(memory_settings.Memory())
    put(memory.store, Observation(id="loaf", text="a recipe for bread"))
    assert found(memory, "baking loaves")
    put(memory.store, Observation(id="car", text="the automobile needs petrol"))
    assert found(memory, "car fuel")[0].text == "the automobile needs petrol"
    forget_vectors(memory.store.path, [Name("car", 1)])
    assert "automobile" not in str(memory._usable_vectors().nearest("car", 5))  # type: ignore[union-attr]
    assert memory._usable_vectors().nearest("car", 5) == [Name("loaf", 1)]  # type: ignore[union-attr]


class Endpoint(BaseHTTPRequestHandler):
    """Makes vectors from the letters of a text, or fails as it is told."""

    behaviour = "good"
    seen: list[Any] = []  # noqa: RUF012 - a server's handler has no other place

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).seen.append(body)
        data = [{"embedding": _letters(text)} for text in body["input"]]
        answers = {
            "good": (200, json.dumps({"data": data})),
            "error": (500, "no"),
            "nonsense": (200, "[1, 2"),
            "short": (200, json.dumps({"data": data[:-1]})),
            "words": (200, json.dumps({"data": [{"embedding": ["x"]} for _ in data]})),
        }
        status, text = answers[self.behaviour]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def _letters(text: str) -> list[float]:
    return [byte / 255 for byte in hashlib.sha256(text.lower().encode()).digest()]


@contextmanager
def endpoint(behaviour: str) -> Iterator[str]:
    Endpoint.behaviour = behaviour
    Endpoint.seen = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def with_endpoint(address: str) -> tuple[Memory, list[str]]:
    told: list[str] = []
    settings = memory_settings.Memory(embedding_url=address, embedding_model="m", embedding_timeout_seconds=5)
    made = new_memory()
    return Memory(made.store, settings, Redactor(), told.append), told


@needs_vectors
def test_an_endpoint_makes_the_vectors_and_sees_no_secret() -> None:
    token = "ghp_" + "k3T9" * 9
    with endpoint("good") as address:
        memory, told = with_endpoint(address)
        put(memory.store, *(f"row {number}" for number in range(40)))
        assert found(memory, "row 7")[0].text == "row 7"
        found(memory, f"token={token}")
    assert told == []
    assert len(Endpoint.seen) > 2
    assert max(len(body["input"]) for body in Endpoint.seen) <= 16
    assert token not in json.dumps(Endpoint.seen)
    assert file_of(memory.store.path).exists()


@needs_vectors
@pytest.mark.parametrize("behaviour", ["error", "nonsense", "short", "words"])
def test_an_endpoint_that_fails_leaves_search_by_words_and_is_named_once(behaviour: str) -> None:
    with endpoint(behaviour) as address:
        memory, told = with_endpoint(address)
        put(memory.store, "the timeout is five seconds")
        for _ in range(3):
            assert [result.text for result in found(memory, "timeout")] == ["the timeout is five seconds"]
    assert len(told) == 1
    assert "by words only" in told[0]


@needs_vectors
def test_an_endpoint_that_is_not_there_leaves_search_by_words() -> None:
    memory, told = with_endpoint("http://127.0.0.1:9/v1")
    put(memory.store, "the timeout is five seconds")
    assert found(memory, "timeout")
    assert len(told) == 1


@needs_vectors
def test_a_file_that_is_no_database_is_named_and_search_goes_on() -> None:
    with endpoint("good") as address:
        memory, told = with_endpoint(address)
        put(memory.store, "the timeout is five seconds")
        file_of(memory.store.path).write_bytes(b"nonsense " * 1000)
        assert found(memory, "timeout")
    assert "delete the file" in told[0] or "vectors" in told[0]


def test_without_the_extra_search_goes_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_memory, "are_installed", lambda: False)
    monkeypatch.setattr(open_memory, "has_static_model", lambda: False)
    memory = new_memory(memory_settings.Memory())
    put(memory.store, "the timeout is five seconds")
    assert found(memory, "timeout")
    assert memory.vectors_in_use == ""
    memory, told = with_endpoint("http://127.0.0.1:9/v1")
    put(memory.store, "the timeout is five seconds")
    assert found(memory, "timeout")
    assert how_to_add("vectors") in told[0]


@pytest.mark.parametrize(
    "text",
    [
        'embedding_url = "http://example.com/v1"',
        'embedding_key_file = "key"',
        'vectors = "maybe"',
        "keep_days = -1",
    ],
)
def test_settings_that_cannot_work_are_refused(text: str) -> None:
    from hookd.errors import ConfigError

    with pytest.raises(ConfigError):
        config.parse("c.toml", f"[memory]\n{text}\n".encode(), [memory_settings.TABLE])
