"""The record of a project's events: the journal at once, the store and the run folders soon after."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hookd.capabilities import CAPABILITIES, migrations, sources
from hookd.capability import Ingestion
from hookd.config import Config
from hookd.daemon.ingest_steps import take
from hookd.errors import DamagedStoreError, RunFolderError, StoreError, UpgradingStoreError
from hookd.hooks.context_budget import NOTHING_TOLD, UNCOUNTED, ToldSoFar
from hookd.identity.ids import machine_id, user_name
from hookd.identity.resolve import Identity, identify
from hookd.journal.entries import SCHEMA, Entry, Kept, Origin, Problem, Record, Writer, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.repository import Events
from hookd.journal.writer import Journal
from hookd.paths import Project, UserFolders, as_text, project_key
from hookd.runs.folder import run_name
from hookd.runs.record import RunFolders
from hookd.store.cancellation import NEVER, Cancellation, StoppedError
from hookd.store.database import Database

if TYPE_CHECKING:
    from hookd.journal.recovery import Keeper


class KnownSession(NamedTuple):
    """A session as the store has it."""

    turn: int = 0
    told: ToldSoFar = NOTHING_TOLD


class Recorder:
    """Writes one project's record."""

    def __init__(
        self,
        root: str,
        folders: UserFolders,
        config: Callable[[], Config] | None = None,
        noted: Callable[[str, str], None] = lambda _kind, _what: None,
    ) -> None:
        """`config` gives the configuration in force; without it, the project's files are read for it.

        `noted` is told of every problem that is put on record, in whatever thread that happens.
        """
        key = project_key(root)
        self.project = ProjectRecord(key, root, folders.journal(key), folders.spool(key))
        self.store = open_store(folders.database)
        self._folders = folders
        self._journal = Journal(self.project.folder, self.project.spool, self._origin)
        self._identity: Identity | None = None
        self._git_path = os.path.join(root, ".git")
        self._git = self._git_now()
        self._writer = os.urandom(16).hex()
        self._config = config or (lambda: sources(root, folders).read().config)
        self._noted = noted
        self._runs = RunFolders(root, key, [each.run_files for each in CAPABILITIES])
        self._ingesting = threading.Lock()
        self._has_tables = False
        self.stop = NEVER
        """Ends what takes long when the process is to end."""
        self.check_first = False
        """Whether the database's integrity is still to be checked before anything goes in."""
        self.failures: dict[str, str] = {}
        """What cannot be written at the moment, and why."""
        self.tell: Callable[[str], None] = lambda _what: None
        """Told what happened to the database, for the log."""

    def _origin(self) -> bytes:
        """Whose records a segment has that this process begins."""
        if self._identity is None:
            self._identity = identify(self._folders, self.project.root)
        origin = Origin(
            v=SCHEMA,
            project=self._identity.project,
            tree=self._identity.tree,
            alone=self._identity.alone,
            checkout=self.project.key,
            root=as_text(self.project.root),
            machine=machine_id(self._folders),
            user=as_text(user_name()),
            writer=self._writer,
        )
        return encode(origin)

    def _git_now(self) -> int:
        """The number of what the root has as `.git`: another one is another repository's, or a new one."""
        try:
            return os.lstat(self._git_path).st_ino
        except OSError:
            return 0

    def _look_who_writes(self) -> None:
        """A session that begins may find a repository made, moved or joined since the last one did."""
        self._git = self._git_now()
        before, self._identity = self._identity, identify(self._folders, self.project.root)
        if before is not None and before != self._identity:
            self._journal.begin_segment()

    def append(self, record: Record) -> None:
        """Puts the record on disk; a full disk is noted and does not keep the agent waiting."""
        if isinstance(record, Entry) and (record.event == "SessionStart" or self._git != self._git_now()):
            self._look_who_writes()
        self._journal.append(encode(record))
        self._notice_trouble()

    def _notice_trouble(self) -> None:
        """Once when it begins and once when it ends; the record of it takes the same way as all others."""
        trouble = self._journal.trouble
        if trouble == self.failures.get("journal", ""):
            return
        if trouble:
            self.failures["journal"] = trouble
            self.problem("journal", f"{trouble}; records are kept elsewhere until it can")
            return
        del self.failures["journal"]
        if lost := self._journal.take_lost():
            self.problem("journal", f"the journal could not be written for too long: {lost} records are lost")

    def problem(self, kind: str, what: str) -> None:
        self.append(Problem(id=os.urandom(16).hex(), at=time.time(), kind=kind, what=what))
        self._noted(kind, what)

    def bring_in(self, records: Iterable[Record]) -> None:
        """Puts records into the journal and from there into the store; raises StoreError if that fails."""
        for record in records:
            self.append(record)
        self.ingest()
        if why := self.failures.get("journal") or self.failures.get("store"):
            raise StoreError(why, hint="what is in the journal comes in later")

    def catch_up(self) -> None:
        """Brings in what is in the journal, if there is anything: a new daemon has nothing to wait for."""
        if self.project.segments():
            self.ingest()

    def ingest(self) -> bool:
        """Brings the journal into the store and the run folders; safe to call from any thread.

        False if all of the time went into bringing the store itself up to date, and there is more to do.
        """
        self._journal.flush()
        self._notice_trouble()
        with self._ingesting:
            try:
                try:
                    self._adopt()
                    if self.check_first:
                        self._check(self.stop)
                    ingest(self.store, self.project, run_name, self._sink)
                except DamagedStoreError as error:
                    self.mend(str(error))
                    ingest(self.store, self.project, run_name, self._sink)
                self.failures.pop("store", None)
            except UpgradingStoreError as error:
                self.failures["store"] = str(error)
                self.tell(str(error))
                return False
            except (OSError, StoreError) as error:
                self.failures["store"] = f"the store cannot be written: {error}"
            except StoppedError:
                pass  # in the middle of the check: the journal has it all, for the next process
        return True

    def _check(self, stop: Cancellation) -> None:
        # A reader does not have the time to bring a large store up to date; the writer does.
        self.store.submit(lambda _db: None).result()
        found = self.keeper().check(stop)
        self.check_first = False
        if found:
            raise DamagedStoreError("; ".join(found))

    def mend(self, why: str) -> None:
        """Restores the database or begins a new one; what the journal has is brought in again."""
        self.tell(f"the database is damaged: {why}")
        incident = self.keeper().mend()
        if incident is not None:
            self.tell(incident.says())

    def keeper(self) -> "Keeper":
        from hookd.journal.recovery import Keeper  # not for the first event to wait for

        return Keeper(self.store, self._folders.journals)

    def _sink(self, db: Database, writer: Writer, records: list[Kept]) -> None:
        config = self._config()
        entries = [record for record in records if isinstance(record, Entry)]
        if config.runs.enabled and entries:
            why = self._write_runs(db, entries)
            self._failing("runs", why and f"the run folder cannot be written: {why}")
        take(
            Ingestion(
                db,
                entries,
                records,
                self.project.key,
                self.project.root,
                writer,
                self._folders,
                config,
                self.problem,
                self._failing,
            )
        )

    def _write_runs(self, db: Database, entries: list[Entry]) -> str:
        """Why that cannot be done, if it cannot."""
        try:
            self._runs.write(db, entries)
        except (OSError, RunFolderError) as error:
            return str(error)
        except StoreError:
            raise  # the transaction's business
        except Exception as error:  # noqa: BLE001 - the folder is a copy; the store must not wait for it
            return f"hookd has a bug: {type(error).__name__}: {error}"
        return ""

    def _adopt(self) -> None:
        """Has the capabilities' tables made; not before, since a first event would wait for it."""
        if not self._has_tables:
            self.store.adopt(migrations())
            self._has_tables = True

    def _failing(self, what: str, why: str) -> None:
        """What cannot be done at the moment, for `status`; "" ends it."""
        self.failures.pop(what, None)
        if why:
            self.failures[what] = why
            self.problem("record", why)

    def known_session(self, session_id: str) -> KnownSession:
        """Where a session stood when another process last served it."""
        if not session_id or not self.store.path.exists():
            return KnownSession()
        try:
            with self.store.reading() as db:
                events = Events(db, self.project.key)
                known = events.session(session_id)
                said = events.contexts_told(session_id) if known is not None else []
        except StoreError:
            return KnownSession()
        tokens = sum(tokens for tokens, _, importance in said if importance not in UNCOUNTED)
        told = ToldSoFar(tokens, frozenset(key for _, key, _ in said if key))
        return KnownSession(known.turns if known is not None else 0, told)

    @property
    def lost(self) -> int:
        """How many records found no place at all."""
        return self._journal.lost

    def close(self) -> None:
        """Everything appended is in the store when this returns."""
        self._journal.close()
        self.check_first = False  # there is no time for it now; the next daemon does it
        self.ingest()
        self.store.close()


def put_on_record(project: Project, *records: Record) -> None:
    """Writes records into a project's journal and brings them into the store; raises if they find no place.

    A store that is busy or out of reach gets them from the next process that has something to bring in.
    """
    recorder = Recorder(project.root, project.folders)
    for record in records:
        recorder.append(record)
    recorder.close()
    if recorder.lost:
        raise StoreError(recorder.failures["journal"], hint="is the disk full, the folder writable?")


@contextmanager
def recording(folders: UserFolders) -> Iterator[Callable[[str, Record], None]]:
    """Puts records into the journals of folders and brings them into the store, one by one."""
    opened: dict[str, Recorder] = {}

    def bring_in(root: str, record: Record) -> None:
        if root not in opened:
            opened[root] = Recorder(root, folders)
        opened[root].bring_in([record])

    try:
        yield bring_in
    finally:
        for each in opened.values():
            each.close()
