"""Memory at size: importing, searching beside the bare full-text query, and bytes on disk."""

import json
import random
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hookd.config import Config
from hookd.daemon.recorder import Recorder
from hookd.journal.ingest import open_store
from hookd.memory.import_export import ImportReader, import_lines
from hookd.memory.observations import place_of
from hookd.memory.recall.search import search
from hookd.memory.repository.statements import migrations
from hookd.paths import UserFolders
from hookd.redact.redactor import Redactor
from hookd.store.database import Database
from world import percentile

SIZES = (100_000, 1_000_000)
QUERIES = 40

VERBS = "added fixed renamed removed tested moved reverted explained measured failed".split()
NOUNS = "timeout parser header queue retry cache lock index session token migration socket budget".split()
FILLER = "because the of in when with instead and a for before after while it was not".split()


class Row(NamedTuple):
    """One size of store; times in milliseconds."""

    rows: int
    import_seconds: float
    bytes_each: float
    p50: float
    p95: float
    bare_p50: float
    bare_p95: float


def measure() -> list[Row]:
    folder = Path(tempfile.mkdtemp(prefix="hk-bench-"))
    try:
        return list(_sizes(folder))
    finally:
        shutil.rmtree(folder)


def _sizes(folder: Path) -> Iterator[Row]:
    folders = UserFolders(folder / "config", folder / "data")
    (folder / "project").mkdir()
    recorder = Recorder(str(folder / "project"), folders, Config)
    place = place_of(folders, recorder.project.root)
    store = open_store(folders.database)
    store.adopt(list(migrations()))
    recorder.ingest()
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = OFF")
    bare.execute("PRAGMA synchronous = OFF")
    bare.execute("CREATE VIRTUAL TABLE bare USING fts5(text, tokenize='unicode61')")
    bare.execute("ATTACH ? AS ours", (str(store.path),))
    texts = Texts()
    reader = ImportReader(Redactor().text)
    done, seconds = 0, 0.0
    for size in SIZES:
        while done < size:
            some = [texts.text() for _ in range(50_000)]
            lines = [json.dumps({"text": text, "path": texts.path()}).encode() for text in some]
            start = time.perf_counter()
            import_lines(store, place, lines, reader, recorder.bring_in)
            seconds += time.perf_counter() - start
            done += len(some)
        store.close()
        bare.execute(
            "INSERT INTO bare (rowid, text) SELECT seq, text FROM ours.observation"
            " WHERE seq > (SELECT coalesce(max(rowid), 0) FROM bare)"
        )
        with store.reading() as db:
            db.run("PRAGMA wal_checkpoint(TRUNCATE)")
            ours, theirs = _searches(db, bare, texts)
        yield Row(
            size,
            seconds,
            store.path.stat().st_size / size,
            percentile(ours, 0.5),
            percentile(ours, 0.95),
            percentile(theirs, 0.5),
            percentile(theirs, 0.95),
        )


def _searches(db: Database, bare: sqlite3.Connection, texts: "Texts") -> tuple[list[float], list[float]]:
    """Each query by us and by the bare index in turn."""
    ours, theirs = [], []
    for number in range(QUERIES + 5):
        query = texts.query()
        start = time.perf_counter()
        search(db, query, limit=10)
        between = time.perf_counter()
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        bare.execute("SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall()
        end = time.perf_counter()
        if number >= 5:  # the first ones read the disk
            ours.append((between - start) * 1000)
            theirs.append((end - between) * 1000)
    return ours, theirs


class Texts:
    """Made-up observations in which few words are in every row and most words are in few."""

    def __init__(self) -> None:
        self._random = random.Random(6)
        letters = "bcdfghklmnprstvz"
        self._rare = [
            "".join(self._random.choice(letters) + self._random.choice("aeiou") for _ in range(4))
            for _ in range(30_000)
        ]

    def _word(self) -> str:
        # As in any text: the n-th most frequent word comes about n times less often.
        return self._rare[int(len(self._rare) ** self._random.random()) - 1]

    def text(self) -> str:
        pick = self._random.choice
        words = [pick(VERBS), pick(NOUNS), pick(FILLER)]
        words += [pick(FILLER) if self._random.random() < 0.35 else self._word() for _ in range(8)]
        return f"{' '.join(words)} in {self._word()}_{self._word()}"

    def path(self) -> str:
        return f"src/{self._word()}/{self._word()}.py"

    def query(self) -> str:
        pick = self._random.choice
        return f"why was the {pick(NOUNS)} {pick(VERBS)} {pick(FILLER)} {self._word()} and {self._word()}"


if __name__ == "__main__":
    for row in measure():
        print(row)
