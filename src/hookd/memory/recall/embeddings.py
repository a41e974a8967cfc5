"""Texts as vectors of meaning: a small static model from a wheel, or an endpoint that a person names."""

import math
import threading
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from hookd.config import Model
from hookd.errors import ModelError
from hookd.memory.settings import Memory
from hookd.memory.words import COMMON, plain_words

Rarity = Callable[[str], float]

# The static model sees so much of a text: its words, its beginning, and its characters as they are.
_MOST_WORDS, _BEGINNING, _MOST_CHARACTERS = 300, 40, 2_000
# What the words by their rarity count for; and of the rest, the beginning and the text as it is.
_RARE, _FIRST, _AS_IT_IS = 0.5, 0.4, 0.6
_WORDS_KEPT = 200_000


class Embedder(Protocol):
    name: str
    """What made the vectors: those of another are no use."""

    def embed(self, texts: list[str], rarity: Rarity) -> Any:
        """A row of unit length per text, as a matrix."""


# Loaded once for a process, whichever thread searches first: that takes a second and some megabytes.
_loading = threading.Lock()


@cache
def _loaded_model() -> Any:
    import wordllama

    # Its loader looks for the tokenizer where a download would be; the wheel has it beside the code.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


class StaticModel:
    """The model of package `wordllama`: a vector per piece of a word; nothing leaves the machine.

    Rare words say more about a text than common ones, so words count by their rarity in this store.
    """

    name = "wordllama-512-1"

    def __init__(self) -> None:
        with _loading:
            self._model = _loaded_model()
        self._words: dict[str, Any] = {}

    def embed(self, texts: list[str], rarity: Rarity) -> Any:
        import numpy

        words = [list(islice(plain_words(text), _MOST_WORDS)) for text in texts]
        telling = [list(dict.fromkeys(word for word in each if word not in COMMON)) for each in words]
        self._learn(word for each in telling for word in each)
        rare = numpy.zeros((len(texts), 256), numpy.float32)
        for number, each in enumerate(telling):
            if each:
                weights = numpy.array([rarity(word) for word in each], numpy.float32)
                rare[number] = weights @ numpy.array([self._words[word] for word in each])
        first = self._model.embed([" ".join(each[:_BEGINNING]) or " " for each in words], norm=True)
        plain = self._model.embed([text[:_MOST_CHARACTERS] or " " for text in texts], norm=True)
        # Side by side, so that a cosine is the weighted mean of the two.
        rest = unit(_FIRST * first + _AS_IT_IS * plain)
        return numpy.concatenate([math.sqrt(_RARE) * unit(rare), math.sqrt(1 - _RARE) * rest], axis=1)

    def _learn(self, words: Iterable[str]) -> None:
        if len(self._words) > _WORDS_KEPT:
            self._words.clear()
        if unknown := list(dict.fromkeys(word for word in words if word not in self._words)):
            vectors = self._model.embed(unknown, norm=True)
            self._words.update(zip(unknown, vectors, strict=True))


class Endpoint:
    """Any endpoint that speaks the embeddings API of OpenAI, a local one too."""

    def __init__(self, settings: Memory, clean: Callable[[str], str]) -> None:
        self.name = f"{settings.embedding_url} {settings.embedding_model}"
        self._settings = settings
        self._clean = clean

    def embed(self, texts: list[str], rarity: Rarity) -> Any:  # noqa: ARG002 - it has its own idea of words
        import asyncio

        import numpy

        rows = asyncio.run(self._ask([self._clean(text[:_MOST_CHARACTERS]) or " " for text in texts]))
        return unit(numpy.array(rows, numpy.float32))

    async def _ask(self, texts: list[str]) -> list[list[float]]:
        from hookd.llm.http import checked, post
        from hookd.llm.keys import KeySource

        settings = self._settings
        key = await KeySource(Model(key_file=settings.embedding_key_file)).key()
        url = settings.embedding_url.rstrip("/") + "/embeddings"
        headers = {"authorization": f"Bearer {key}"} if key else {}
        rows: list[list[float]] = []
        for at in range(0, len(texts), 16):  # a response has to stay small
            body = {"model": settings.embedding_model, "input": texts[at : at + 16]}
            response = await post(url, headers, body, timeout=settings.embedding_timeout_seconds)
            rows += _vectors(url, checked(url, response, key), len(body["input"]))
        return rows


def _vectors(url: str, answer: dict[str, Any], count: int) -> list[list[float]]:
    try:
        rows = [[float(number) for number in row["embedding"]] for row in answer["data"]]
    except (KeyError, TypeError, ValueError):
        rows = []
    sound = len(rows) == count and len({len(row) for row in rows}) == 1 and rows[0]
    if not sound or not all(math.isfinite(number) for row in rows for number in row):
        raise ModelError(f"{url} answered with something that is no list of {count} vectors")
    return rows


def unit(matrix: Any) -> Any:
    """The rows with length one; a row of nothing stays nothing."""
    import numpy

    return matrix / numpy.maximum(numpy.linalg.norm(matrix, axis=-1, keepdims=True), 1e-9)
