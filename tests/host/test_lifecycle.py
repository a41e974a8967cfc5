"""An agent's life: everything that is opened is closed once, in order, however it ends."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_settings import command

from hookd import HookAPI, block, context, halt
from hookd.host import HookEngine, lifecycle, wrap_tool

EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd")


class Life:
    """Writes down stable events, and answers as a test says."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.answers: dict[str, list[Any]] = {}
        self.batches: list[list[str]] = []
        self.at: dict[int, Callable[[], None]] = {}
        """What happens while the hooks see the event of this number."""

    def register(self, hookd: HookAPI) -> None:
        for name in ("session", "agent_start", "turn_start", "turn_end", "agent_end", "SessionEnd"):
            hookd.on(name, self._noting(name), name=name)

        @hookd.on("PostToolBatch")
        def batch(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            self.batches.append([call["tool_name"] for call in event.tool_calls])
            waiting = self.answers.get("PostToolBatch")
            return waiting.pop(0) if waiting else None

    def _noting(self, name: str) -> Any:
        def note(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            index = getattr(event, "turn_index", None)
            error = getattr(event, "error", None)
            self.seen.append(" ".join(str(part) for part in (name, index, error) if part is not None))
            self.at.get(len(self.seen), lambda: None)()
            waiting = self.answers.get(name)
            return waiting.pop(0) if waiting else None

        return note

    @property
    def engine(self) -> HookEngine:
        return HookEngine(hooks=[self.register])


async def work_async(life: Life, turns: int, *, error: BaseException | None = None) -> list[tuple[str, ...]]:
    told = []
    async with lifecycle(life.engine, close=True) as session, session.prompt("go") as work:
        async for turn in work:
            told.append(turn.for_model)
            if error is not None and len(told) == turns:
                raise error
            if len(told) >= turns:
                turn.done("finished")
    return told


def work_sync(life: Life, turns: int, *, error: BaseException | None = None) -> list[tuple[str, ...]]:
    told = []
    with lifecycle(life.engine, close=True) as session, session.prompt("go") as work:
        for turn in work:
            told.append(turn.for_model)
            if error is not None and len(told) == turns:
                raise error
            if len(told) >= turns:
                turn.done("finished")
    return told


def work(mode: str, life: Life, turns: int, **options: Any) -> list[tuple[str, ...]]:
    if mode == "sync":
        return work_sync(life, turns, **options)
    return asyncio.run(work_async(life, turns, **options))


both = pytest.mark.parametrize("mode", ["sync", "async"])
TWO = ["session", "agent_start", "turn_start 0", "turn_end 0", "turn_start 1", "turn_end 1"]


@both
def test_everything_in_order(mode: str) -> None:
    life = Life()
    work(mode, life, 2)
    assert life.seen == [*TWO, "agent_end", "SessionEnd"]


@both
@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), asyncio.CancelledError()])
def test_errors_close_what_is_open(mode: str, error: BaseException) -> None:
    life = Life()
    with pytest.raises(type(error)):
        work(mode, life, 2, error=error)
    assert life.seen == [*TWO, f"agent_end {type(error).__name__}", "SessionEnd"]


@both
def test_a_hook_keeps_the_agent_going(mode: str) -> None:
    life = Life()
    life.answers = {"agent_end": [block("run the tests"), block("again")], "turn_start": [context("hello")]}
    told = work(mode, life, 1)
    assert told[0] == ("UserPromptSubmit hook additional context: hello",)
    assert "run the tests" in told[1][0]
    assert "again" in told[2][0]
    ends = [f"{step} {index}" for index in (0, 1, 2) for step in ("turn_start", "turn_end")]
    assert [step for step in life.seen if step.startswith("turn")] == ends
    assert [step for step in life.seen if step.startswith("agent")] == ["agent_start", "agent_end"] * 3


@both
def test_a_refused_prompt_has_no_turns(mode: str) -> None:
    life = Life()
    life.answers = {"agent_start": [block("not that")]}
    assert work(mode, life, 1) == []
    assert life.seen[-3:] == ["turn_end 0", "agent_end not that", "SessionEnd"]


@both
def test_a_hook_ends_the_work_after_the_tools(mode: str) -> None:
    life = Life()
    life.answers = {"PostToolBatch": [halt("too expensive")]}
    assert len(work(mode, life, 5)) == 1
    assert life.seen[-2:] == ["agent_end halted", "SessionEnd"]


def test_the_batch_is_what_the_tools_of_the_turn_were() -> None:
    life = Life()

    async def session() -> str | None:
        engine = life.engine
        read = wrap_tool(engine, lambda path: path, name="Read")
        async with lifecycle(engine, close=True) as session, session.prompt("go") as work:
            async for turn in work:
                if turn.index == 2:
                    break
                for name in "ab"[: turn.index + 1]:
                    read(name)
            return work.refusal

    asyncio.run(session())
    assert life.batches == [["Read"], ["Read", "Read"]]
    assert life.seen[-3:] == ["turn_end 2", "agent_end left", "SessionEnd"]


def test_a_tool_that_a_hook_stops_with_a_halt_ends_the_work() -> None:
    life = Life()

    def stop(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda _event, _ctx: halt("no more"), name="stop")

    async def session() -> tuple[int, str | None]:
        engine = life.engine
        engine.use(stop)
        tool = wrap_tool(engine, lambda: "x", name="Tool", on_block="return")
        turns = 0
        async with lifecycle(engine, close=True) as session, session.prompt("go") as work:
            async for _turn in work:
                turns += 1
                assert "no more" in tool()
        return turns, work.stopped

    assert asyncio.run(session()) == (1, "no more")
    assert life.seen[-3:] == ["turn_end 0", "agent_end halted", "SessionEnd"]


@pytest.mark.parametrize("place", ["turn", "Stop", "UserPromptSubmit", "SessionStart"])
def test_a_cancellation_anywhere_closes_everything_once(place: str) -> None:
    life = Life()

    async def session() -> None:
        reached = asyncio.Event()
        engine = life.engine

        async def hang(_event: Any = None) -> None:
            reached.set()
            await asyncio.Event().wait()

        if place != "turn":
            engine.on(place, hang)

        async def run() -> None:
            async with lifecycle(engine, close=True) as session, session.prompt("go") as work:
                async for turn in work:
                    if place == "turn":
                        await hang()
                    turn.done()

        task = asyncio.create_task(run())
        await reached.wait()
        # The hooks beside the one that hangs have had their turn before the agent is cancelled.
        while place != "turn" and not _told(life, place):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(session())
    for name in ("agent", "turn"):
        starts = [step for step in life.seen if step.startswith(f"{name}_start")]
        ends = [step for step in life.seen if step.startswith(f"{name}_end")]
        assert len(starts) == len(ends) == (0 if place == "SessionStart" else 1), life.seen
    assert life.seen.count("SessionEnd") == 1
    assert life.seen[-1] == "SessionEnd"


def _told(life: Life, place: str) -> bool:
    last = {"Stop": "agent_end", "UserPromptSubmit": "turn_start 0", "SessionStart": "session"}[place]
    return last in life.seen


def test_the_settings_handlers_see_the_protocols_events(tmp_path: Path) -> None:
    log = tmp_path / "log"
    handlers = [{"hooks": [command(f"cat >> {log}; echo >> {log}")]}]
    engine = HookEngine.load(tmp_path, settings=[{"hooks": dict.fromkeys(EVENTS, handlers)}])
    with lifecycle(engine, model="some-model", close=True) as session, session.prompt("do it") as work:
        for turn in work:
            if turn.index == 1:
                turn.done("finished")
    events = [json.loads(line) for line in log.read_text().splitlines() if line]
    assert [event["hook_event_name"] for event in events] == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolBatch",
        "Stop",
        "SessionEnd",
    ]
    assert events[0]["model"] == "some-model"
    assert events[1]["prompt"] == "do it"
    assert events[3]["last_assistant_message"] == "finished"
    assert len({event["session_id"] for event in events}) == 1


def test_an_engine_that_is_closed_ends_what_nobody_has_ended() -> None:
    life = Life()

    async def session() -> None:
        async with life.engine as engine:
            await engine.fire("UserPromptSubmit", prompt="go")

    asyncio.run(session())
    assert life.seen == ["agent_start", "turn_start 0", "turn_end 0", "agent_end interrupted"]


def _is_balanced(seen: list[str]) -> bool:
    """Whether each start has its end, in order, and turns are counted."""
    open_things: list[str] = []
    turns = []
    for step in seen:
        thing, _, edge = step.partition(" ")[0].partition("_")
        if edge == "start":
            open_things.append(thing)
            turns += [step.partition(" ")[2]] if thing == "turn" else []
        elif edge == "end" and (not open_things or open_things.pop() != thing):
            return False
    return not open_things and turns == [str(index) for index in range(len(turns))]


@pytest.mark.parametrize("moment", range(1, 13))
def test_a_cancellation_while_any_hook_runs_leaves_nothing_open(moment: int) -> None:
    life = Life()
    life.answers = {"agent_end": [block("once more")]}

    async def session() -> None:
        engine = life.engine
        loop = asyncio.get_running_loop()
        tool = wrap_tool(engine, asyncio.sleep, name="Sleep")

        async def run() -> None:
            async with lifecycle(engine, close=True) as session, session.prompt("go") as work:
                async for turn in work:
                    await tool(0)
                    if turn.index != 1:
                        turn.done()

        task = asyncio.create_task(run())

        def cancel() -> None:
            """Cancels the agent while this hook is still at work."""
            cancelled = threading.Event()
            loop.call_soon_threadsafe(lambda: (task.cancel(), cancelled.set()))
            cancelled.wait()

        life.at[moment] = cancel
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(session())
    assert len(life.seen) >= moment
    assert _is_balanced(life.seen), life.seen
    assert life.seen.count("SessionEnd") == 1
    assert life.seen[-1] == "SessionEnd"
