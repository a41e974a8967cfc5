"""A model on loopback that says what a test wrote down, in the shape of the Anthropic Messages API."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

Request = dict[str, Any]


@dataclass(frozen=True)
class Text:
    """The model says something."""

    text: str


@dataclass(frozen=True)
class ToolUse:
    """The model calls a tool; the id is made up unless a test needs to know it."""

    name: str
    input: Mapping[str, Any]
    id: str | None = None


Block = Text | ToolUse
# A function sees the request first: it can wait for another session, or copy something out of the request.
Turn = Sequence[Block] | Callable[[Request], Sequence[Block]]
Subagents = Mapping[str, Sequence[Turn]]


@dataclass(frozen=True)
class Script:
    """What the model says, turn by turn.

    A subagent talks to the same address in between, so its turns are kept apart: its requests are those whose
    first user message contains the marker (write it in the `prompt` of the `Agent` call, nowhere else).
    """

    main: Sequence[Turn] = ()
    subagents: Subagents = field(default_factory=dict)


class ScriptedModel:
    """Serves one script until closed; what the agent sent is in `requests`."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.side_requests: list[Request] = []
        self.side_answer = "ok"
        self._main = deque(script.main)
        self._subagents = {marker: deque(turns) for marker, turns in script.subagents.items()}
        self._lock = threading.Lock()
        self._ids = count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def requests_of(self, marker: str | None) -> list[Request]:
        """The requests of one subagent, or with None those of the main agent, in order."""
        return [request for request in self.requests if self._marker(request) == marker]

    def unused_turns(self) -> int:
        """How many turns were never asked for: a session that went as scripted leaves none."""
        return len(self._main) + sum(map(len, self._subagents.values()))

    def answer(self, request: Request) -> dict[str, Any]:
        """Take the next turn for a request and put it in the shape of an API message."""
        with self._lock:
            if request.get("tools"):
                self.requests.append(request)
                turn = self._next_turn(request)
            else:
                # Titles, summaries and the like: no part of the session, so they use up no turn.
                self.side_requests.append(request)
                turn = [Text(self.side_answer)]
        blocks = turn(request) if callable(turn) else turn
        content = [self._content(block) for block in blocks]
        return {
            "id": f"msg_{next(self._ids):06}",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "scripted"),
            "content": content,
            "stop_reason": "tool_use" if any(c["type"] == "tool_use" for c in content) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }

    def _marker(self, request: Request) -> str | None:
        said = next((_text(m["content"]) for m in request["messages"] if m["role"] == "user"), "")
        return next((marker for marker in self._subagents if marker in said), None)

    def _next_turn(self, request: Request) -> Turn:
        marker = self._marker(request)
        turns = self._main if marker is None else self._subagents[marker]
        return turns.popleft() if turns else [Text("The script is over.")]

    def _content(self, block: Block) -> dict[str, Any]:
        if isinstance(block, Text):
            return {"type": "text", "text": block.text}
        tool_id = block.id or f"toolu_{next(self._ids):06}"
        return {"type": "tool_use", "id": tool_id, "name": block.name, "input": dict(block.input)}


class Scripted(Protocol):
    """The fixture `scripted`: starts a model that is stopped after the test."""

    def __call__(self, main: Sequence[Turn], subagents: Subagents | None = None) -> ScriptedModel: ...


def texts_of(request: Request) -> str:
    """All a request says to the model in one string: system prompt, messages, reminders, tool results."""
    parts = [_text(request.get("system")), *(_text(m["content"]) for m in request["messages"])]
    return "\n".join(parts)


def tool_results(request: Request) -> dict[str, str]:
    """The text of every tool result in a request, by the id of the call it answers."""
    return {
        block["tool_use_id"]: _text(block.get("content"))
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }


def _text(content: Any) -> str:
    """The text of a content: a string, a block or a list of blocks; a tool result holds one of its own."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    if isinstance(content, dict):
        return _text(content.get("text", content.get("content")))
    return ""


def _stream(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The server-sent events of a message."""
    start = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty = block | {"text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = block | {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}


def _handler_for(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send("application/json", b"")

        do_HEAD = do_GET  # noqa: N815

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            if urlsplit(self.path).path.endswith("/count_tokens"):
                self._send("application/json", json.dumps({"input_tokens": 10}).encode())
                return
            message = model.answer(body)
            if body.get("stream"):
                events = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in _stream(message))
                self._send("text/event-stream", "".join(events).encode())
            else:
                self._send("application/json", json.dumps(message).encode())

        def _send(self, content_type: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing: the requests are in `model.requests`."""

    return Handler
