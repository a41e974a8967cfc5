"""`http` handlers: the input is posted, or sent by the handler's own method, and a JSON object comes back."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from hookd.agents.claude_handlers import Http
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended
from hookd.host.settings import Settings

if TYPE_CHECKING:
    import httpx

LARGEST = 16 * 1024 * 1024
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))")


class HttpRunner:
    """Posts with one client for all of an engine's handlers, so connections are kept."""

    def __init__(self, settings: Settings) -> None:
        self._allowed_urls = settings.merged_list("allowedHttpHookUrls")
        self._allowed_variables = settings.merged_list("httpHookAllowedEnvVars")
        self._client: httpx.AsyncClient | None = None

    async def run(self, call: HandlerCall) -> Ended:
        """The response as an answer; a status alone never refuses anything."""
        import httpx

        handler = call.registered.handler
        assert isinstance(handler, Http)
        if not url_allowed(handler.url, self._allowed_urls):
            return _failed(
                f"HTTP hook blocked: {handler.url} does not match any pattern in allowedHttpHookUrls"
            )
        headers = self._headers(handler, call)
        sent = None if handler.verb == "GET" else call.input
        if self._client is None:
            # No proxies, no keys from a netrc: what is sent where is what the settings say.
            self._client = httpx.AsyncClient(follow_redirects=False, trust_env=False)
        try:
            async with self._client.stream(
                handler.verb, handler.url.strip(), content=sent, headers=headers, timeout=call.seconds
            ) as response:
                body = await _body(response)
        except httpx.TimeoutException:
            return Ended(timed_out=True)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError, OSError) as error:
            return _failed(f"{handler.url}: {type(error).__name__}: {error}")
        if body is None:
            return _failed(f"{handler.url} answered with more than {LARGEST >> 20} MiB")
        if not 200 <= response.status_code < 300:
            return _failed(f"HTTP {response.status_code} from {handler.url}", response.status_code)
        text = body.decode("utf-8", "replace")
        return Ended(exit_code=0, status=response.status_code, stdout=text, text_counts=False)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _headers(self, handler: Http, call: HandlerCall) -> dict[str, str]:
        wanted = set(handler.allowed_env_vars)
        if self._allowed_variables is not None:
            wanted &= set(self._allowed_variables)

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            return call.env.get(name, "") if name in wanted else ""

        filled = {name: _VARIABLE.sub(value, text) for name, text in handler.headers.items()}
        # A header ends with its line, whatever a variable holds.
        clean = {name: re.sub(r"[\r\n\0]", "", text).strip() for name, text in filled.items()}
        stated = {name.lower() for name in clean}
        bare = handler.verb == "GET" or "content-type" in stated
        return clean if bare else {"Content-Type": "application/json", **clean}


async def _body(response: "httpx.Response") -> bytes | None:
    kept = bytearray()
    async for chunk in response.aiter_bytes():
        kept += chunk
        if len(kept) > LARGEST:
            return None
    return bytes(kept)


def _failed(what: str, status: int | None = None) -> Ended:
    return Ended(status=status, stderr=what, failed=what)


def url_allowed(url: str, patterns: list[str] | None) -> bool:
    """Whether a list of addresses, with `*` for anything, has this one; no list allows all."""
    if patterns is None or "*" in patterns:
        return True
    plain = _plain(url.strip())
    tests = (".*".join(map(re.escape, _plain(each).split("*"))) for each in patterns if "://" in each)
    return any(re.fullmatch(test, plain, re.DOTALL) for test in tests)


def _plain(url: str) -> str:
    """The address with its host the one way it can be written."""
    try:
        parts = urlsplit(url)
        name, at, host = parts.netloc.rpartition("@")
        host, colon, port = host.partition(":")
        return urlunsplit(parts._replace(netloc=f"{name}{at}{host.lower().rstrip('.')}{colon}{port}"))
    except ValueError:
        return url
