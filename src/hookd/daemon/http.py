"""HTTP on 127.0.0.1: the same dispatch as the socket, health, and whatever pages are handed in."""

import asyncio
import hmac
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config as UvicornConfig
from uvicorn.server import ServerState

from hookd.daemon.http_connection import HttpConnection, Waiting, admit
from hookd.daemon.mcp_token import is_mcp_bearer
from hookd.daemon.server import Daemon
from hookd.errors import HookdError
from hookd.wire import MAX_PAYLOAD, Request

COOKIE = "hookd"
MCP_PATH = "/mcp"

# The page has no script, nobody may frame it, and neither a disk nor another site learns of what it shows.
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
        b" base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_SET = frozenset(name for name, _ in HEADERS)

Pages = Callable[[Daemon], Iterable[BaseRoute]]
Loaded = Callable[[Daemon], Awaitable[ASGIApp]]
"""An application that is imported when it is first asked for."""


async def serve(
    daemon: Daemon, listening: socket.socket, pages: Pages, load_mcp: Loaded
) -> asyncio.AbstractServer:
    """Serves what comes in through a socket."""
    mcp = _late(daemon, load_mcp)
    app = guard(daemon, listening.getsockname()[1], build(daemon, pages), mcp)
    # uvicorn's own server wakes ten times a second; its protocol alone is quiet while idle.
    config = UvicornConfig(
        app, http="httptools", ws="none", lifespan="off", access_log=False, log_config=None
    )
    config.load()
    state = ServerState()
    waiting: Waiting = {}
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: HttpConnection(config, state, waiting), sock=listening)


def host_name(key: str) -> str:
    """A name of the project's own: a browser sends a cookie for it to no other project's page."""
    return f"p-{key[:16]}.localhost"


def _late(daemon: Daemon, load: Loaded) -> ASGIApp:
    """The application if it is switched on, loaded once, for the first request; the others wait for it."""
    loading: asyncio.Task[ASGIApp] | None = None

    async def loaded(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal loading
        await daemon.service.hooks.current()  # the switch as it is now, also if no event has come since
        if not daemon.service.config.mcp.http:
            return await _refuse("MCP over HTTP is off: see mcp.http in the config")(scope, receive, send)
        if loading is None or (loading.done() and loading.exception() is not None):
            loading = asyncio.ensure_future(load(daemon))
        try:
            app = await asyncio.shield(loading)
        except HookdError as error:
            app = Response(f"hookd: {error}; {error.hint}\n", status_code=501, media_type="text/plain")
        return await app(scope, receive, send)

    return loaded


def guard(daemon: Daemon, port: int, app: ASGIApp, mcp: ASGIApp) -> ASGIApp:
    """Lets in the bearer of the token, or a browser that `hookd dashboard` let in; nobody else.

    MCP has a token of its own: neither opens what is behind the other.
    """
    browser_host = f"{host_name(daemon.service.key)}:{port}"
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}", browser_host}
    bearer = f"Bearer {daemon.token}".encode()
    browser_secret = secrets.token_urlsafe(32)

    def answering(scope: Scope) -> ASGIApp:
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        host = headers.get(b"host", b"").decode("latin-1").lower()
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if host not in hosts or (origin and origin.removeprefix("http://") not in hosts):
            return _refuse("this page is served to this machine only")
        shown = headers.get(b"authorization", b"")
        if scope["path"] == MCP_PATH:
            if not is_mcp_bearer(daemon.files, shown):
                return _refuse("no valid token for MCP; `hookd mcp --http` tells it")
            return admitted(scope, mcp)
        if hmac.compare_digest(shown, bearer):
            return admitted(scope, app)
        request = HttpRequest(scope)
        if host == browser_host:
            if hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), browser_secret.encode()):
                return admitted(scope, app)
            code = request.query_params.get("code", "")
            # A login code works once and for a minute.
            if request.url.path == "/login" and daemon.login_codes.pop(code, 0.0) > time.monotonic():
                response = RedirectResponse("/", status_code=303)
                response.set_cookie(COOKIE, browser_secret, httponly=True, samesite="strict")
                return response
        return _refuse("no valid token; run `hookd dashboard` to open this page")

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_closed_up(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [header for header in message.get("headers", ()) if header[0].lower() not in _SET]
                message["headers"] = [*own, *HEADERS]
            await send(message)

        await answering(scope)(scope, receive, send_closed_up)

    return guarded


def admitted(scope: Scope, app: ASGIApp) -> ASGIApp:
    """The application, and the connection may stay."""
    admit(scope)
    return app


def _refuse(why: str) -> Response:
    """Who is not let in is not kept on the line either."""
    return Response(
        f"hookd: {why}\n", status_code=403, media_type="text/plain", headers={"connection": "close"}
    )


def build(daemon: Daemon, pages: Pages) -> Starlette:
    """The routes behind the guard."""

    async def hooks(request: HttpRequest) -> Response:
        body = await _body(request)
        answer = await daemon.service.answer(
            Request(
                agent=request.query_params.get("agent", "claude-code"),
                event=request.path_params["event"],
                payload=body or b"",
                oversize=body is None,
            ),
            via="http",
        )
        daemon.after_event()
        if answer.exit_code == 2:
            # There is no exit code over HTTP; a block is the nearest thing to say.
            return _json({"decision": "block", "reason": answer.stderr.decode("utf-8", "replace")})
        return Response(answer.stdout, media_type="application/json")

    async def health(_request: HttpRequest) -> Response:
        return _json(await daemon.current_status())

    own = [Route("/hooks/{event}", hooks, methods=["POST"]), Route("/health", health)]
    return Starlette(routes=[*own, *pages(daemon)])


async def _body(request: HttpRequest) -> bytes | None:
    """What was sent, or None if it is too much; reading stops there."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_PAYLOAD:
            return None
        parts.append(part)
    return b"".join(parts)


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
