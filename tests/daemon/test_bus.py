"""The bus: who subscribes hears everything in order, nobody is waited for, and who leaves is forgotten."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from hookd import __version__, wire
from hookd.daemon import service as service_module
from hookd.daemon.bus import (
    MOST_RECENT,
    Answered,
    Bus,
    Lost,
    Notice,
    PendingDecision,
    ProblemNoted,
    SessionBegan,
    SessionEnded,
)
from hookd.daemon.server import Daemon
from hookd.daemon.service import Service
from hookd.paths import ensure_runtime_folder
from hookd.wire import Request
from secrets_made_up import GITHUB_TOKEN
from worlds import PATIENCE, World, wait_until


def problem(number: int) -> ProblemNoted:
    return ProblemNoted(0.0, "test", str(number))


async def take(notices: AsyncIterator[Notice | Lost], count: int) -> list[Notice | Lost]:
    """The next so many."""
    async with asyncio.timeout(PATIENCE):
        return [await anext(notices) for _ in range(count)]


def test_every_subscriber_hears_what_is_published_while_it_is_there() -> None:
    async def scenario() -> None:
        bus = Bus()
        bus.publish(problem(0))
        with bus.subscribe() as early:
            bus.publish(problem(1))
            with bus.subscribe() as late:
                bus.publish(problem(2))
                assert await take(late, 1) == [problem(2)]
            bus.publish(problem(3))
            assert await take(early, 3) == [problem(1), problem(2), problem(3)]

    asyncio.run(scenario())


def test_a_subscriber_that_waits_is_woken() -> None:
    async def scenario() -> None:
        bus = Bus()
        with bus.subscribe() as notices:
            waiting = asyncio.create_task(anext(notices))
            await asyncio.sleep(0)
            bus.publish(problem(1))
            async with asyncio.timeout(PATIENCE):
                assert await waiting == problem(1)

    asyncio.run(scenario())


def test_a_slow_subscriber_loses_the_oldest_is_told_how_many_and_holds_nobody_up() -> None:
    async def scenario() -> None:
        bus = Bus()
        with bus.subscribe(most=4) as slow, bus.subscribe() as quick:
            for number in range(10):
                bus.publish(problem(number))
            assert await take(slow, 3) == [Lost(6), problem(6), problem(7)]
            for number in range(10, 13):
                bus.publish(problem(number))
            assert await take(slow, 5) == [Lost(1), *(problem(number) for number in range(9, 13))]
            assert await take(quick, 13) == [problem(number) for number in range(13)]

    asyncio.run(scenario())


async def _leaves(bus: Bus) -> None:
    with bus.subscribe() as notices:
        async for _ in notices:
            break


async def _fails(bus: Bus) -> None:
    with bus.subscribe() as notices:
        await anext(notices)
        raise ConnectionResetError


@pytest.mark.parametrize("follower", [_leaves, _fails])
def test_who_leaves_or_fails_is_no_subscriber_any_more(follower: Callable[[Bus], Any]) -> None:
    async def scenario() -> None:
        bus = Bus()
        with bus.subscribe() as other:
            going = asyncio.create_task(follower(bus))
            await asyncio.sleep(0)
            assert len(bus.subscribers) == 2
            bus.publish(problem(1))
            await asyncio.wait([going], timeout=PATIENCE)
            going.exception()
            assert len(bus.subscribers) == 1
            assert await take(other, 1) == [problem(1)]
        assert not bus.subscribers

    asyncio.run(scenario())


def test_who_is_cancelled_in_the_middle_of_waiting_is_no_subscriber_any_more() -> None:
    async def scenario() -> None:
        bus = Bus()
        going = asyncio.create_task(_leaves(bus))
        await asyncio.sleep(0)
        assert bus.subscribers
        going.cancel()
        await asyncio.wait([going], timeout=PATIENCE)
        assert not bus.subscribers

    asyncio.run(scenario())


def test_threads_may_publish_and_each_ones_order_is_kept() -> None:
    async def scenario() -> None:
        bus = Bus()

        def many(first: int) -> None:
            for number in range(first, first + 100):
                bus.publish(problem(number))

        with bus.subscribe() as notices:
            await asyncio.gather(*(asyncio.to_thread(many, 1000 * number) for number in range(4)))
            heard = [int(each.what) for each in await take(notices, 400) if isinstance(each, ProblemNoted)]
        assert sorted(heard) == [1000 * thread + number for thread in range(4) for number in range(100)]
        for thread in range(4):
            own = [number for number in heard if number // 1000 == thread]
            assert own == sorted(own)

    asyncio.run(scenario())


def test_a_thread_that_publishes_after_the_loops_end_is_not_disturbed() -> None:
    async def subscribed(bus: Bus, held: ExitStack) -> None:
        held.enter_context(bus.subscribe())

    bus = Bus()
    with ExitStack() as held, ThreadPoolExecutor(1) as threads:
        asyncio.run(subscribed(bus, held))
        assert bus.subscribers
        threads.submit(bus.publish, problem(1)).result(PATIENCE)


def test_the_latest_answers_are_kept_for_who_comes_later() -> None:
    bus = Bus()
    for number in range(MOST_RECENT + 5):
        bus.answered(Answered(float(number), "Stop", "", "", "", 0.1, "s1"))
    assert [each.at for each in bus.recent] == [float(number) for number in range(5, MOST_RECENT + 5)]


def request(world: World, event: str, payload: bytes | None = None, **fields: Any) -> Request:
    body = world.payload(event, **fields) if payload is None else payload
    return Request("claude-code", event, body, version=__version__)


def test_where_nobody_subscribes_no_notice_but_the_answers_is_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("made for nobody")

    for name in ("PendingDecision", "ProblemNoted", "SessionBegan", "SessionEnded"):
        monkeypatch.setattr(service_module, name, refuse)

    async def scenario() -> None:
        service = Service(str(world.project), world.env)
        stash = {"tool_name": "Bash", "tool_input": {"command": "git stash drop"}}
        await service.answer(request(world, "SessionStart", source="startup"))
        await service.answer(request(world, "PreToolUse", **stash))
        await service.answer(request(world, "Stop", b"{nonsense"))
        await service.answer(request(world, "SessionEnd", reason="logout"))
        assert [kind.partition(":")[0] for kind in service.metrics.problems] == ["bad input"]
        assert [each.verdict for each in service.bus.recent] == ["", "ask", ""]
        service.close()

    asyncio.run(scenario())


def test_a_daemon_publishes_what_its_clients_its_threads_and_its_sessions_do(world: World) -> None:
    ensure_runtime_folder(world.files.folder)

    async def send(sent: Request) -> bytes:
        """As a client does, but with patience: this process is the daemon, too."""
        reader, writer = await asyncio.open_unix_connection(world.files.socket)
        writer.write(wire.pack_request(sent))
        kind = b""
        while kind != b"R":
            kind, length = wire.FRAME.unpack(await reader.readexactly(wire.FRAME.size))
        answer = wire.unpack_answer(await reader.readexactly(length))
        writer.close()
        return answer.stdout

    async def scenario() -> list[Notice | Lost]:
        daemon = Daemon(str(world.project), world.env, [], None, None)
        serving = asyncio.create_task(daemon.run())
        await asyncio.to_thread(wait_until, lambda: os.path.exists(world.files.socket), "it listens")
        stash = {"tool_name": "Bash", "tool_input": {"command": f"TOKEN={GITHUB_TOKEN} git stash drop"}}
        with daemon.service.bus.subscribe() as notices:
            await send(request(world, "SessionStart", source="startup"))
            await send(request(world, "PreToolUse", **stash))
            await send(request(world, "Stop", b"{nonsense"))
            await asyncio.to_thread(daemon.service.note, "test", "noted in a thread")
            shown = json.loads(await send(Request("hookd", "status", b"", version=__version__)))["activity"]
            await send(request(world, "SessionEnd", reason="logout"))
            heard = await take(notices, 8)
        await serving  # its last session has ended
        assert [(each["event"], each["verdict"]) for each in shown] == [
            (each.event, each.verdict) for each in heard if isinstance(each, Answered)
        ][:2]
        assert not daemon.service.bus.subscribers
        return heard

    began, started, asked, pending, bad, noted, ended, over = asyncio.run(scenario())
    assert isinstance(began, SessionBegan) and (began.session, began.agent) == ("s1", "claude-code")
    assert isinstance(started, Answered) and (started.event, started.session) == ("SessionStart", "s1")
    assert isinstance(asked, Answered) and (asked.tool, asked.verdict) == ("Bash", "ask")
    assert asked.by == "gate.judge" and asked.ms > 0
    assert isinstance(pending, PendingDecision) and (pending.tool, pending.session) == ("Bash", "s1")
    assert "stash" in pending.reason and GITHUB_TOKEN not in pending.reason
    assert isinstance(bad, ProblemNoted) and bad.kind == "bad input"
    assert isinstance(noted, ProblemNoted) and (noted.kind, noted.what) == ("test", "noted in a thread")
    assert isinstance(ended, Answered) and ended.event == "SessionEnd"
    assert isinstance(over, SessionEnded) and (over.session, over.reason) == ("s1", "logout")
