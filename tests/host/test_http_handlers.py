"""HTTP handlers: what is sent, to whom, and what an answer does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from host_settings import Fire, settings

from hookd.host import HookEngine
from hookd.host.runners.http import url_allowed

DENY = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}


class Server:
    """Answers every request with what the path names, and keeps what it got."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], Any]] = []
        self.methods: list[str] = []
        self.answers: dict[str, tuple[int, str]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.methods.append(self.command)
                outer.requests.append((dict(self.headers.items()), json.loads(body or b"null")))
                status, text = outer.answers.get(self.path, (200, ""))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/deny")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_PUT = do_PATCH = do_POST  # noqa: N815 - the library's names

            def log_message(self, *args: object) -> None:
                """Says nothing: the requests are kept."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


def http(url: str, **options: Any) -> dict[str, Any]:
    return settings("PreToolUse", {"type": "http", "url": url, **options})


@pytest.mark.parametrize(
    ("status", "body", "blocked", "outcome"),
    [
        (200, json.dumps(DENY), True, "success"),
        (200, "", False, "success"),
        (200, "plain words", False, "error"),
        (200, "[1]", False, "error"),
        (200, '{"decision": 5}', False, "error"),
        (204, "", False, "success"),
        (403, json.dumps(DENY), False, "error"),
        (500, "", False, "error"),
        (302, "", False, "error"),
    ],
)
def test_answers(fire: Fire, server: Server, status: int, body: str, blocked: bool, outcome: str) -> None:
    server.answers = {"/x": (status, body), "/deny": (200, json.dumps(DENY))}
    fired = fire(http(f"{server.url}/x"))
    assert fired.blocked is blocked
    assert fired.handlers[0].outcome == outcome
    assert len(server.requests) == 1, "redirects are not followed"
    headers, payload = server.requests[0]
    assert headers["Content-Type"] == "application/json"
    assert payload["tool_name"] == "Bash"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "GET", "put"])
def test_a_handler_may_name_its_method(fire: Fire, server: Server, method: str) -> None:
    server.answers = {"/x": (200, json.dumps(DENY))}
    fired = fire(http(f"{server.url}/x", method=method))
    assert fired.blocked
    assert server.methods == [method.upper()]
    [(headers, payload)] = server.requests
    if method == "GET":
        assert payload is None and "Content-Type" not in headers, "a GET carries no body"
    else:
        assert payload["tool_name"] == "Bash" and headers["Content-Type"] == "application/json"


def test_the_same_address_by_two_methods_is_two_handlers(fire: Fire, server: Server) -> None:
    each = [{"type": "http", "url": f"{server.url}/x", "method": method} for method in ("PUT", "POST", "PUT")]
    fire(settings("PreToolUse", *each))
    assert sorted(server.methods) == ["POST", "PUT"]


def test_a_method_that_is_none_is_said(tmp_path: Path, environment: dict[str, str]) -> None:
    engine = HookEngine.load(
        tmp_path, settings=[http("http://127.0.0.1:1/x", method="FETCH")], env=environment
    )
    [problem] = engine.problems
    assert "'FETCH' is no method of a handler; there are POST, PUT, PATCH, GET" in problem


def test_nobody_there(fire: Fire) -> None:
    fired = fire(http("http://127.0.0.1:1/x"))
    assert not fired.blocked
    assert fired.handlers[0].outcome == "error"
    assert fire(http("http://127.0.0.1:1/x", onFailure="block")).blocked


def test_only_listed_variables_are_sent(fire: Fire, server: Server, environment: dict[str, str]) -> None:
    environment |= {"LISTED": "yes", "UNLISTED": "secret", "BROKEN": "a\r\nX-Evil: 1"}
    headers = {"A": "${LISTED}", "B": "x$UNLISTED", "C": "$BROKEN"}
    found = http(f"{server.url}/x", headers=headers, allowedEnvVars=["LISTED", "BROKEN"])
    fire(found)
    sent, _ = server.requests[0]
    assert (sent["A"], sent["B"], sent["C"]) == ("yes", "x", "aX-Evil: 1")
    fire({**found, "httpHookAllowedEnvVars": []})
    assert server.requests[1][0]["A"] == ""


def test_only_allowed_addresses_are_called(fire: Fire, server: Server) -> None:
    found = {**http(f"{server.url}/x"), "allowedHttpHookUrls": ["https://example.com/*"]}
    assert "allowedHttpHookUrls" in fire(found).handlers[0].problem
    assert not server.requests
    fire({**found, "allowedHttpHookUrls": [f"{server.url}/*"]})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("url", "patterns", "allowed"),
    [
        ("https://a.example/x", None, True),
        ("https://a.example/x", [], False),
        ("https://A.Example./x", ["https://a.example/*"], True),
        ("https://a.example.evil/x", ["https://a.example/*"], False),
        ("https://b.a.example/x", ["https://*.a.example/*"], True),
        ("http://a.example/x", ["https://a.example/*"], False),
    ],
)
def test_the_list_of_addresses(url: str, patterns: list[str] | None, allowed: bool) -> None:
    assert url_allowed(url, patterns) is allowed


def test_a_session_does_not_start_over_http(fire: Fire, server: Server) -> None:
    found = settings("SessionStart", {"type": "http", "url": server.url})
    assert not fire(found, "SessionStart", {"source": "startup"}).handlers
    assert not server.requests
