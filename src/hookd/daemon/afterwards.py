"""What is done for a session when it has ended: a model's hand-over, if that is wanted."""

import asyncio
import sqlite3
from typing import TYPE_CHECKING

from hookd.errors import HookdError

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
        config = self._service.config
        if not (self.stays and session):
            return
        if config.memory.handover and config.memory.model_handover and config.model.provider:
            task = asyncio.get_running_loop().create_task(self._tell(session))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def done(self) -> None:
        """Returns when all of it is done, or has had its time."""
        if self._under_way:
            limit = self._service.config.model.timeout_seconds + SLACK_SECONDS
            await asyncio.wait(set(self._under_way), timeout=limit)

    async def _tell(self, session: str) -> None:
        from hookd.memory.handover.prose import add_prose  # most people have no model
        from hookd.memory.observations import Place

        service = self._service
        try:
            await asyncio.to_thread(service.recorder.ingest)
            await add_prose(service.hooks.services, Place(service.key, service.root), session)
        except (HookdError, sqlite3.Error, OSError) as error:
            service.note("model", f"the hand-over is in hookd's words only: {error}")
