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
from hookd.journal.writer import Journal
from world import World, compile_c, percentile, world

EVENTS = 100_000
IMPORTED = 1_000_000
CYCLES, ROUNDS = 24, 40


class Speed(NamedTuple):
    append_p50: float
    append_p99: float
    events_per_second: float


class Times(NamedTuple):
    """Medians: the round trip in milliseconds, and its ratio to the floor in the same moments."""

    p50: float
    ratio: float


class Beside(NamedTuple):
    """Alone, beside work on our database, beside the same work on another one."""

    name: str
    quiet: Times
    ours: Times
    control: Times

    def change(self, measure: str) -> str:
        """By our database and by the other one, in per cent of the quiet value."""
        quiet = getattr(self.quiet, measure)
        by = [(getattr(times, measure) / quiet - 1) * 100 for times in (self.ours, self.control)]
        return f"{by[0]:+.0f} %, {by[1]:+.0f} %"


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
    """Block by block in turn; within a block, the floor and the hook in turn."""
    floor = compile_c("int main(void) { return 0; }", "empty", "-static")
    programs = [
        round_trip.Program("floor", at, [str(floor)]),
        round_trip.Program("hook", at, at.client()),
    ]
    blocks: dict[Load | None, list[Times]] = {None: [], ours: [], control: []}
    for _ in range(CYCLES):
        for load, its in blocks.items():
            if load is not None:
                load.go()
            bare, hook = (percentile(times, 0.5) for times in round_trip.drive(driver, ROUNDS, programs))
            if load is not None:
                load.stop()
            its.append(Times(hook, hook / bare))
    return Beside(name, *(_median(its) for its in blocks.values()))


def _median(blocks: list[Times]) -> Times:
    return Times(*(percentile(list(column), 0.5) for column in zip(*blocks, strict=True)))
