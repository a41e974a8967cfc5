"""A model on loopback that says what a test wrote down, in the wire forms of both kinds of endpoint."""

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hookd import config

Settings = Callable[..., config.Model]
LARGEST_REQUEST = 1024 * 1024


class Request(NamedTuple):
    """What a provider sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> str:
        """Everything in it that a model would read."""
        return "\n".join(_strings(self.body))

    @property
    def section(self) -> str:
        """The data section, as a model that trusts in its tag would see it: up to the first end."""
        found = re.search(r"<data-([0-9a-f]{32})>\n(.*?)\n</data-\1>", self.texts, re.DOTALL)
        assert found, "there is no data section"
        return found[0]

    @property
    def outside(self) -> str:
        """What is not in the data section, which is what a model obeys."""
        return self.texts.replace(self.section, "", 1)

    @property
    def data(self) -> dict[str, Any]:
        """What is judged."""
        shown: dict[str, Any] = json.loads(self.section.split("\n")[1])
        return shown


class Reply(NamedTuple):
    """What the endpoint sends back."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def answer(verdict: Any = "allow", confidence: Any = 0.9, reason: Any = "it is harmless") -> dict[str, Any]:
    return {"verdict": verdict, "confidence": confidence, "reason": reason}


def says(request: Request, said: Any, usage: tuple[int, int] | None = (1000, 100)) -> Reply:
    """The answer in the request's wire form: an object as structured output, a text as text."""
    if request.path.endswith("/v1/messages"):
        tool = request.body["tools"][0]["name"]
        block: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": said}
        if isinstance(said, str):
            block = {"type": "text", "text": said}
        message: dict[str, Any] = {"type": "message", "role": "assistant", "content": [block]}
        message["stop_reason"] = "end_turn" if isinstance(said, str) else "tool_use"
        figures = ("input_tokens", "output_tokens")
    else:
        content = said if isinstance(said, str) else json.dumps(said)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        message = {"object": "chat.completion", "choices": [choice]}
        figures = ("prompt_tokens", "completion_tokens")
    if usage is not None:
        message["usage"] = dict(zip(figures, usage, strict=True))
    return Reply(json.dumps(message).encode())


class ModelServer:
    """Serves until closed; what was asked is in `requests`, and `reply` may be changed between requests."""

    def __init__(self, reply: Callable[[Request], Reply]) -> None:
        self.reply = reply
        self.requests: list[Request] = []
        self.arrived = threading.Semaphore(0)
        """Released once per request."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

        self._scheme = "http"

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def encrypt(self, certificate: Path, key: Path) -> None:
        """Speaks TLS from now on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self._scheme = "https"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(reply: Callable[[Request], Reply]) -> Iterator[ModelServer]:
    server = ModelServer(reply)
    try:
        yield server
    finally:
        server.close()


def _handler_for(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            assert length <= LARGEST_REQUEST
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, json.loads(self.rfile.read(length)))
            server.requests.append(request)
            server.arrived.release()
            reply = server.reply(request)
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # whoever asked has had enough

        def log_message(self, *args: object) -> None:
            """Says nothing: the requests are in `server.requests`."""

    return Handler
