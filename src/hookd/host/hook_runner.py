"""One hook file's handlers called outside the agent's event loop, each within its time.

A hook was written for a process of its own: it may block where it should await. In the agent's process it
gets threads of its own instead, so that its limit holds and everything else goes on.
"""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from hookd.hooks.api import Context
from hookd.hooks.in_process import contained
from hookd.hooks.invoke import called
from hookd.hooks.kit.deadline import HungError, Patience
from hookd.hooks.kit.ui import UI, Level
from hookd.threads import in_thread

T = TypeVar("T")
MOMENT = 0.3
"""How long the next event waits for a handler that was cancelled, before it counts as stuck."""


class Runner:
    """Calls the handlers of one file."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: _LoopThread | None = None
        self._stuck: list[threading.Event] = []

    async def __call__(self, handler: Callable[..., Any], subject: Any, context: Context | None) -> Any:
        """The place of the file's handlers: what one returns, also if that has to be awaited."""
        patience = (context and context.kit.patience) or Patience()
        for released in self._stuck:
            if not released.is_set() and not await in_thread(partial(released.wait, MOMENT)):
                raise HungError("is still busy with an earlier event")
        self._stuck.clear()
        if inspect.iscoroutinefunction(handler):
            return await self._awaited(_called(handler, subject, context), patience)
        released = threading.Event()

        def call() -> Any:
            try:
                return called(handler, subject, context)
            finally:
                released.set()

        answer = await self._within(asyncio.ensure_future(in_thread(call)), released, patience)
        return await self._awaited(answer, patience) if inspect.isawaitable(answer) else answer

    def close(self) -> None:
        """Ends the thread, unless a handler keeps it."""
        if self._thread is not None:
            self._thread.end()
            self._thread = None

    async def _awaited(self, work: Awaitable[Any], patience: Patience) -> Any:
        loop = self._loop_thread.loop
        running = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(contained(work), loop))
        return await self._within(running, None, patience)

    async def _within(
        self, running: "asyncio.Future[Any]", released: threading.Event | None, patience: Patience
    ) -> Any:
        try:
            while not running.done():
                await asyncio.wait({running}, timeout=max(patience.left, 0.02))
                if not running.done() and patience.left <= 0:
                    break
        finally:
            if not running.done():
                running.cancel()
                # What comes next waits until the thread is free: events have an order.
                self._stuck.append(released or self._loop_thread.freed())
        if running.done() and not running.cancelled():
            return running.result()
        raise patience.hung

    @property
    def _loop_thread(self) -> "_LoopThread":
        if self._thread is None:
            self._thread = _LoopThread(f"hookd-{self._name}")
        return self._thread


async def _called(handler: Callable[..., Any], subject: Any, context: Context | None) -> Any:
    """The handler called in the task that awaits this, which `send` asks whose event is being handled."""
    return await called(handler, subject, context)


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
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:  # cancels what is left
            runner.get_loop().run_forever()

    def freed(self) -> threading.Event:
        """Set once the loop gets to it: at once, unless a handler blocks it."""
        released = threading.Event()
        self.loop.call_soon_threadsafe(released.set)
        return released

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join(MOMENT)
