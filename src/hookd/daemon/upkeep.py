"""The daemon's care for the store, in a thread, in quiet moments."""

import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from hookd.capabilities import CAPABILITIES, forget_session
from hookd.capability import QuietMoment
from hookd.errors import DamagedStoreError, HookdError
from hookd.runs.folder import prune
from hookd.store.cancellation import Cancellation, StoppedError

if TYPE_CHECKING:
    from hookd.daemon.service import Service


class Upkeep:
    """Checks the database once, then does what is due whenever it is asked to."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._recorder = service.recorder
        self._recorder.check_first = True
        self._recorder.tell = self._tell
        self.stop = Cancellation()
        self._recorder.stop = self.stop

    def _tell(self, what: str) -> None:
        self._service.metrics.problem(f"store: {what}")
        self._service.publish_problem("store", what)
        self._service.log(f"store: {what}")

    def ingest(self) -> None:
        """Brings the journal in, and the store up to date before that, however long it takes."""
        while not self._recorder.ingest() and not self.stop.wait(0):
            pass

    def run(self) -> None:
        """Returns soon after `stop` was told."""
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

    def _maintain(self) -> None:
        from hookd.journal.maintenance import maintain  # not for the first event to wait for

        config = self._service.config
        try:
            keeper = self._recorder.keeper()
            maintain(keeper, config.store, self.stop, forget_session)
            if keeper.store.path.exists():
                moment = QuietMoment(keeper, self._service.folders.spools(), config, self.stop)
                for capability in CAPABILITIES:
                    if capability.quiet is not None:
                        capability.quiet(moment)
        except DamagedStoreError as error:
            self._recorder.mend(str(error))
            self.ingest()
        runs = config.runs
        hookd_folder = Path(self._service.root) / ".hookd"
        prune(hookd_folder, keep_days=runs.keep_days, max_mb=runs.max_mb, now=time.time())
