"""A connection to the port: any user of this machine can make one, so it has a moment to show its token."""

import asyncio
from typing import Any

from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

# From the connection to the end of a request's head with a token in it.
ADMISSION_SECONDS = 5.0
# Who shows nothing must not take the descriptors that events are answered with.
MOST_WAITING = 64
MOST_CONNECTIONS = 256
LONGEST_HEAD = 64 * 1024

_STATE = "hookd.connection"

Waiting = dict["HttpConnection", None]
"""Those that have not shown a token yet, oldest first."""


class HttpConnection(HttpToolsProtocol):
    """uvicorn's protocol, which by itself waits for a first request for ever."""

    def __init__(self, config: Config, state: ServerState, waiting: Waiting) -> None:
        super().__init__(config=config, server_state=state, app_state={_STATE: self})
        self._waiting = waiting
        self._deadline: asyncio.TimerHandle | None = None
        self._head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        if len(self._waiting) >= MOST_WAITING:
            next(iter(self._waiting)).let_go()
        self._waiting[self] = None
        self._deadline = self.loop.call_later(ADMISSION_SECONDS, self.let_go)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._head += len(data)
        if self.cycle is None and self._head > LONGEST_HEAD:
            self.let_go()

    def connection_lost(self, exc: Exception | None) -> None:
        self.admit()
        super().connection_lost(exc)

    def let_go(self) -> None:
        """Closes the connection without a word."""
        self.admit()
        self.transport.abort()

    def admit(self) -> None:
        """Ends the wait for a token."""
        self._waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()


def admit(scope: Scope) -> None:
    """Lets the connection that a request came through stay."""
    state: dict[str, Any] = scope["state"]
    state.pop(_STATE).admit()
