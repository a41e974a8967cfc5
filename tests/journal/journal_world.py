"""A project's journal and store, and other processes that write to them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hookd.journal.entries import Entry, Writer, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.segments import JournalWriter, segments
from hookd.store.engine import Store

PATIENCE = 60.0
PROJECT = ProjectRecord("k" * 64, "/some/project", Path())


def entry(number: int | str, **fields: Any) -> Entry:
    common: dict[str, Any] = {
        "id": str(number),
        "at": 1000.0 + (number if isinstance(number, int) else 0),
        "agent": "claude-code",
        "event": "PreToolUse",
        "session": "s1",
    }
    return Entry(**common | fields)


class Journal:
    """One project's journal folder with its store."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.project = PROJECT._replace(folder=base / "journal")
        self.folder = self.project.folder
        self.store: Store = open_store(base / "hookd.db")
        self.told: list[str] = []
        """The entries that the sink was told of."""

    def write(self, *entries: Entry, writer: JournalWriter | None = None) -> None:
        """Appends, by a writer that is gone afterwards unless one is given."""
        ours = writer or JournalWriter(self.folder)
        for one in entries:
            ours.append(encode(one))
        if writer is None:
            ours.close()

    def ingest(self) -> int:
        def sink(_db: Any, _writer: Writer, entries: list[Entry]) -> None:
            self.told += [one.id for one in entries]

        return ingest(self.store, self.project, lambda _entry: "run_1", sink)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with self.store.reading() as db:
            return [tuple(row) for row in db.rows(sql)]

    def ids(self) -> list[str]:
        return [row[0] for row in self.query("SELECT id FROM event ORDER BY at, id")]

    def problems(self) -> dict[str, int]:
        return dict(self.query("SELECT what, count FROM problem WHERE kind IN ('journal', 'record')"))

    def segments(self) -> list[Path]:
        return list(segments(self.folder))

    def process(self, code: str, *words: object) -> subprocess.Popen[bytes]:
        """Another process, with `base` and `words` for arguments and this module at hand."""
        head = f"import sys; sys.path.insert(0, {json.dumps(str(Path(__file__).parent))})\n"
        return subprocess.Popen(
            [sys.executable, "-c", head + code, str(self.base), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # what was not read line by line is still there for `finish`
        )


def finish(process: subprocess.Popen[bytes], wanted: int = 0) -> bytes:
    """What the process wrote, once it has ended as it should."""
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == wanted, stderr.decode()
    return stdout


def numbers(count: int, prefix: str = "") -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]
