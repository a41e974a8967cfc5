"""A server for HTTP hooks that answers as a scenario says and notes what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from scenario import Scenario


@contextmanager
def hook_server(scenario: Scenario, home: Path) -> Iterator[str]:
    """Its address, or nothing if the scenario has no use for it."""
    if not scenario.responses:
        yield ""
        return
    log = home / "log"
    log.mkdir(exist_ok=True)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name = self.path.strip("/")
            with (log / name).open("ab") as file:
                file.write(body + b"\n")
            named = {key: value for key, value in self.headers.items() if key.lower().startswith("x-")}
            if named:
                with (log / f"{name}-headers").open("a", encoding="utf-8") as file:
                    file.write(json.dumps(named) + "\n")
            status, text = scenario.responses[name]
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/" + text)
                text = ""
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            """Says nothing: what came is noted."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
