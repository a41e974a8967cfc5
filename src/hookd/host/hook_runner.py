"""One hook file's handlers called outside the agent's event loop, each within its time.

A hook was written for a process of its own: it may block where it should await. In the agent's process it
gets threads of its own instead, so that its limit holds and everything else goes on.
"""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from hookd.hooks.kit.ui import UI, Level, QuestionForTheAgent
from hookd.threads import in_thread

T = TypeVar("T")
MOMENT = 0.3
"""How long the next event waits for a handler that was cancelled, before it counts as stuck."""


class Hung(Exception):  # noqa: N818 - what happened, not what is wrong with the program
    """A handler did not come back in time."""


class Clock(Protocol):
    """A handler's time."""

    @property
    def left(self) -> float:
        """The seconds that are left; they stand still while a person is being asked."""


class Runner:
    """Calls the handlers of one file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: _LoopThread | None = None
        self._stuck: list[threading.Event] = []

    async def call(self, function: Callable[[], Any], clock: Clock, seconds: float) -> Any:
        """What the function returns, also if that has to be awaited; `Hung` if it does not."""
        for released in self._stuck:
            if not await _is_set(released):
                raise Hung("is still busy with an earlier event")
        self._stuck.clear()
        if inspect.iscoroutinefunction(function):
            return await self._awaited(function(), clock, seconds)
        released = threading.Event()

        def called() -> Any:
            try:
                return function()
            finally:
                released.set()

        answer = await self._within(asyncio.ensure_future(in_thread(called)), released, clock, seconds)
        return await self._awaited(answer, clock, seconds) if inspect.isawaitable(answer) else answer

    def close(self) -> None:
        """Ends the thread, unless a handler keeps it."""
        if self._thread is not None:
            self._thread.end()
            self._thread = None

    async def _awaited(self, work: Awaitable[Any], clock: Clock, seconds: float) -> Any:
        loop = self._loop_thread.loop
        running = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_contained(work), loop))
        return await self._within(running, None, clock, seconds)

    async def _within(
        self, running: "asyncio.Future[Any]", released: threading.Event | None, clock: Clock, seconds: float
    ) -> Any:
        try:
            while not running.done():
                await asyncio.wait({running}, timeout=max(clock.left, 0.02))
                if not running.done() and clock.left <= 0:
                    break
        finally:
            if not running.done():
                running.cancel()
                # What comes next waits until the thread is free: events have an order.
                self._stuck.append(released or self._loop_thread.freed())
        if running.done() and not running.cancelled():
            return running.result()
        raise Hung(f"did not finish within {seconds:g} s")

    @property
    def _loop_thread(self) -> "_LoopThread":
        if self._thread is None:
            self._thread = _LoopThread(f"hookd-{self._name}")
        return self._thread


async def _is_set(released: threading.Event) -> bool:
    if released.is_set():
        return True
    found: bool = await in_thread(lambda: released.wait(MOMENT))
    return found


async def _contained(work: Awaitable[Any]) -> Any:
    """The handler's result; an attempt to end the program is a failure of the handler."""
    try:
        return await work
    except (Exception, asyncio.CancelledError, QuestionForTheAgent):
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit would end the thread, others the event
        raise RuntimeError(f"the handler ended with {type(error).__name__}") from None


class UIAtHome:
    """The agent's UI for handlers in another thread: it is only ever used in the agent's own event loop."""

    def __init__(self, ui: UI, home: asyncio.AbstractEventLoop) -> None:
        self._ui = ui
        self._home = home

    @property
    def has_ui(self) -> bool:
        return self._ui.has_ui

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        return await self._asked(self._ui.select(title, options))

    async def confirm(self, title: str, message: str = "") -> bool:
        return await self._asked(self._ui.confirm(title, message))

    async def input(self, title: str, placeholder: str = "") -> str | None:
        return await self._asked(self._ui.input(title, placeholder))

    def notify(self, message: str, level: Level = "info") -> None:
        self._home.call_soon_threadsafe(self._ui.notify, message, level)

    async def _asked(self, question: Coroutine[Any, Any, T]) -> T:
        if asyncio.get_running_loop() is self._home:
            return await question
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(question, self._home))


class _LoopThread(threading.Thread):
    """An event loop for async handlers."""

    def __init__(self, name: str) -> None:
        super().__init__(daemon=True, name=name)
        self.loop = asyncio.new_event_loop()
        self.start()

    def run(self) -> None:
        self.loop.run_forever()
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        if left:
            self.loop.run_until_complete(asyncio.wait(left))
        self.loop.close()

    def freed(self) -> threading.Event:
        """Set once the loop gets to it: at once, unless a handler blocks it."""
        released = threading.Event()
        self.loop.call_soon_threadsafe(released.set)
        return released

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join(MOMENT)
