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

import msgspec

from hookd.errors import StoreError
from hookd.memory.recall.embeddings import Embedder
from hookd.memory.recall.search import Hit
from hookd.memory.repository.memories import NumberedText, Texts
from hookd.memory.repository.remembered import Name
from hookd.memory.words import plain_words, stem
from hookd.store.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS made (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS observation_vector (
    id TEXT NOT NULL, place INTEGER NOT NULL, embedding BLOB NOT NULL, UNIQUE (id, place)
);
CREATE TABLE IF NOT EXISTS word (hash INTEGER PRIMARY KEY, rows INTEGER NOT NULL);
"""
_PUT = "INSERT OR REPLACE INTO observation_vector VALUES (?, ?, ?)"
_REACH = "INSERT OR REPLACE INTO made VALUES ('reached', ?)"
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

    def catch_up(
        self, source: Database, most: int = FEW_ROWS, tell: Callable[[int], object] = lambda _: None
    ) -> None:
        """Makes the vectors that are missing, the oldest first."""
        texts = Texts(source)
        with _opened(self.path) as db:
            _take_over(db, texts)
            self._begin(db, texts)
            reached = int(dict(db.execute("SELECT key, value FROM made")).get("reached", "0"))
            done = 0
            while done < most:
                rows = texts.after(reached, min(ROWS_AT_ONCE, most - done))
                if not rows:
                    return
                self._add(db, rows)
                reached, done = rows[-1].seq, done + len(rows)
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
            db.execute("DELETE FROM observation_vector; DELETE FROM word; DELETE FROM made")
            values = [("model", self._embedder.name), ("rows_at_start", str(count))]
            db.executemany("INSERT INTO made VALUES (?, ?)", values)
        self._counts.clear()
        with db:
            self._count(db, texts.first(FEW_ROWS))

    def _add(self, db: Any, rows: list[NumberedText]) -> None:
        vectors = self._embedder.embed([row.text for row in rows], self._rarity_in(db))
        with db:
            packed = zip(rows, map(_packed, vectors), strict=True)
            db.executemany(_PUT, [(*row.name, embedding) for row, embedding in packed])
            db.execute(_REACH, (str(rows[-1].seq),))

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

    def nearest(self, text: str, count: int) -> list[Name]:
        """The names of the observations that are nearest in meaning."""
        with _opened(self.path) as db:
            asked = _packed(self._embedder.embed([text], self._rarity_in(db))[0])
            rows = db.execute(
                "SELECT id, place FROM observation_vector"
                " ORDER BY vec_distance_cosine(vec_int8(embedding), vec_int8(?)) LIMIT ?",
                (asked, count),
            )
            return [Name(*row) for row in rows]

    def fused(self, text: str, candidates: list[Hit]) -> list[Hit]:
        """The candidates with scores that take meaning into account."""
        with _opened(self.path) as db:
            asked = _packed(self._embedder.embed([text], self._rarity_in(db))[0])
            names = msgspec.json.encode([candidate.it.name for candidate in candidates]).decode()
            rows = db.execute(
                "SELECT it.id, it.place, 1 - vec_distance_cosine(vec_int8(embedding), vec_int8(?1))"
                " FROM json_each(?2) AS name CROSS JOIN observation_vector AS it"
                " WHERE it.id = name.value ->> 0 AND it.place = name.value ->> 1",
                (asked, names),
            )
            likeness = {(name, place): alike for name, place, alike in rows}
        scored = [(it, score, max(0.0, likeness.get(it.name) or 0.0)) for it, score in candidates]
        # Where not even the best has many of the words, words still tell more than their score says.
        best = max((score for _, score, _ in scored), default=0.0) or 1.0
        return [
            Hit(it, score / math.sqrt(best) + _MEANING * alike**3)
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


def _take_over(db: Any, texts: Texts) -> None:
    """hookd 0.1 kept vectors by number: they get their observations' names, and nothing is embedded again."""
    if not _is_numbered(db):
        return
    with db:
        db.execute("INSERT OR REPLACE INTO made SELECT 'reached', max(seq) FROM vector HAVING max(seq) > 0")
    while rows := list(db.execute("SELECT seq, embedding FROM vector ORDER BY seq LIMIT ?", (ROWS_AT_ONCE,))):
        names = texts.names([seq for seq, _ in rows])
        with db:
            db.executemany(_PUT, [(*names[seq], embedding) for seq, embedding in rows if seq in names])
            db.execute("DELETE FROM vector WHERE seq <= ?", (rows[-1][0],))
    db.execute("DROP TABLE vector")


def _is_numbered(db: Any) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector'").fetchone() is not None


def forget_vectors(database: Path, names: list[Name]) -> None:
    """Deletes these observations' vectors, if there are any."""
    path = file_of(database)
    if not names or not path.exists():
        return
    if not are_installed():
        path.unlink()  # what nobody can read any more is of no use
        return
    with _opened(path) as db, db:
        if _is_numbered(db):  # whose they are cannot be told from here, so they are made again
            db.execute("DROP TABLE vector; DELETE FROM made WHERE key = 'reached'")
        db.executemany("DELETE FROM observation_vector WHERE id = ? AND place = ?", names)
