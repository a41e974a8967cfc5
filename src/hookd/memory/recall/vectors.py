"""Vectors of observations, in a file of their own beside the database: made from it, and made again if lost.

The extension that compares vectors needs an SQLite that loads extensions, which is another library than
Python's own. Two SQLite libraries in one process must not have the same file open (closing it in one drops
the other's locks), so nobody but this module opens this file.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hookd.errors import StoreError
from hookd.memory.recall.asking import Query
from hookd.memory.recall.embedding import Embedder
from hookd.memory.recall.searching import Candidate
from hookd.memory.repository.memories import Texts
from hookd.memory.words import plain_words, stem
from hookd.store.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vector (seq INTEGER PRIMARY KEY, embedding BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS word (hash INTEGER PRIMARY KEY, rows INTEGER NOT NULL);
"""
ROWS_AT_ONCE = 2_000
# How common words are is learned as rows come; while there are few, their vectors are made anew now and then.
FEW_ROWS = 20_000
BUSY_MILLISECONDS = 5_000
# How much meaning counts beside the words: the cube keeps what is only vaguely alike from counting.
_MEANING = 3.0
# The nearest of all may be far: without a word in common, a result has to be at least so much alike.
_LEAST_ALIKE = 0.3


def file_of(database: Path) -> Path:
    return database.with_name("vectors.db")


def are_installed() -> bool:
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("apsw", "sqlite_vec", "numpy"))


def has_static_model() -> bool:
    from importlib.util import find_spec

    return are_installed() and find_spec("wordllama") is not None


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import apsw
    import sqlite_vec

    path.touch(mode=0o600)
    try:
        with closing(apsw.Connection(str(path))) as db:
            db.set_busy_timeout(BUSY_MILLISECONDS)
            db.enable_load_extension(True)
            db.load_extension(sqlite_vec.loadable_path())
            db.enable_load_extension(False)
            db.execute("PRAGMA secure_delete = ON")
            db.execute(_SCHEMA)
            yield db
    except apsw.Error as error:
        raise StoreError(
            f"the vectors in {path} cannot be used: {error}", hint="delete the file; it is made anew"
        ) from error


class VectorIndex:
    """What `search` uses; each call opens the file and lets go of it."""

    def __init__(self, database: Path, embedder: Embedder) -> None:
        self.path = file_of(database)
        self._embedder = embedder
        self._counts: dict[str, int] = {}
        self._rows = 0

    def catch_up(
        self, source: Database, most: int = FEW_ROWS, tell: Callable[[int], object] = lambda _: None
    ) -> None:
        """Makes the vectors that are missing, the oldest first."""
        texts = Texts(source)
        with _opened(self.path) as db:
            self._begin(db, texts)
            last = db.execute("SELECT coalesce(max(seq), 0) FROM vector").fetchone()[0]
            done = 0
            while done < most:
                rows = texts.after(last, min(ROWS_AT_ONCE, most - done))
                if not rows:
                    return
                self._add(db, [row[0] for row in rows], [row[1] for row in rows])
                last, done = rows[-1][0], done + len(rows)
                tell(len(rows))

    def _begin(self, db: Any, texts: Texts) -> None:
        """Throws away what another model has made, or what was made when hardly a word was known."""
        made = dict(db.execute("SELECT key, value FROM made"))
        count = texts.count()
        known = int(made.get("rows_at_start", "0"))
        is_young = known < FEW_ROWS and count >= 2 * max(known, 1) and count > 1
        if made.get("model") == self._embedder.name and not is_young:
            return
        with db:
            db.execute("DELETE FROM vector; DELETE FROM word; DELETE FROM made")
            values = [("model", self._embedder.name), ("rows_at_start", str(count))]
            db.executemany("INSERT INTO made VALUES (?, ?)", values)
        self._counts.clear()
        with db:
            self._count(db, texts.first(FEW_ROWS))

    def _add(self, db: Any, numbers: list[int], texts: list[str]) -> None:
        vectors = self._embedder.embed(texts, self._rarity_in(db))
        with db:
            rows = zip(numbers, map(_packed, vectors), strict=True)
            db.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", list(rows))

    def _count(self, db: Any, texts: Iterable[str]) -> None:
        """How many rows have each word; words are kept as numbers, so that no text lives on here."""
        counts: dict[int, int] = {}
        rows = 0
        for text in texts:
            rows += 1
            for word in {_number(word) for word in plain_words(text)}:
                counts[word] = counts.get(word, 0) + 1
        db.executemany("INSERT INTO word VALUES (?, ?)", list(counts.items()))
        db.execute("INSERT OR REPLACE INTO made VALUES ('counted', ?)", (str(rows),))

    def _rarity_in(self, db: Any) -> Callable[[str], float]:
        rows = int(dict(db.execute("SELECT key, value FROM made")).get("counted", "0"))

        def rarity(word: str) -> float:
            count = self._counts.get(word)
            if count is None:
                found = db.execute("SELECT rows FROM word WHERE hash = ?", (_number(word),)).fetchone()
                count = self._counts[word] = found[0] if found else 0
            return max(1e-6, math.log(1 + (max(rows, count) - count + 0.5) / (count + 0.5)))

        return rarity

    def nearest(self, text: str, count: int) -> list[int]:
        with _opened(self.path) as db:
            asked = _packed(self._embedder.embed([text], self._rarity_in(db))[0])
            rows = db.execute(
                "SELECT seq FROM vector"
                " ORDER BY vec_distance_cosine(vec_int8(embedding), vec_int8(?)) LIMIT ?",
                (asked, count),
            )
            return [row[0] for row in rows]

    def fused(self, query: Query, text: str, candidates: list[Candidate]) -> list[Candidate]:  # noqa: ARG002
        with _opened(self.path) as db:
            asked = _packed(self._embedder.embed([text], self._rarity_in(db))[0])
            numbers = [candidate.it.seq for candidate in candidates]
            rows = db.execute(
                "SELECT seq, 1 - vec_distance_cosine(vec_int8(embedding), vec_int8(?1)) FROM vector"
                " WHERE seq IN (SELECT value FROM json_each(?2))",
                (asked, str(numbers)),
            )
            likeness = dict(rows)
        scored = [(it, score, max(0.0, likeness.get(it.seq) or 0.0)) for it, score in candidates]
        # Where not even the best has many of the words, words still tell more than their score says.
        best = max((score for _, score, _ in scored), default=0.0) or 1.0
        return [
            Candidate(it, score / math.sqrt(best) + _MEANING * alike**3)
            for it, score, alike in scored
            if score or alike >= _LEAST_ALIKE
        ]


def _packed(vector: Any) -> bytes:
    """A signed byte per number: a cosine needs no more."""
    import numpy

    largest = float(numpy.abs(vector).max()) or 1.0
    packed: bytes = numpy.round(vector * (127 / largest)).astype(numpy.int8).tobytes()
    return packed


def _number(word: str) -> int:
    """A number for all forms of a word."""
    digest = hashlib.blake2b(stem(word).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def forget_vectors(database: Path, numbers: list[int]) -> None:
    """Deletes these observations' vectors, if there are any."""
    path = file_of(database)
    if not numbers or not path.exists():
        return
    if not are_installed():
        path.unlink()  # what nobody can read any more is of no use
        return
    with _opened(path) as db, db:
        db.executemany("DELETE FROM vector WHERE seq = ?", [(number,) for number in numbers])
