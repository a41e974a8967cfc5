"""Events over HTTP keep-alive from several connections at once."""

import asyncio
import time
from pathlib import Path
from typing import NamedTuple

from world import EVENT, percentile, world

CONNECTIONS = 8
EVENTS = 20_000


class HttpLoad(NamedTuple):
    events: int
    per_second: float
    p50: float
    p99: float
    errors: int


def measure(events: int = EVENTS) -> HttpLoad:
    with world() as at:
        at.hookd("daemon", "start")
        at.wait_for(at.files.port)
        port = int(Path(at.files.port).read_text())
        token = Path(at.files.token).read_text().strip()
        return asyncio.run(_load(port, token, events))


async def _load(port: int, token: str, events: int) -> HttpLoad:
    request = (
        f"POST /hooks/PreToolUse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(EVENT)}\r\n\r\n"
    ).encode() + EVENT
    times: list[float] = []
    errors = 0

    async def connection(count: int) -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(count):
            began = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in head.lower().splitlines()
                if line.startswith(b"content-length")
            )
            if length:
                await reader.readexactly(length)
            times.append((time.perf_counter() - began) * 1000)
            errors += not head.startswith(b"HTTP/1.1 200")
        writer.close()
        await writer.wait_closed()

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(CONNECTIONS):
            tasks.create_task(connection(events // CONNECTIONS))
    spent = time.perf_counter() - began
    return HttpLoad(len(times), len(times) / spent, percentile(times, 0.5), percentile(times, 0.99), errors)
