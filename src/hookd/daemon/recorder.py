"""The record of a project's events: the journal at once, the store and the run folders soon after."""

import secrets
import sqlite3
import threading
import time

from hookd.errors import RunFolderError, StoreError
from hookd.journal.entries import Entry, Problem, Record, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store, queries
from hookd.journal.segments import JournalWriter
from hookd.paths import UserFolders, project_key
from hookd.runs.folder import run_name
from hookd.runs.record import RunFolders


class Recorder:
    """Writes one project's record."""

    def __init__(self, root: str, folders: UserFolders) -> None:
        key = project_key(root)
        self.project = ProjectRecord(key, root, folders.journal(key))
        self.store = open_store(folders.database)
        self._journal = JournalWriter(self.project.folder)
        self._runs = RunFolders(root, key)
        self._ingesting = threading.Lock()
        self.keep_runs = True
        self.failures: dict[str, str] = {}
        """What cannot be written at the moment, and why."""

    def append(self, record: Record) -> None:
        """Puts the record on disk; a full disk is noted and does not keep the agent waiting."""
        try:
            self._journal.append(encode(record))
            self.failures.pop("journal", None)
        except OSError as error:
            self.failures["journal"] = f"the journal cannot be written: {error.strerror or error}"

    def problem(self, kind: str, what: str, session: str = "") -> None:
        self.append(Problem(id=secrets.token_hex(8), at=time.time(), kind=kind, what=what, session=session))

    def ingest(self) -> None:
        """Brings the journal into the store and the run folders; safe to call from any thread."""
        with self._ingesting:
            try:
                ingest(self.store, self.project, run_name, self._sink)
                self.failures.pop("store", None)
            except (OSError, sqlite3.Error, StoreError) as error:
                self.failures["store"] = f"the store cannot be written: {error}"

    def _sink(self, db: sqlite3.Connection, entries: list[Entry]) -> None:
        if self.keep_runs:
            try:
                self._runs.write(db, entries)
                self.failures.pop("runs", None)
            except (OSError, RunFolderError) as error:
                self.failures["runs"] = f"the run folder cannot be written: {error}"
                self.problem("record", self.failures["runs"])

    def known_turn(self, session_id: str) -> int:
        """The turn a session had reached when another process last served it."""
        if not session_id or not self.store.path.exists():
            return 0
        values = {"project": self.project.key, "session": session_id}
        try:
            with self.store.reading() as db:
                row = db.execute(queries()["session"], values).fetchone()
        except (sqlite3.Error, StoreError):
            return 0
        return row["turns"] if row else 0

    def close(self) -> None:
        """Everything appended is in the store when this returns."""
        self._journal.close()
        self.ingest()
        self.store.close()
