"""The Unix socket's side of the conversation with hook clients and with hookd's own commands."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, cast

from hookd.errors import WireError
from hookd.peers import peer_pid
from hookd.wire import (
    ACK,
    BEAT_SECONDS,
    LEAVING,
    Answer,
    Request,
    message_length,
    pack_answer,
    unpack_request,
)

# A client has its whole request at hand when it connects; who takes longer is none, or hangs.
REQUEST_SECONDS = 5.0

Respond = Callable[[Request], Awaitable[Answer]]
Standing = Literal["serve", "leave", "decline"]
"""Whether a request is answered, left to the daemon that comes next, or to its client."""


class Connection(asyncio.Protocol):
    """One client, one request, one answer."""

    def __init__(
        self, standing: Callable[[Request], Standing], respond: Respond, under_way: set["asyncio.Task[None]"]
    ) -> None:
        self._standing = standing
        self._respond = respond
        self._under_way = under_way
        self._transport: asyncio.Transport | None = None
        self._parts = bytearray()
        self._expected: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        """Until the request is there, its deadline; from then on, the next beat."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # The folder's mode keeps others out; this holds even where that was changed.
        if peer_pid(transport.get_extra_info("socket")) is None:
            self._transport.abort()
            return
        self._timer = asyncio.get_running_loop().call_later(REQUEST_SECONDS, self._transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        self._parts += data
        try:
            if self._expected is None:
                self._expected = message_length(self._parts)
            if self._expected is None or len(self._parts) < self._expected:
                return
            request = unpack_request(bytes(self._parts))
        except WireError:
            self._transport.abort()
            return
        self._cancel_timer()
        standing = self._standing(request)
        if standing != "serve":
            # A client that was acknowledged and then left alone answers by itself, whatever its version.
            self._transport.write(LEAVING if standing == "leave" else ACK)
            self._transport.close()
            return
        self._beat()
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """The client is gone; its event is finished all the same, for the record and for the hooks."""
        self._transport = None
        self._cancel_timer()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _beat(self) -> None:
        """Acknowledges now, and again while the answer is not there: silence would mean a freeze."""
        if self._transport is None:
            return
        self._transport.write(ACK)
        self._timer = asyncio.get_running_loop().call_later(BEAT_SECONDS, self._beat)

    async def _answer(self, request: Request) -> None:
        answer = pack_answer(await self._respond(request))
        self._cancel_timer()
        if self._transport is not None:
            self._transport.write(answer)
            self._transport.close()
