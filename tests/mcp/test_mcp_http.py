"""The official SDK's streamable HTTP client at a real daemon's `/mcp`, and who is not let in there."""

import json
import os
import stat
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from hookd.mcp.http import MOST_BYTES, MOST_REQUESTS
from mcp import Client
from mcp_world import Asked
from worlds import PATIENCE, World, wait_until

Result = TypeVar("Result")
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
ACCEPTED = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def switch(world: World, http: bool) -> None:
    world.folders.config.mkdir(parents=True, exist_ok=True)
    (world.folders.config / "config.toml").write_text(f"[mcp]\nhttp = {str(http).lower()}\n")


@pytest.fixture
def on(world: World) -> Iterator[World]:
    switch(world, True)
    yield world


def told(world: World) -> tuple[str, str]:
    """The address and the header that a person is told."""
    address, header, *_ = world.hookd("mcp", "--http").splitlines()
    return address, header.removeprefix("Authorization: ")


def drive(world: World, script: Callable[[Asked], Awaitable[Result]], mode: str = "auto") -> Result:
    address, header = told(world)

    async def run() -> Result:
        with anyio.fail_after(2 * PATIENCE):
            async with (
                create_mcp_http_client({"Authorization": header}) as client,
                Client(streamable_http_client(address, http_client=client), mode=mode) as found,
            ):
                return await script(Asked(found))

    return anyio.run(run)


class Port:
    """The daemon's HTTP side, asked by hand."""

    def __init__(self, world: World) -> None:
        world.hookd("daemon", "start")
        wait_until(lambda: os.path.exists(world.files.port), "the port file is written")
        self.port = int(Path(world.files.port).read_text())

    def open(self, path: str, header: str, length: int = len(PING), **more: str) -> HTTPConnection:
        """A request of which only the head is sent; the connection is the caller's to use and close."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest("POST", path, skip_host="Host" in more)
        given = {**ACCEPTED, "Authorization": header, "Content-Length": str(length), **more}
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        return connection

    def ask(self, path: str, header: str, body: bytes = PING, **more: str) -> tuple[int, str]:
        connection = self.open(path, header, len(body), **more)
        connection.send(body)
        response = connection.getresponse()
        said = response.read().decode()
        connection.close()
        return response.status, said


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_searches_and_remembers_over_http(on: World, mode: str) -> None:
    on.hookd("memory", "add", "Amounts are kept in cents, floats lose them", "--kind", "decision")

    async def script(ask: Asked) -> str:
        assert {tool.name for tool in (await ask.client.list_tools()).tools} >= {"search", "get", "remember"}
        assert "Amounts are kept in cents" in await ask("search", query="why cents")
        assert (await ask.error("get", ids=["o0"]))["code"] == "bad-request"
        return await ask("remember", text="Refunds round half to even")

    assert "Remembered as" in drive(on, script, mode)
    (row,) = on.json("memory", "search", "refunds")["results"]
    assert (row["provenance"], row["session"]) == ("agent", "")
    assert on.bash("git push --force origin main") is not None, "and events are answered as before"


def test_half_of_a_pair_as_agents_write_it_is_no_error(on: World) -> None:
    call = {"name": "remember", "arguments": {"text": "Refunds are cut \ud83d"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    status, said = Port(on).ask("/mcp", told(on)[1], body)
    assert status == 200 and "Remembered as" in said


def test_it_is_off_unless_the_person_switches_it_on(world: World) -> None:
    done = world.run("mcp", "--http", check=False)
    assert done.returncode == 1 and b"MCP over HTTP is off" in done.stderr and b"[mcp]" in done.stderr
    port = Port(world)
    own = Path(world.files.token).read_text().strip()
    assert port.ask("/mcp", f"Bearer {own}")[0] == 403
    assert not os.path.exists(world.files.mcp_token)


def test_a_project_cannot_switch_it_on_without_trust(world: World) -> None:
    world.write_project_file("config.toml", "[mcp]\nhttp = true\n")
    assert b"MCP over HTTP is off" in world.run("mcp", "--headers", check=False).stderr
    assert any("mcp.http" in each for each in world.status()["waiting_for_trust"])
    world.trust()
    assert json.loads(world.hookd("mcp", "--headers"))["Authorization"].startswith("Bearer ")


def test_its_token_is_private_opens_nothing_else_and_outlives_the_daemon(on: World) -> None:
    address, header = told(on)
    assert address == f"http://127.0.0.1:{Path(on.files.port).read_text().strip()}/mcp"
    assert stat.S_IMODE(os.stat(on.files.mcp_token).st_mode) == 0o600
    port = Port(on)
    assert port.ask("/mcp", header)[0] == 200
    own = f"Bearer {Path(on.files.token).read_text().strip()}"
    assert own != header
    assert [port.ask(path, header)[0] for path in ("/", "/health", "/hooks/Stop", "/mcp/x")] == [403] * 4
    assert port.ask("/mcp", own)[0] == 403
    on.hookd("daemon", "restart")
    assert json.loads(on.hookd("mcp", "--headers")) == {"Authorization": header}
    # Who deletes the file shuts everybody out, and the next one who asks is told another token.
    os.unlink(on.files.mcp_token)
    assert Port(on).ask("/mcp", header)[0] == 403
    assert told(on)[1] != header


@pytest.mark.parametrize(
    "more",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_no_token_a_foreign_host_or_a_foreign_origin_is_refused(on: World, more: dict[str, str]) -> None:
    header = told(on)[1]
    status, body = Port(on).ask("/mcp", header, **more)
    assert status == 403 and "hookd" in body


def test_so_many_requests_at_once_and_no_more(on: World) -> None:
    header, port = told(on)[1], Port(on)
    assert port.ask("/mcp", header)[0] == 200
    with ExitStack() as held:
        waiting = [port.open("/mcp", header) for _ in range(MOST_REQUESTS)]
        for connection in waiting:
            held.callback(connection.close)
        wait_until(lambda: port.ask("/mcp", header)[0] == 503, "there is no room for one more")
        waiting[0].send(PING)
        assert waiting[0].getresponse().status == 200, "those that were let in are served"
    wait_until(lambda: port.ask("/mcp", header)[0] == 200, "there is room again")


def test_a_request_that_is_too_long_or_never_comes_is_ended(on: World) -> None:
    header, port = told(on)[1], Port(on)
    late = port.open("/mcp", header)
    long = port.open("/mcp", header, MOST_BYTES + 1)
    long.send(b" " * (MOST_BYTES + 1))
    assert long.getresponse().status == 413
    assert late.getresponse().status == 408
    long.close()
    late.close()


def test_the_sdk_is_loaded_for_the_first_request_and_not_before(on: World) -> None:
    header, port = told(on)[1], Port(on)
    maps = Path(f"/proc/{on.daemon_pid()}/maps")
    assert port.ask("/mcp", "Bearer wrong")[0] == 403
    assert "pydantic_core" not in maps.read_text()
    assert port.ask("/mcp", header)[0] == 200
    assert "pydantic_core" in maps.read_text()


def test_switching_it_off_shuts_the_door_of_a_running_daemon(on: World) -> None:
    header, port = told(on)[1], Port(on)
    assert port.ask("/mcp", header)[0] == 200
    switch(on, False)
    assert port.ask("/mcp", header)[0] == 403
