"""What the daemon does when nobody waits: for a session that has ended, for the store in quiet moments."""

import asyncio
import os
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from hookd.capabilities import CAPABILITIES, forget_session, sources
from hookd.capability import EndedSession, QuietMoment
from hookd.config import Config, Store
from hookd.errors import DamagedStoreError, HookdError
from hookd.runs.folder import prune
from hookd.store.cancellation import Cancellation, StoppedError

if TYPE_CHECKING:
    from hookd.daemon.service import Service


# Beside what the model may take when a session has ended.
SLACK_SECONDS = 2.0


class Afterwards:
    """Work that the daemon stays for."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._under_way: set[asyncio.Task[None]] = set()
        self.stays = False
        """Whether this process has time when the agent has its answer."""

    def session_ended(self, session: str) -> None:
        """Begins what is to be done; nobody waits for it but the daemon, before it ends itself."""
        if not (self.stays and session):
            return
        service, services = self._service, self._service.hooks.services
        catch_up = service.recorder.ingest
        ended = EndedSession(service.key, service.root, session, services, catch_up, service.note)
        for capability in CAPABILITIES:
            part = capability.session_end
            if part is not None and part.wanted(service.config):
                task = asyncio.get_running_loop().create_task(part.run(ended))
                self._under_way.add(task)
                task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._service.note("bug", f"after a session's end: {type(error).__name__}: {error}")

    async def done(self) -> None:
        """Returns when all of it is done, or has had its time."""
        if self._under_way:
            limit = self._service.config.model.timeout_seconds + SLACK_SECONDS
            await asyncio.wait(set(self._under_way), timeout=limit)


class Upkeep:
    """Checks the database once, in a thread, then does what is due whenever it is asked to."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._recorder = service.recorder
        self._recorder.check_first = True
        self._recorder.tell = self._tell
        self.stop = Cancellation()
        self._one_at_a_time = threading.Lock()
        self._recorder.stop = self.stop

    def _tell(self, what: str) -> None:
        self._service.metrics.problem(f"store: {what}")
        self._service.publish_problem("store", what)
        self._service.log(f"store: {what}")

    def ingest(self) -> None:
        """Brings the journal in, and the store up to date before that, however long it takes."""
        while not self._recorder.ingest() and not self.stop.wait(0):
            pass

    def try_again(self) -> None:
        """What could not be done, once more: somebody asks how the store is."""
        if "upkeep" in self._recorder.failures:
            self.run()
        else:
            self.ingest()

    def run(self) -> None:
        """Returns soon after `stop` was told."""
        with self._one_at_a_time:
            self._run()

    def _run(self) -> None:
        self.ingest()
        failures = self._recorder.failures
        try:
            self._maintain()
            failures.pop("upkeep", None)
        except StoppedError:
            pass
        except HookdError as error:
            failures["upkeep"] = f"the store's upkeep: {error}"
        except Exception as error:  # noqa: BLE001 - the daemon answers on, whatever this stumbled over
            place = traceback.extract_tb(error.__traceback__)[-1]
            failures["upkeep"] = f"the store's upkeep: {error} ({place.name}:{place.lineno})"

    def _config_of(self, root: str) -> Config | None:
        """What a project's files say now: what is in force may be defaults in the place of a broken file."""
        folders = self._service.folders
        # In the person's own folder there is no project, so what is found is theirs alone.
        there = root if os.path.isabs(root) and os.path.isdir(root) else str(folders.config)
        found = sources(there, folders).read()
        return None if found.problems else found.config

    def _store_settings(self) -> Store:
        """The person's own: the store is one for all projects, and none of them speaks for the others."""
        own = self._config_of("")
        return own.store if own is not None else Store(keep_days=0)

    def _maintain(self) -> None:
        from hookd.journal.maintenance import maintain  # not for the first event to wait for

        config = self._service.config
        try:
            keeper = self._recorder.keeper()
            maintain(keeper, self._store_settings(), self.stop, forget_session)
            if keeper.store.path.exists():
                self._service.outbox.drop_old(keeper.store)
                moment = QuietMoment(
                    keeper, self._service.folders.spools(), config, self.stop, self._config_of
                )
                for capability in CAPABILITIES:
                    if capability.quiet is not None:
                        capability.quiet(moment)
        except DamagedStoreError as error:
            self._recorder.mend(str(error))
            self.ingest()
        if (own := self._config_of(self._service.root)) is not None:
            hookd_folder, runs = Path(self._service.root) / ".hookd", own.runs
            prune(hookd_folder, keep_days=runs.keep_days, max_mb=runs.max_mb, now=time.time())
