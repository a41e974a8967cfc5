"""The journal and the store: appending, ingesting, and hooks while the database is hard at work."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import round_trip
import store_load
from hookd.journal.entries import encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.writing import Journal
from world import World, compile_c, percentile, world

EVENTS = 100_000
IMPORTED = 1_000_000
CYCLES, ROUNDS = 12, 60


class Speed(NamedTuple):
    append_p50: float
    append_p99: float
    events_per_second: float


class Beside(NamedTuple):
    """Round trips in milliseconds: alone, beside work on our database, beside the same work on another."""

    name: str
    quiet: float
    ours: float
    control: float

    @property
    def change(self) -> float:
        return (self.ours / self.quiet - 1) * 100

    @property
    def change_by_control(self) -> float:
        return (self.control / self.quiet - 1) * 100

    @property
    def change_by_store(self) -> float:
        """What is left when both sides share the machine with as busy a process."""
        return (self.ours / self.control - 1) * 100


class Storing(NamedTuple):
    speed: Speed
    beside: list[Beside]
    rows: int


def measure() -> Storing:
    return Storing(_speed(), *_beside())


def _speed() -> Speed:
    base = Path(tempfile.mkdtemp(prefix="hookd-bench-"))
    journal = Journal(base / "journal", None)
    entries = [store_load.entry(number) for number in range(EVENTS)]
    times = []
    for one in entries:
        began = time.perf_counter()
        journal.append(encode(one))
        times.append((time.perf_counter() - began) * 1e6)
    journal.close()
    store = open_store(base / "hookd.db")
    project = ProjectRecord(store_load.KEY, "/bench", base / "journal")
    began = time.perf_counter()
    new = ingest(store, project, lambda _entry: "run", lambda *_: None)
    spent = time.perf_counter() - began
    store.close()
    shutil.rmtree(base)
    return Speed(percentile(times, 0.5), percentile(times, 0.99), new / spent)


class Load:
    """A process that works on one database when told to."""

    def __init__(self, what: str, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, store_load.__file__, what, home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def go(self) -> None:
        self._say("go")
        time.sleep(0.2)  # into the middle of its work

    def stop(self) -> int:
        return int(self._say("stop"))

    def _say(self, word: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def end(self) -> None:
        self._process.communicate()


def _beside() -> tuple[list[Beside], int]:
    driver = compile_c((Path(__file__).parent / "driver.c").read_text(), "driver")
    if driver is None:
        raise SystemExit("the storing benchmark needs a C compiler for its driver")
    other = Path(tempfile.mkdtemp(prefix="hookd-bench-"))
    with world() as at:
        at.hookd("daemon", "start")
        at.wait_for(at.files.port)
        for home in (at.home, other):
            store_load.prepare(str(home), IMPORTED)
        loads = Load("import", at.home), Load("import", other)
        found = [_interleaved("an import of 1,000,000 rows", driver, at, *loads)]
        rows = _finish(loads[0], at.home)
        _finish(loads[1], other)
        loads = Load("vacuum", at.home), Load("vacuum", other)
        found.append(_interleaved("a VACUUM of them", driver, at, *loads))
        for load in loads:
            load.end()
    shutil.rmtree(other)
    return found, rows


def _finish(load: Load, home: Path) -> int:
    """Lets an import come to its end, so that there is something to rewrite."""
    load.go()
    while any((home / "data" / "prepared").iterdir()):
        time.sleep(0.2)
    rows = load.stop()
    load.end()
    return rows


def _interleaved(name: str, driver: Path, at: World, ours: Load, control: Load) -> Beside:
    times: dict[Load | None, list[float]] = {None: [], ours: [], control: []}
    for _ in range(CYCLES):
        for load, its in times.items():
            if load is not None:
                load.go()
            its += round_trip.drive(driver, ROUNDS, [round_trip.Program(name, at, at.client())])[0]
            if load is not None:
                load.stop()
    return Beside(name, *(percentile(its, 0.5) for its in times.values()))
