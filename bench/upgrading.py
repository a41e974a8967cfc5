"""A large store of hookd 0.1 brought up to date, once through and once with a kill in the middle.

Not part of `bench/run.py`: it takes minutes and some gigabytes. Argument: how many observations.
"""

import hashlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import memory
from hookd.errors import UpgradingStoreError
from hookd.journal.ingest import open_store
from hookd.memory.repository.statements import migrations
from hookd.memory.repository.word_index import words_of
from hookd.memory.words import likeness
from hookd.store.database import connect
from hookd.store.migrations import Migration, load_migrations, migrate

KEY = "e" * 64
ROWS = 1_000_000
BATCH = 20_000
# Of a hundred observations, so many are superseded by the next one, and so many are a failure with two links.
SUPERSEDED, LINKED = 12, 3
LAST_OF_0_1 = {"journal": 3, "memory": 4}
_COLUMNS = (
    "seq, id, place, at, kind, provenance, text, tool, path, session, task, prompt, event, tool_use,"
    " importance, likeness, repeatable"
)


def make(path: Path, rows: int) -> None:
    """The store as 0.1 wrote it."""
    of_0_1: list[Migration] = []
    for owner, last in LAST_OF_0_1.items():
        of_0_1 += [each for each in load_migrations(f"hookd.{owner}") if each.number <= last]
    with closing(connect(path)) as db:
        migrate(db, of_0_1)
        db.execute("ALTER TABLE applied_migration RENAME TO migration")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -262144")
        db.execute("INSERT INTO project VALUES (?, ?, 1)", (KEY, "/bench"))
        db.execute("INSERT INTO memory_place VALUES (1, ?)", (KEY,))
        texts, chance = memory.Texts(), random.Random(7)
        for first in range(1, rows + 1, BATCH):
            _fill(db, range(first, min(first + BATCH, rows + 1)), texts, chance)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _fill(db: sqlite3.Connection, numbers: range, texts: memory.Texts, chance: random.Random) -> None:
    made = [(seq, texts.text(), texts.path()) for seq in numbers]
    db.execute("BEGIN")
    db.executemany(
        f"INSERT INTO observation ({_COLUMNS}) VALUES"
        " (?, ?, 1, ?, ?, 'hookd', ?, 'Bash', ?, ?, ?, ?, ?, ?, 0.5, ?, ?)",
        [
            (
                *(
                    seq,
                    f"o{chance.randbytes(5).hex()}",
                    1.7e9 + seq,
                    chance.choice(["edit", "command", "note"]),
                ),
                *(
                    text,
                    path,
                    f"7d0f3c52-9b1e-4a6d-8c35-{seq // 200:012x}",
                    f"t{seq // 40:010x}",
                    f"{seq // 40:032x}",
                ),
                *(f"{seq:032x}", f"toolu_{seq:024x}", likeness(text), seq % 10 == 0),
            )
            for seq, text, path in made
        ],
    )
    db.executemany(
        "INSERT INTO observation_word (rowid, words) VALUES (?, ?)",
        [(seq, words_of(text, "", [path])) for seq, text, path in made],
    )
    db.executemany("INSERT INTO observation_path VALUES (?, ?)", [(path, seq) for seq, _, path in made])
    older = [(seq, seq - 1) for seq in numbers[1:] if seq % 100 < SUPERSEDED]
    db.executemany("UPDATE observation SET superseded_by = ? WHERE seq = ?", older)
    links = [
        (seq - 1, seq, kind) for seq in numbers[1:] if seq % 100 < LINKED for kind in ("tried", "fixed_by")
    ]
    db.executemany("INSERT INTO observation_link VALUES (?, ?, ?)", links)
    db.execute("COMMIT")


def upgrade(path: Path) -> None:
    """What a daemon's thread does, a slice at a time."""
    store = open_store(path)
    store.adopt(list(migrations()))
    store.patience = 10.0
    began = time.perf_counter()
    while True:
        try:
            store.submit(lambda _db: None).result()
        except UpgradingStoreError as error:
            print(f"{time.perf_counter() - began:6.1f} s  {error}", flush=True)
            continue
        break
    store.close()
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(f"{time.perf_counter() - began:6.1f} s  done, at most {peak:.0f} MB of memory", flush=True)


def run(path: Path, kill_after: float | None = None) -> tuple[float, bool]:
    """The upgrade in a process of its own; how many seconds, and whether it was killed for them."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, __file__, "upgrade", path])
    try:
        child.wait(kill_after)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
        return time.perf_counter() - began, True
    return time.perf_counter() - began, False


def fingerprint(path: Path) -> str:
    digest = hashlib.sha256()
    for row in _content(path):
        digest.update(repr(row).encode())
    return digest.hexdigest()[:16]


def _content(path: Path) -> Iterator[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        for sql in (
            "SELECT seq, id, superseded_by, text FROM observation ORDER BY seq",
            "SELECT * FROM observation_link",
            "SELECT name, sql FROM sqlite_master ORDER BY name",
        ):
            yield from db.execute(sql)


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def vacuumed(path: Path) -> float:
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return megabytes(path)


def main(rows: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="hk-upgrading-"))
    try:
        made, once, killed = (folder / name / "hookd.db" for name in ("made", "once", "killed"))
        for path in (made, once, killed):
            path.parent.mkdir()
        make(made, rows)
        for path in (once, killed):
            shutil.copyfile(made, path)
        print(f"{rows:,} observations, {vacuumed(made):.0f} MB")
        made.unlink()
        seconds, _ = run(once)
        print(f"{seconds:.1f} s, {megabytes(once):.0f} MB on disk")
        wanted = fingerprint(once)
        print(f"{vacuumed(once):.0f} MB after VACUUM")
        shutil.rmtree(once.parent)
        kills = 0
        while run(killed, kill_after=seconds * (kills + 1) / 6)[1]:
            kills += 1
        print(f"killed {kills} times; the same in the end: {fingerprint(killed) == wanted}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["upgrade"]:
        upgrade(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else ROWS)
