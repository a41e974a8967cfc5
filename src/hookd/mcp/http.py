"""The server behind the daemon's `/mcp`: the official SDK's streamable HTTP, without sessions.

Each request is a whole conversation: nothing is kept between two of them, so there is nothing to fill up, to
expire or to steal. It is imported for the first request with the token, where the person has switched it on.
"""

import asyncio
from collections.abc import AsyncIterator

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from hookd.daemon.server import Daemon
from hookd.mcp.project import Here
from hookd.mcp.server import made, mended

# More at once would only wait for each other in the store, and the daemon has events to answer.
MOST_REQUESTS = 8
MOST_BYTES = 1024 * 1024
BODY_SECONDS = 5.0


class McpOverHttp:
    """An ASGI application; who gets here has shown the token."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        server = made(Here(project=daemon.service.project))
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        self._ready = asyncio.Event()
        self._under_way = 0
        # It lives as long as the loop, which cancels it at the daemon's end.
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._under_way >= MOST_REQUESTS:
            return await _refuse(503, "too many requests at once", {"retry-after": "1"})(scope, receive, send)
        if scope["method"] != "POST":
            # There is no session to end, and the server says nothing of its own accord.
            return await _refuse(405, "only POST", {"allow": "POST"})(scope, receive, send)
        self._under_way += 1
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = b"".join([part async for part in _parts(receive)])
            await self._ready.wait()
            await self._manager.handle_request(scope, _replayed(mended_body(body), receive), send)
            self._daemon.after_event()  # somebody is here, and what was remembered is to be brought in
        except TimeoutError:
            await _refuse(408, "the request did not arrive")(scope, receive, send)
        except OverflowError:
            await _refuse(413, f"a request may have {MOST_BYTES} bytes")(scope, receive, send)
        finally:
            self._under_way -= 1


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    """The request's body; raises OverflowError if that is too long."""
    size = 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > MOST_BYTES:
            raise OverflowError
        yield part
        if not message.get("more_body", False):
            return


def mended_body(body: bytes) -> bytes:
    """The body as the SDK's JSON reader takes it, as over standard input."""
    return mended(body.decode("utf-8", "replace")).encode()


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the whole body, then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


def _refuse(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"hookd: {why}\n", status, {"connection": "close", **(headers or {})})
