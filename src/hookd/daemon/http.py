"""HTTP on 127.0.0.1: the same dispatch as the socket, health, and whatever pages are handed in."""

import asyncio
import hmac
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config as UvicornConfig
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from hookd.daemon.server import Daemon
from hookd.wire import MAX_PAYLOAD, Request

COOKIE = "hookd"

Pages = Callable[[Daemon], Iterable[BaseRoute]]


async def serve(daemon: Daemon, listening: socket.socket, pages: Pages) -> asyncio.AbstractServer:
    """Serves what comes in through a socket."""
    app = guard(daemon, listening.getsockname()[1], build(daemon, pages))
    # uvicorn's own server wakes ten times a second; its protocol alone is quiet while idle.
    config = UvicornConfig(
        app, http="httptools", ws="none", lifespan="off", access_log=False, log_config=None
    )
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: HttpToolsProtocol(config=config, server_state=state, app_state={}), sock=listening
    )


def host_name(key: str) -> str:
    """A name of the project's own: a browser sends a cookie for it to no other project's page."""
    return f"p-{key[:16]}.localhost"


def guard(daemon: Daemon, port: int, app: ASGIApp) -> ASGIApp:
    """Lets in the bearer of the token, or a browser that `hookd dashboard` let in; nobody else."""
    browser_host = f"{host_name(daemon.service.key)}:{port}"
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}", browser_host}
    bearer = f"Bearer {daemon.token}".encode()
    browser_secret = secrets.token_urlsafe(32)

    def admitted(scope: Scope) -> ASGIApp:
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        host = headers.get(b"host", b"").decode("latin-1").lower()
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if host not in hosts or (origin and origin.removeprefix("http://") not in hosts):
            return _refuse("this page is served to this machine only")
        if hmac.compare_digest(headers.get(b"authorization", b""), bearer):
            return app
        request = HttpRequest(scope)
        if host == browser_host:
            if hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), browser_secret.encode()):
                return app
            code = request.query_params.get("code", "")
            # A login code works once and for a minute.
            if request.url.path == "/login" and daemon.login_codes.pop(code, 0.0) > time.monotonic():
                response = RedirectResponse("/", status_code=303)
                response.set_cookie(COOKIE, browser_secret, httponly=True, samesite="strict")
                return response
        return _refuse("no valid token; run `hookd dashboard` to open this page")

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        await admitted(scope)(scope, receive, send)

    return guarded


def _refuse(why: str) -> Response:
    return Response(f"hookd: {why}\n", status_code=403, media_type="text/plain")


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
        return _json(daemon.status())

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
