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
from hookd.daemon import log
from hookd.daemon.ingest_steps import take
from hookd.errors import DamagedStoreError, RunFolderError, StoreError, UpgradingStoreError
from hookd.hooks.context_budget import NOTHING_TOLD, UNCOUNTED, ToldSoFar
from hookd.identity.ids import machine_id, user_name
from hookd.identity.resolve import Identity, identify
from hookd.journal.entries import SCHEMA, Entry, Kept, Origin, Problem, Record, Writer, encode
from hookd.journal.ingest import ProjectRecord, ingest, open_store
from hookd.journal.repository import Events
from hookd.journal.writer import Journal
from hookd.paths import Project, UserFolders, as_text, project_key, runtime_files
from hookd.redact.redactor import Redactor
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
        debug: Callable[[], log.Write | None] | None = None,
    ) -> None:
        """`config` gives the configuration in force; without it, the project's files are read for it.

        `noted` is told of every problem that is put on record, in whatever thread that happens; `debug` gives
        what takes debug lines, without it the project's log does if the configuration says so.
        """
        key = project_key(root)
        self.project = ProjectRecord(key, root, folders.journal(key), folders.spool(key))
        self.store = open_store(folders.database)
        self._folders = folders
        self._journal = Journal(self.project.folder, self.project.spool, self._origin, self._begin_anew)
        self._was_deleted = False
        self._identity: Identity | None = None
        self._git_path = os.path.join(root, ".git")
        self._git = self._git_now()
        self._writer = os.urandom(16).hex()
        self._config = config or (lambda: sources(root, folders).read().config)
        self._noted = noted
        self._debug = debug
        self._runs = RunFolders(root, key, [each.run_files for each in CAPABILITIES])
        self._ingesting = threading.Lock()
        self._has_tables = False
        self._had_database = self.store.path.exists()
        self.stop = NEVER
        """Ends what takes long when the process is to end."""
        self.check_first = False
        """Whether the database's integrity is still to be checked before anything goes in."""
        self.failures: dict[str, str] = {}
        """What cannot be written at the moment, and why."""
        self.tell: log.Write = self._to_log
        """Told what happened to the database: a command that notices it first puts it into the log too."""
        self.written_anew: Callable[[], object] = lambda: None
        """Told that the data folder was deleted: what others keep there is theirs to write again."""

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

    def _begin_anew(self) -> None:
        """The journal's folder was deleted under this process, and with it whose folder this is."""
        self._identity = None
        self._was_deleted = True

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
        if self._was_deleted:
            self._was_deleted = False
            self._say_what_was_deleted()
        trouble = self._journal.trouble
        if trouble == self.failures.get("journal", ""):
            return
        if trouble:
            self.failures["journal"] = trouble
            self.problem("record", f"{trouble}; records are kept elsewhere until it can")
            return
        del self.failures["journal"]
        if lost := self._journal.take_lost():
            self.problem("journal", f"the journal could not be written for too long: {lost} records are lost")

    def _say_what_was_deleted(self) -> None:
        folder = self.project.folder if self.store.path.exists() else self._folders.data
        what = (
            f"{folder} was deleted or moved while hookd was using it: it is written anew, without what it had"
        )
        self.problem("store", what)
        self.tell(what)
        self.written_anew()

    def look_for_the_journal(self) -> None:
        """Notices that the data folder was deleted, also while no event comes."""
        if self._journal.is_gone:
            self.ingest()

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
        with self._ingesting:
            written = self._journal.flush()
            self._notice_trouble()
            try:
                try:
                    self._notice_deletion()
                    self._adopt()
                    if self.check_first:
                        self._check(self.stop)
                    ingest(self.store, self.project, run_name, self._sink)
                except DamagedStoreError as error:
                    self.mend(str(error))
                    ingest(self.store, self.project, run_name, self._sink)
                self.failures.pop("store", None)
                self._journal.taken(written)
                self._had_database = True
            except UpgradingStoreError as error:
                self.failures["store"] = str(error)
                self.tell(str(error))
                return False
            except (OSError, StoreError) as error:
                self.failures["store"] = f"the store cannot be written: {error}"
            except StoppedError:
                pass  # in the middle of the check: the journal has it all, for the next process
        return True

    def _notice_deletion(self) -> None:
        """Tells a database that was deleted with the mark beside it from one that never was."""
        mark = self.store.lock
        if self.store.path.exists():
            self._had_database = True
            return
        if mark.path.exists():
            return
        if self._had_database or self.keeper().keeps_anything():
            mark.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            mark.mark()

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
                debug=self._debug() if self._debug is not None else self._debug_by(config),
            )
        )

    def _debug_by(self, config: Config) -> log.Write | None:
        """What takes debug lines in a process that is no daemon."""
        return log.debug_sink(config, self._to_log, lambda line: Redactor(config.redact).text(line))

    def _to_log(self, line: str) -> None:
        log.to_file(runtime_files(self.project.root).log)(line)

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
            self.problem(what, why)

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
