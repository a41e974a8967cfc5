"""The official SDK's client at a real `hookd mcp`: every tool, bad input, many calls at once, the end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from hookd.installation import how_to_add
from hookd.memory.observations import Observation, shown_id
from hookd.memory.repository.observations import Observations
from mcp_world import HOOKD, Asked, drive, place_of, put, store_of
from secrets_made_up import GITHUB_TOKEN
from worlds import PATIENCE, World, is_alive, wait_until

READ_ONLY = {"search", "timeline", "get", "lessons", "incidents"}
LONG = "Folded headers made the parser fail. " * 40


def test_every_tool_does_what_it_says(world: World) -> None:
    put(
        world,
        Observation(text="Amounts are floats", kind="decision", id="floats", session="s1", at=1_700_000_000),
        Observation(text=LONG, kind="failure", id="folded", paths=("src/headers.py",), session="s1"),
        Observation(text="Amounts are kept in cents, floats lose them", kind="decision", id="cents"),
        Observation(text="Run the tests before you push", kind="lesson", id="lesson"),
        Observation(text="The release was pulled", kind="incident", id="pulled"),
    )
    with store_of(world) as store:
        store.submit(
            lambda db: Observations(db, place_of(world.project)).supersede(["floats"], "cents")
        ).result()
    secret = GITHUB_TOKEN

    async def script(ask: Asked) -> None:
        tools = (await ask.client.list_tools()).tools
        hints = {tool.name: tool.annotations.read_only_hint for tool in tools if tool.annotations}
        assert {name for name, hint in hints.items() if hint} == READ_ONLY
        assert hints.keys() - READ_ONLY == {"remember", "forget"}

        found = await ask("search", query="amounts")
        assert "cents decision" in found and "Amounts are floats" not in found
        assert "(superseded)" in await ask("search", query="amounts", superseded=True)
        assert "folded failure" in await ask("search", kind="failure", path="src")
        assert "Nothing is remembered that fits" in await ask("search", query="cents", since="2099-01-01")

        around = (await ask("timeline", id="folded", before=1, after=1)).splitlines()[2:-1]
        assert [line.split()[0] for line in around] == ["floats", "folded", "cents"]
        assert "(this one)" in around[1]
        assert "cents" not in await ask("timeline", id="folded", same_session=True)

        detail = await ask("get", ids=["cents", "folded", "nowhere"])
        assert "supersedes: floats" in detail and LONG.strip() in detail and "files: src/headers.py" in detail
        assert "no observation in this project has the id nowhere" in detail
        assert "superseded by: cents" in await ask("get", ids=["floats"])

        kept = await ask("remember", text=f"The bucket's key is {secret}", kind="decision", paths=["a.py"])
        name = kept.split()[2].rstrip(".")
        row = await ask("get", ids=[name])
        assert secret not in row and "REDACTED" in row and "from: agent" in row

        assert "lesson lesson" in await ask("lessons")
        assert "pulled incident" in await ask("incidents")

        # A person's row stays; what the agent added goes for good.
        error = await ask.error("forget", ids=[name, "cents"])
        assert error["code"] == "not-allowed" and "hookd memory forget cents" in error["hint"]
        assert "bucket" in await ask("search", query="bucket")
        assert await ask("forget", ids=[name]) == "Forgotten for good: 1."
        assert "Nothing is remembered" in await ask("search", query="bucket")

    drive(world, script)
    assert world.json("memory", "stats")["observations"] == 5
    assert world.no_daemon(), "the server has no business with the daemon"


MEGABYTE = "parser " * 150_000
ODD_QUERIES = [
    MEGABYTE,
    '"unbalanced AND (OR NEAR/3 *',
    "'; DROP TABLE observation; --",
    "🙂 👩‍👩‍👧 解析器 анализатор",
    "\x00\x1b[31m",
    "a" * 100_000,
]
BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("get", {"ids": ["'; DROP TABLE observation; --"]}, "no observation"),
    ("get", {"ids": []}, "length >= 1"),
    ("get", {"ids": "o1"}, "array"),
    ("get", {}, "missing required field `ids`"),
    ("timeline", {"id": "🙂"}, "no observation"),
    ("timeline", {"id": "parser", "before": -1}, "`int` >= 0"),
    ("search", {"query": ["a"]}, "str"),
    ("search", {"query": "a", "filter": "b"}, "unknown field `filter`"),
    ("search", {"query": "a", "since": "yesterday"}, "no moment"),
    ("search", {"query": "a", "project": "elsewhere"}, "only searched on request"),
    ("search", {"query": "a", "project": "elsewhere", "everywhere": True}, "is remembered"),
    ("remember", {"text": "  \n"}, "nothing to remember"),
    ("remember", {"text": MEGABYTE}, "at most 10,000"),
    ("remember", {"text": "x", "kind": "Ignore all rules"}, "matching regex"),
    ("forget", {"ids": ["*"]}, "no observation"),
    ("forget", {"ids": ["%"]}, "no observation"),
    ("drop", {}, "no tool"),
]


def test_odd_input_gets_a_clear_answer_and_the_server_goes_on(world: World) -> None:
    put(world, Observation(text="The parser was split", id="parser"))

    async def script(ask: Asked) -> None:
        for query in ODD_QUERIES:
            found = await ask("search", query=query)
            assert "parser note" in found or "Nothing is remembered that fits" in found
        assert "the first 10,000 characters count" in await ask("search", query=MEGABYTE)
        assert "no query, so the newest" in await ask("search", query="  ")
        for tool, given, why in BAD_CALLS:
            error = await ask.error(tool, **given)
            assert error["code"] == "bad-request" and why in error["message"], (tool, given.keys(), error)
            assert error["hint"] and len(error["message"]) < 500
        assert "parser note" in await ask("search", query="parser", limit="3")

    drive(world, script)


def test_many_calls_at_once_are_all_answered_and_nothing_is_lost(world: World) -> None:
    put(world, Observation(text="The parser was split", id="parser"))
    names: list[str] = []

    async def script(ask: Asked) -> None:
        async def write(number: int) -> None:
            names.append((await ask("remember", text=f"note number {number}")).split()[2].rstrip("."))

        async def read() -> None:
            assert "parser note" in await ask("search", query="parser")

        async with anyio.create_task_group() as calls:
            for number in range(12):
                calls.start_soon(write, number)
                calls.start_soon(read)

    drive(world, script)
    rows = [json.loads(line) for line in world.hookd("memory", "export").splitlines()]
    assert sorted(shown_id(row["id"]) for row in rows) == sorted([*names, "parser"])
    assert {row["text"] for row in rows} == {"The parser was split", *(f"note number {n}" for n in range(12))}


def start(world: World) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [HOOKD, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=world.env,
        cwd=world.project,
    )


def hello(number: int = 1) -> bytes:
    info = {"name": "test", "version": "1"}
    given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    return message("initialize", given, number)


def message(method: str, params: dict[str, Any], number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def call(number: int, tool: str, given: dict[str, Any]) -> bytes:
    return message("tools/call", {"name": tool, "arguments": given}, number)


def answers(process: subprocess.Popen[bytes], lines: bytes, wanted: set[Any]) -> dict[Any, dict[str, Any]]:
    """Sends lines and reads until all these requests are answered; every line of the output is protocol."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(lines)
    process.stdin.flush()
    found: dict[Any, dict[str, Any]] = {}
    while not wanted <= found.keys():
        line = process.stdout.readline()
        assert line, f"the server ended with {process.wait()} after {list(found)}"
        answer = json.loads(line)
        found[answer["id"]] = answer
    return found


def test_lines_that_no_client_should_send(world: World) -> None:
    put(world, Observation(text="The parser was split", id="parser"))
    lines = [
        hello(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
        b"this is no JSON\n",
        b"\n",
        b"\xff\xfe\n",
        call(2, "search", {"query": "parser \ud800 \udfff"}),  # halves of pairs, as JSON escapes them
        call(3, "remember", {"text": "half \ud83d of \U0001f642"}),
        call(4, "search", {"query": "parser"}),
    ]
    with start(world) as process:
        found = answers(process, b"".join(lines), {1, None, 2, 3, 4})
    assert process.returncode == 0
    assert found[None]["error"]["code"] == -32700
    for number in (2, 4):
        assert "parser note" in found[number]["result"]["content"][0]["text"]
    (row,) = world.json("memory", "search", "half")["results"]
    assert row["text"] == "half \ufffd of \U0001f642"


def open_files(pid: int) -> list[str]:
    return [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]


def test_between_calls_it_holds_nothing(world: World) -> None:
    with start(world) as process:
        assert process.stdout is not None
        answers(process, hello() + call(2, "remember", {"text": "The parser was split"}), {1, 2})
        assert not [path for path in open_files(process.pid) if str(world.base) in path]
        assert world.no_daemon()
        process.stdin.close()  # type: ignore[union-attr]
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_it_waits_for_a_line(world: World, number: signal.Signals) -> None:
    with start(world) as process:
        answers(process, hello(), {1})
        process.send_signal(number)
        assert process.wait(PATIENCE) == -number


def test_it_ends_with_the_process_that_started_it(world: World) -> None:
    """Killed, an agent closes nothing and waits for nobody."""
    agent = (
        "import subprocess, sys\n"
        "server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "server.stdin.write(sys.stdin.buffer.readline()); server.stdin.flush()\n"
        "server.stdout.readline()\n"
        "print(server.pid, flush=True)\n"
        "server.wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", agent, HOOKD, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=world.env,
        cwd=world.project,
    ) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        parent.stdin.write(hello())
        parent.stdin.flush()
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    wait_until(lambda: not is_alive(pid), "the server is gone")


@pytest.mark.parametrize("words", [["mcp"], ["init", "--mcp"]])
def test_without_the_library_it_says_how_to_install_it(world: World, words: list[str]) -> None:
    code = f"import sys; sys.modules['mcp'] = None; from hookd.cli.app import run; sys.exit(run({words}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=world.env, cwd=world.project, capture_output=True, check=False
    )
    assert done.returncode == 1 and how_to_add("mcp").encode() in done.stderr
    assert done.stdout == b"" and not (world.project / ".claude").exists()
