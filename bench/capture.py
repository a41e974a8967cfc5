"""What remembering costs: answers to PostToolUse with capture on and off, and the work after the answer."""

import asyncio
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from hookd.journal.entries import Entry, Kept, Writer, encode
from hookd.journal.ingest import ProjectRecord, Sink, ingest, open_store
from hookd.journal.writer import Journal
from hookd.memory import settings as memory_settings
from hookd.memory.ingest import hand_over, write_down
from hookd.memory.observations import Place
from hookd.memory.repository.statements import migrations
from hookd.store.database import Database
from hookd.tasks.repository import migrations as task_migrations
from world import World, percentile, world

CALLS = 800
ENTRIES = 4_000
SESSION = "7d0f3c52-9b1e-4a6d-8c35-2f6a1be40917"
PLACE = Place("e" * 64, "/bench")

# A mixed morning: what is kept and what is dropped, about half of each.
WORK = (
    ("Edit", {"file_path": "/bench/src/ledger.py", "old_string": "round(x)", "new_string": "cents(x)"}, "ok"),
    ("Bash", {"command": "pytest -q tests/test_ledger.py"}, "41 passed in 2.1s"),
    ("Bash", {"command": "git status --short && git diff --stat"}, " M src/ledger.py"),
    ("Read", {"file_path": "/bench/src/ledger.py"}, "def total(items):\n    return sum(items)\n" * 20),
    ("Bash", {"command": "npm run build 2>&1 | tail -20"}, "dist/index.js 142 kB\n" * 10),
    ("Write", {"file_path": "/bench/src/report.py", "content": "ROWS = 10\n" * 40}, "ok"),
    ("Grep", {"pattern": "def total", "path": "/bench/src"}, "src/ledger.py:3:def total(items):"),
    ("Bash", {"command": "ls -la src"}, "total 48\n-rw-r--r-- 1 dev dev 812 ledger.py"),
)


class Cost(NamedTuple):
    """Microseconds: the answer with and without, medians and means, and the sink's work per event."""

    on_p50: float
    off_p50: float
    on_mean: float
    off_mean: float
    sink: float
    kept: int

    @property
    def added(self) -> float:
        return self.on_p50 - self.off_p50


def measure() -> Cost:
    with world() as on, world() as off:
        config_file = off.home / "config" / "config.toml"
        config_file.write_text("[memory]\ncapture = false\n")
        for each in (on, off):
            each.hookd("daemon", "start")
            each.wait_for(each.files.port)
        times = asyncio.run(_answers(on, off))
        kept = json.loads(on.hookd("memory", "stats", "--json"))["observations"]
        assert json.loads(off.hookd("memory", "stats", "--json"))["observations"] == 0
    on_mean, off_mean = (sum(each) / len(each) for each in times)
    return Cost(percentile(times[0], 0.5), percentile(times[1], 0.5), on_mean, off_mean, _sink(), kept)


class _Line:
    """A keep-alive connection to a daemon."""

    def __init__(self, at: World) -> None:
        self.port = int(Path(at.files.port).read_text())
        self.token = Path(at.files.token).read_text().strip()

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, event: str, body: dict[str, object]) -> float:
        """How long the answer took, in microseconds."""
        payload = json.dumps(
            {"hook_event_name": event, "session_id": SESSION, "cwd": "/bench"} | body
        ).encode()
        request = (
            f"POST /hooks/{event} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(payload)}\r\n\r\n"
        ).encode() + payload
        began = time.perf_counter()
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        if length:
            await self.reader.readexactly(length)
        assert head.startswith(b"http/1.1 200"), head
        return (time.perf_counter() - began) * 1e6


async def _answers(on: World, off: World) -> tuple[list[float], list[float]]:
    lines = (_Line(on), _Line(off))
    times: tuple[list[float], list[float]] = ([], [])
    for line in lines:
        await line.open()
    for number in range(CALLS):
        tool, given, output = WORK[number % len(WORK)]
        call: dict[str, Any] = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{number:020d}"}
        first = number % 2  # who comes first has the colder caches
        for which in (first, 1 - first):
            await lines[which].send("PreToolUse", call)
            times[which].append(await lines[which].send("PostToolUse", call | {"tool_response": output}))
    return times


def _sink() -> float:
    """Microseconds per event that capture adds to taking the journal in."""
    with_it, without = min(_ingested(True) for _ in range(2)), min(_ingested(False) for _ in range(2))
    return (with_it - without) / ENTRIES * 1e6


def _ingested(capture: bool) -> float:
    base = Path(tempfile.mkdtemp(prefix="hookd-bench-"))
    journal = Journal(base / "journal", None)
    for number in range(ENTRIES // 2):
        tool, given, output = WORK[number % len(WORK)]
        before = Entry(
            id=f"a{number}",
            at=number,
            agent="claude-code",
            event="PreToolUse",
            session=SESSION,
            tool=tool,
            tool_use=f"toolu_{number}",
            input={"tool_input": given},
        )
        after = replace(before, id=f"b{number}", event="PostToolUse", input={}, output=output)
        journal.append(encode(before))
        journal.append(encode(after))
    journal.close()
    store = open_store(base / "hookd.db")
    store.adopt([*task_migrations(), *migrations()])
    with store.reading():
        pass  # the tables are there
    began = time.perf_counter()
    new = ingest(
        store,
        ProjectRecord(PLACE.key, PLACE.root, base / "journal"),
        lambda _: "run",
        _take if capture else _nothing,
    )
    spent = time.perf_counter() - began
    assert new == ENTRIES
    store.close()
    shutil.rmtree(base)
    return spent


def _take(db: Database, _writer: Writer, records: list[Kept]) -> None:
    entries = [record for record in records if isinstance(record, Entry)]
    settings = memory_settings.Memory()
    write_down(db, PLACE, settings, entries, print)
    hand_over(db, PLACE, settings, entries, print)


_nothing: Sink = lambda _db, _writer, _records: None  # noqa: E731


if __name__ == "__main__":
    print(measure())
