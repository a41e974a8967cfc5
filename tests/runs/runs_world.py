"""A project whose events go the whole way from the journal to the run folder."""

import json
import time
from pathlib import Path
from typing import Any

from hookd.capabilities import CAPABILITIES
from hookd.journal.entries import Entry, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.segments import JournalWriter
from hookd.runs.folder import run_name
from hookd.runs.record import RunFolders
from hookd.store.engine import Store

KEY = "k" * 64
START = 1_700_000_000.0


def entry(number: int, event: str, **fields: Any) -> Entry:
    common = {"id": f"e{number}", "at": START + number, "agent": "claude-code", "session": "s1"}
    return Entry(**common | {"event": event} | fields)


class Project:
    """A project whose events go the whole way from the journal to the run folder."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.hookd = self.root / ".hookd"
        self.hookd.mkdir(parents=True)
        self.store: Store = open_store(base / "hookd.db")
        self._record = ProjectRecord(KEY, str(self.root), base / "journal")
        self.folders = RunFolders(str(self.root), KEY, [each.run_files for each in CAPABILITIES])

    def record(self, *entries: Entry) -> None:
        writer = JournalWriter(self._record.folder)
        for one in entries:
            writer.append(encode(one))
        writer.close()
        ingest(
            self.store,
            self._record,
            run_name,
            lambda db, _writer, entries: self.folders.write(db, entries),  # type: ignore[arg-type]
        )

    def tell(self, *entries: Entry) -> None:
        """Tells the run folder alone, as after a transaction that had to be repeated."""
        self.store.submit(lambda db: self.folders.write(db, list(entries))).result(30)

    @property
    def run(self) -> Path:
        [folder] = (self.hookd / "runs").iterdir()
        return folder

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.run / name).read_text().splitlines()]

    def document(self, name: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.run / name).read_text())
        return document

    def calls(self) -> list[dict[str, Any]]:
        return self.lines("tool_calls.jsonl")

    def summary(self) -> dict[str, Any]:
        return self.document("run.json")


def iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + seconds)) + ".000Z"
