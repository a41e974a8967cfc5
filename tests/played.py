"""Sessions played to hookd's own service: journal, store and memory as in a daemon, without the processes."""

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookd.daemon.service import Service
from hookd.journal.entries import Entry, decode
from hookd.memory.observations import place_of
from hookd.memory.recall.search import Found, search
from hookd.memory.repository.search import ANYTHING, Filters
from hookd.store.database import Database
from hookd.wire import Request
from worlds import make_git_folder

_EMPTIED = (
    *("event", "session", "problem", "task", "task_prompt"),
    *("observation", "observation_link", "awaited_superseding", "failure_key"),
)


class Played:
    """A project whose events take the whole way; `bash` and the like are a call with both of its events."""

    def __init__(self, config: str = "") -> None:
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="hk-played-")))
        self.root = self.base / "p"
        make_git_folder(self.root)
        self.env = {"HOME": str(self.base), "HOOKD_HOME": str(self.base / "h")}
        (self.base / "h" / "config").mkdir(parents=True)
        (self.base / "h" / "config" / "config.toml").write_text(config)
        self._loop = asyncio.Runner()
        self.service = Service(str(self.root), self.env)
        self.place = place_of(self.service.folders, str(self.root))
        self.session = "s1"
        self._calls = 0
        self.rows("SELECT 1")  # the tables are there from now on

    def close(self) -> None:
        self.service.close()
        self._loop.close()
        # A thread that was given up on may have its store open a moment longer.
        shutil.rmtree(self.base, ignore_errors=True)

    def begin_anew(self) -> None:
        """Forgets everything: another test may go on from here."""
        self.ingest()

        def clear(db: Database) -> None:
            for table in _EMPTIED:
                db.run(f"DELETE FROM {table}")
            db.run("INSERT INTO observation_word (observation_word) VALUES ('delete-all')")

        self.service.recorder.store.submit(clear).result()
        self.session = "s1"

    def send(self, event: str, nonce: str = "", **fields: Any) -> None:
        body = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": event} | fields
        request = Request("claude-code", event, json.dumps(body).encode(), nonce=nonce)
        self._loop.run(self.service.answer(request))

    def prompt(self, text: str, **more: Any) -> None:
        self.send("UserPromptSubmit", prompt=text, **more)

    def answer(self, text: str = "Done.") -> None:
        self.send("Stop", last_assistant_message=text)

    def call(self, tool: str, given: dict[str, Any], output: Any = "", error: str | None = None) -> None:
        self._calls += 1
        named = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{self._calls}"}
        self.send("PreToolUse", **named)
        if error is None:
            self.send("PostToolUse", **named, tool_response=output)
        else:
            self.send("PostToolUseFailure", **named, error=error)

    def bash(self, command: str, output: str = "", error: str | None = None) -> None:
        response = {"stdout": output, "stderr": "", "interrupted": False}
        self.call("Bash", {"command": command}, response, error)

    def write(self, path: str, content: str) -> None:
        self.call("Write", {"file_path": str(self.root / path), "content": content}, {"type": "create"})

    def edit(self, path: str, old: str, new: str, **more: Any) -> None:
        given = {"file_path": str(self.root / path), "old_string": old, "new_string": new} | more
        self.call("Edit", given, {"filePath": path})

    def read(self, path: str, content: str) -> None:
        response = {"type": "text", "file": {"filePath": path, "content": content}}
        self.call("Read", {"file_path": str(self.root / path)}, response)

    def ingest(self) -> None:
        self.service.recorder.ingest()
        assert not self.service.recorder.failures, self.service.recorder.failures

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        self.ingest()
        with self.service.recorder.store.reading() as db:
            return [dict(row) for row in db.rows(sql, values)]

    def entries(self) -> list[Entry]:
        """What the journal's files hold of the events in the store."""
        known = {row["id"] for row in self.rows("SELECT id FROM event")}
        files = [path for path in sorted(self.service.recorder.project.folder.rglob("*")) if path.is_file()]
        lines = [line for path in files for line in path.read_bytes().splitlines() if line.startswith(b"{")]
        return [each for each in map(decode, lines) if isinstance(each, Entry) and each.id in known]

    def observations(self, kind: str | None = None) -> list[dict[str, Any]]:
        """All but the summaries, or those of a kind, in the order of writing, superseded ones too."""
        found = self.rows("SELECT * FROM observation ORDER BY seq")
        return [row for row in found if kind == row["kind"] or (kind is None and row["kind"] != "summary")]

    def texts(self, kind: str | None = None) -> list[str]:
        return [row["text"] for row in self.observations(kind)]

    def found(self, query: str, filters: Filters = ANYTHING) -> list[Found]:
        """What a search offers."""
        self.ingest()
        with self.service.recorder.store.reading() as db:
            return search(db, query, filters, limit=20)

    def offered(self, query: str) -> list[str]:
        return [result.text for result in self.found(query)]

    def problems(self) -> list[str]:
        self.ingest()
        return [row["what"] for row in self.rows("SELECT what FROM problem")]


@pytest.fixture(scope="module")
def service() -> Iterator[Played]:
    """One for a module's tests: to load it takes longer than they do."""
    made = Played()
    yield made
    made.close()


@pytest.fixture
def project(service: Played) -> Played:
    """A project of which nothing is known yet."""
    service.begin_anew()
    return service
