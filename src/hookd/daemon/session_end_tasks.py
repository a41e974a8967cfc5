"""What capabilities do for a session when it has ended."""

import asyncio
from typing import TYPE_CHECKING

from hookd.capabilities import CAPABILITIES
from hookd.capability import EndedSession

if TYPE_CHECKING:
    from hookd.daemon.service import Service

# Beside what the model may take.
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
        service = self._service
        for capability in CAPABILITIES:
            part = capability.session_end
            if part is not None and part.wanted(service.config):
                ended = EndedSession(
                    service.key,
                    service.root,
                    session,
                    service.hooks.services,
                    service.recorder.ingest,
                    service.note,
                )
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
