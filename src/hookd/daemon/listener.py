"""The Unix socket's side of the conversation with hook clients and with hookd's own commands."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from hookd.errors import WireError
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

Respond = Callable[[Request], Awaitable[Answer]]


class Connection(asyncio.Protocol):
    """One client, one request, one answer."""

    def __init__(
        self, is_stale: Callable[[Request], bool], respond: Respond, under_way: set["asyncio.Task[None]"]
    ) -> None:
        self._is_stale = is_stale
        self._respond = respond
        self._under_way = under_way
        self._transport: asyncio.Transport | None = None
        self._parts = bytearray()
        self._expected: int | None = None
        self._next_beat: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
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
        if self._is_stale(request):
            self._transport.write(LEAVING)
            self._transport.close()
            return
        self._beat()
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """The client is gone; its event is finished all the same, for the record and for the hooks."""
        self._transport = None
        if self._next_beat is not None:
            self._next_beat.cancel()

    def _beat(self) -> None:
        """Acknowledges now, and again while the answer is not there: silence would mean a freeze."""
        if self._transport is None:
            return
        self._transport.write(ACK)
        self._next_beat = asyncio.get_running_loop().call_later(BEAT_SECONDS, self._beat)

    async def _answer(self, request: Request) -> None:
        answer = pack_answer(await self._respond(request))
        if self._next_beat is not None:
            self._next_beat.cancel()
        if self._transport is not None:
            self._transport.write(answer)
            self._transport.close()
