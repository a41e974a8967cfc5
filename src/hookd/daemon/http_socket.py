"""The daemon's port: listened on from the start, and served from the first connection on.

Most sessions pass without anybody looking at the page. What serves it is a fifth of an idle daemon's memory.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from hookd.daemon.server import Daemon
from hookd.paths import derived_port
from hookd.private_files import write_private

PORT_CANDIDATES = 20
BACKLOG = 100

# Serves what comes in through a socket that is listened on.
Serve = Callable[[Daemon, socket.socket], Awaitable[asyncio.AbstractServer]]


def bind(key: str) -> socket.socket | None:
    """The project's port or one of the next; None means that the daemon is socket only."""
    first = derived_port(key)
    for port in range(first, first + PORT_CANDIDATES):
        candidate = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port if port <= 65_000 else port - 55_001))
            candidate.listen(BACKLOG)
        except OSError:
            candidate.close()
            continue
        candidate.setblocking(False)
        return candidate
    return None


class Door:
    """A port that waits for its first visitor."""

    def __init__(self, daemon: Daemon, listening: socket.socket, serve: Serve) -> None:
        self._daemon = daemon
        self._listening = listening
        self._serve = serve
        self._opening: asyncio.Task[asyncio.AbstractServer] | None = None
        asyncio.get_running_loop().add_reader(listening, self._knock)

    def _knock(self) -> None:
        """Whoever knocks stays in the kernel's queue until the server takes the socket over."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._listening)
        self._opening = loop.create_task(self._open())

    async def _open(self) -> asyncio.AbstractServer:
        try:
            return await self._serve(self._daemon, self._listening)
        except Exception as error:
            self._daemon.no_page = f"the page cannot be served: {type(error).__name__}: {error}"
            self._daemon.service.put_down("web", self._daemon.no_page)
            self._listening.close()  # better refused than left waiting
            self._daemon.port = None
            raise

    def close(self) -> None:
        """Serves nobody any more."""
        task = self._opening
        if task is None:
            asyncio.get_running_loop().remove_reader(self._listening)
        elif not task.done():
            task.cancel()
        elif not task.cancelled() and task.exception() is None:
            task.result().close()
        self._listening.close()


def open_door(daemon: Daemon, serve: Serve) -> Door | None:
    """Begins to listen, and says where in the port and token files."""
    listening = bind(daemon.service.key)
    if listening is None:
        return None
    daemon.port = listening.getsockname()[1]
    door = Door(daemon, listening, serve)
    write_private(daemon.files.token, daemon.token)
    write_private(daemon.files.port, str(daemon.port))
    return door
