"""One POST to a model's endpoint: no proxies, no redirects, no environment, and a bounded response."""

import asyncio
import json
import ssl
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hookd.errors import ModelError
from hookd.llm.keys import HINT
from hookd.llm.provider import NotServedError

if TYPE_CHECKING:
    import httpx

LARGEST = 256 * 1024
SHOWN = 300


class Response(NamedTuple):
    """A status and what came with it."""

    status: int
    body: bytes


async def post(url: str, headers: dict[str, str], body: dict[str, Any], *, timeout: float) -> Response:
    """Sends the JSON and returns whatever comes back; raises ModelError if nothing usable does."""
    # The library takes longer to import than a client waits for a sign of life, so not in the loop.
    context = await asyncio.to_thread(_tls)
    import httpx

    client = httpx.AsyncClient(
        verify=context, trust_env=False, follow_redirects=False, timeout=httpx.Timeout(timeout)
    )
    # No compression: a small response must not become a large one.
    sent = {"content-type": "application/json", "accept-encoding": "identity"} | headers
    try:
        async with client, client.stream("POST", url, headers=sent, content=json.dumps(body)) as response:
            return Response(response.status_code, await _bounded(response))
    except httpx.ConnectError as error:
        raise NotServedError(
            f"{url} cannot be reached: {error}", hint="is it running, is the address right?"
        ) from error
    except httpx.TimeoutException:
        raise ModelError(f"{url} did not answer within {timeout:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise ModelError(f"{url} broke off: {type(error).__name__}: {error}") from error


async def _bounded(response: "httpx.Response") -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelError(f"{response.url} answered in an encoding that it was not asked for")
    body = b""
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > LARGEST:
            raise ModelError(f"{response.url} answered with more than {LARGEST} bytes")
    return body


@cache
def _tls() -> ssl.SSLContext:
    """The certificates that come with the library and those of the system: companies add theirs there."""
    import httpx

    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    return context


def checked(url: str, response: Response, key: str) -> dict[str, Any]:
    """The JSON object of a successful response; raises ModelError with what the endpoint says otherwise."""
    if response.status != 200:
        said = " ".join(response.body[: 10 * SHOWN].decode("utf-8", "replace").split())
        if key:
            said = said.replace(key, "[REDACTED:key]")
        hint = HINT if response.status in (401, 403) else None
        raise NotServedError(f"{url} answered {response.status}: {said[:SHOWN]}", hint=hint)
    try:
        found = json.loads(response.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelError(f"{url} answered with something that is no JSON object")
    return found
