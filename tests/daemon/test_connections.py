"""Who connects and shows nothing is let go, and who is another user is not heard at all."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hookd import wire
from hookd.daemon.http_connection import MOST_WAITING
from hookd.wire import Request
from worlds import PATIENCE, World, wait_until

WHOLE = wire.pack_request(Request("claude-code", "Stop", b"{}"))
HALVES = {
    "nothing": b"",
    "half a prefix": WHOLE[:6],
    "half a header": WHOLE[:20],
    "half a payload": WHOLE[:-1],
}
_HOST = b"HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HTTP_HALVES = {
    "nothing": b"",
    "half a head": b"GET /health " + _HOST + b"X-A: ",
    "half a body without a token": b"POST /hooks/Stop " + _HOST + b"Content-Length: 99\r\n\r\n{",
}


@pytest.fixture
def served(world: World) -> Iterator[World]:
    world.hookd("daemon", "start")
    wait_until(lambda: os.path.exists(world.files.port), "the port file is written")
    yield world


def knock(world: World, data: bytes) -> socket.socket:
    """A connection to the socket that has sent this much."""
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(PATIENCE)
    made.connect(world.files.socket)
    made.sendall(data)
    return made


def knock_at_port(world: World, data: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", int(Path(world.files.port).read_text())), PATIENCE)
    made.sendall(data)
    return made


def read_to_end(connection: socket.socket) -> bytes:
    """What came until the daemon closed; fails if it never does."""
    received = b""
    try:
        while part := connection.recv(4096):
            received += part
    except ConnectionResetError:
        pass
    return received


def health(world: World) -> int:
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(Path(world.files.port).read_text()), timeout=PATIENCE
    )
    token = Path(world.files.token).read_text().strip()
    connection.request("GET", "/health", headers={"Authorization": f"Bearer {token}"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_connection_that_sends_nothing_or_half_a_request_is_closed(served: World) -> None:
    with ExitStack() as held:
        silent = [held.enter_context(knock(served, data)) for data in HALVES.values()]
        for connection in silent:
            assert read_to_end(connection) == b"", "closed without a word"
        at_port = [held.enter_context(knock_at_port(served, data)) for data in HTTP_HALVES.values()]
        for connection in at_port:
            assert read_to_end(connection).partition(b"\r\n")[0] in (b"", b"HTTP/1.1 403 Forbidden")
    assert served.bash("git push --force origin main") is not None


def test_a_head_without_end_is_cut_off(served: World) -> None:
    with knock_at_port(served, b"GET / HTTP/1.1\r\n") as connection:
        began = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - began < PATIENCE:
                connection.sendall(b"X-More: " + b"x" * 8000 + b"\r\n")
    assert health(served) == 200


def test_two_hundred_silent_connections_keep_no_event_from_being_answered(served: World) -> None:
    pid = served.daemon_pid()
    with ExitStack() as held:
        for number in range(200):
            held.enter_context(knock(served, list(HALVES.values())[number % len(HALVES)]))
            held.enter_context(knock_at_port(served, list(HTTP_HALVES.values())[number % 2]))
        before = served.status()["daemon"]["hooks"].get("PreToolUse", {"calls": 0})["calls"]
        assert served.bash("git push --force origin main") is not None
        daemon = served.status()["daemon"]
        assert (daemon["pid"], daemon["hooks"]["PreToolUse"]["calls"]) == (pid, before + 1)
        assert health(served) == 200


def test_the_oldest_silent_visitor_makes_room_for_a_new_one(served: World) -> None:
    with ExitStack() as held:
        first = held.enter_context(knock_at_port(served, b""))
        for _ in range(MOST_WAITING):
            held.enter_context(knock_at_port(served, b""))
        assert health(served) == 200
        # Long before its time is up: the others are still there.
        assert read_to_end(first) == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_refused_even_if_the_folder_is_open(served: World) -> None:
    for path in (served.base, served.home, Path(served.files.folder), Path(served.files.socket)):
        path.chmod(0o777)
    code = (
        "import os, socket, sys\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1])\n"
        "try:\n"
        "    s.sendall(bytes.fromhex(sys.argv[2])); print(s.recv(100))\n"
        "except ConnectionError: print(b'')\n"
    )
    command = [sys.executable, "-SEc", code, served.files.socket]
    status = wire.pack_request(Request("hookd", "status", b""))
    done = subprocess.run([*command, status.hex()], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "b''"
    Path(served.files.folder).chmod(0o700)
    assert served.status()["daemon"]["pid"] == served.daemon_pid(), "its own user is still heard"
