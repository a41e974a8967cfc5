"""Hooks in this process: what an agent that embeds them relies on."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hooks_world import PATIENCE, limits, wait_until

from hookd import Context, HookAPI, allow, block, context
from hookd.config import Config
from hookd.events.outcome import Decision, Outcome
from hookd.events.types import Event, PreToolUse, Stop
from hookd.hooks.dispatch import Dispatched, Dispatcher
from hookd.hooks.in_process import LocalHooks
from hookd.hooks.kit.outbox import Outbox
from hookd.hooks.kit.parts import Kit, LoopWait
from hookd.hooks.kit.ui import HeadlessUI
from hookd.threads import in_thread

pytestmark = pytest.mark.anyio

CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})


class Person(HeadlessUI):
    """Answers when told to."""

    has_ui = True

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.given_up = False

    async def confirm(self, title: str, message: str = "") -> bool:  # noqa: ARG002
        self.asked.set()
        try:
            return await self.answer
        except asyncio.CancelledError:
            self.given_up = True
            raise


def hooks_of(register: Callable[[HookAPI], object], **kit: Any) -> LocalHooks:
    made = LocalHooks("/", lambda s, patience, wait: Kit(s, patience=patience, wait=wait, **kit))
    made.register(register, "own", "/hooks/own.py")
    return made


async def fire(hooks: LocalHooks, event: Event = CALL, config: Config | None = None) -> Dispatched:
    dispatcher = Dispatcher([], hooks, config or Config(), "/")
    return await dispatcher.dispatch(event, Context(project="/", cwd="/"))


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_handlers_of_both_kinds_ask_run_and_send(kind: str) -> None:
    person, outbox = Person(), Outbox()
    person.answer.set_result(False)

    def register(hookd: HookAPI) -> None:
        if kind == "sync":

            def handler(_event: Any, ctx: Context) -> Outcome:
                yes = ctx.wait(ctx.ui.confirm("Sure?"))
                hookd.send(ctx.wait(ctx.exec("echo", ["hi"])).stdout)
                return allow() if yes else block(f"no {ctx.has_ui} {threading.current_thread().name}")

            hookd.on("tool_call", handler)
        else:

            @hookd.on("tool_call")
            async def handler(_event: Any, ctx: Context) -> Outcome:
                yes = await ctx.ui.confirm("Sure?")
                hookd.send((await ctx.exec("echo", ["hi"])).stdout)
                return allow() if yes else block(f"no {ctx.has_ui} {threading.current_thread().name}")

    done = await fire(hooks_of(register, ui=person, outbox=outbox))
    thread = "hookd-handler" if kind == "sync" else "MainThread"
    assert (done.outcome.decision, done.outcome.reason) == (Decision.DENY, f"no True {thread}")
    assert [message.text for message in outbox.take()] == ["hi\n"]
    assert list(done.runs[0].sent) == [], "the outbox that was given has it, and nobody else"


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_while_a_person_is_asked_a_gate_has_no_time_limit_and_otherwise_it_has(kind: str) -> None:
    person = Person()

    def register(hookd: HookAPI) -> None:
        def sync(_event: Any, ctx: Context) -> Outcome | None:
            return allow() if ctx.wait(ctx.ui.confirm("Sure?")) else None

        async def other(_event: Any, ctx: Context) -> Outcome | None:
            return allow() if await ctx.ui.confirm("Sure?") else None

        hookd.on("tool_call", sync if kind == "sync" else other)

    slow = asyncio.create_task(fire(hooks_of(register, ui=person), config=limits(tool_call_seconds=0.2)))
    await person.asked.wait()
    loop = asyncio.get_running_loop()
    loop.call_later(0.6, person.answer.set_result, True)
    async with asyncio.timeout(PATIENCE):
        assert (await slow).outcome.decision is Decision.ALLOW


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_handler_that_hangs_blocks_the_call_and_is_named(kind: str) -> None:
    ended = threading.Event()

    def register(hookd: HookAPI) -> None:
        async def waits(_event: Any, _ctx: Context) -> None:
            try:
                await asyncio.sleep(PATIENCE)
            finally:
                ended.set()

        def blocks(_event: Any, ctx: Context) -> None:
            try:
                ctx.wait(asyncio.sleep(PATIENCE))
            finally:
                ended.set()

        hookd.on("tool_call", blocks if kind == "sync" else waits, name="slow")

    done = await fire(hooks_of(register), config=limits(tool_call_seconds=0.2))
    assert done.outcome.decision is Decision.DENY
    assert "the hook own.slow failed: did not finish within 0.2 s" in done.outcome.reason
    await asyncio.to_thread(wait_until, ended.is_set, "the handler is ended")


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_an_agent_that_stops_waiting_takes_the_question_back(kind: str) -> None:
    person = Person()

    def register(hookd: HookAPI) -> None:
        async def asks(_event: Any, ctx: Context) -> None:
            await ctx.ui.confirm("Sure?")

        hookd.on("tool_call", asks if kind == "async" else lambda _e, ctx: ctx.wait(ctx.ui.confirm("Sure?")))

    turn = asyncio.create_task(fire(hooks_of(register, ui=person)))
    await person.asked.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    async with asyncio.timeout(PATIENCE):
        while not person.given_up:
            await asyncio.sleep(0)


async def test_a_question_that_comes_after_everybody_has_left_is_not_asked() -> None:
    person = Person()
    with LoopWait(asyncio.get_running_loop()) as wait:
        pass
    with pytest.raises(RuntimeError, match="CancelledError"):
        await in_thread(lambda: wait(person.confirm("Sure?")))
    assert not person.asked.is_set()


async def test_what_a_handler_raises_is_kept_and_the_next_one_runs() -> None:
    def register(hookd: HookAPI) -> None:
        def wrong(_event: Any, _ctx: Context) -> None:
            raise SystemExit("of all things")

        hookd.on("Stop", wrong)
        hookd.on("Stop", lambda _event, _ctx: context("fine"), name="right")

    hooks = hooks_of(register)
    done = await fire(hooks, Stop())
    assert (done.runs[0].fault or "").startswith(("SystemExit", "RuntimeError"))
    assert done.outcome.context == ("fine",)
    assert [run.error is not None for run in done.runs] == [True, False]


async def test_one_handler_does_not_see_what_another_does_to_its_event_or_context() -> None:
    def register(hookd: HookAPI) -> None:
        def spoils(event: Any, ctx: Context) -> None:
            event.tool_input["command"] = "changed"
            ctx.log("mine")

        hookd.on("tool_call", spoils)
        hookd.on("tool_call", lambda event, ctx: context(f"{event.command} {ctx.lines}"), name="looks")

    done = await fire(hooks_of(register))
    assert done.outcome.context == ("ls []",)
    assert [list(run.lines) for run in done.runs] == [["mine"], []]


async def test_files_are_loaded_as_bytes_and_their_mistakes_are_raised(tmp_path: Path) -> None:
    hooks = LocalHooks("/", lambda s, patience, wait: Kit(s, patience=patience, wait=wait))
    hooks.load(str(tmp_path / "a.py"), b"def register(h):\n    h.on('Stop', lambda e, c: None, name='x')\n")
    assert [subscription.hook for subscription in hooks.subscriptions] == ["a.x"]
    with pytest.raises(TypeError, match="has no function register"):
        hooks.load("b.py", b"pass")
    with pytest.raises(TypeError, match="register is async"):
        hooks.load("c.py", b"async def register(h): pass")
    assert msgspec.structs.asdict(hooks.subscriptions[0])["file"] == str(tmp_path / "a.py")
