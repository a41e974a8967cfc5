"""Handlers nobody waits for: what they say later is for the model's next turn."""

import asyncio
import concurrent.futures
from collections.abc import Coroutine
from typing import Any, NamedTuple

Over = concurrent.futures.Future[None]


class Late(NamedTuple):
    """Something a handler in the background had to say."""

    event: str
    handler: str
    text: str
    wake: bool = False
    """Whether an idle agent is to be woken for it."""


class Background:
    """The handlers that still run, each in the loop that started it, and what the others have left."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[None], Over] = {}
        self._late: list[Late] = []

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        # Somebody in another loop may wait for it, who cannot wait for a task of this one.
        over = self._tasks[task] = Over()
        over.set_running_or_notify_cancel()  # a caller that stops waiting for it does not end it
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # looked at, or the loop would say that nobody did
        self._forget(task)

    def say(self, late: Late) -> None:
        self._late.append(late)

    def take(self) -> list[Late]:
        """What has come in since the last time."""
        taken, self._late = self._late, []
        return taken

    def busy_in(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether a handler is still running in this loop."""
        return any(task.get_loop() is loop for task in list(self._tasks))

    async def settle_here(self) -> None:
        """Waits until all have ended that run in this loop."""
        loop = asyncio.get_running_loop()
        while tasks := [task for task in list(self._tasks) if task.get_loop() is loop]:
            await asyncio.wait(tasks)

    async def settle(self, seconds: float | None) -> None:
        """Waits until all have ended, so long at most."""
        if ends := list(self._tasks.values()):
            await asyncio.wait([asyncio.wrap_future(over) for over in ends], timeout=seconds)

    async def cancel(self) -> None:
        """Ends all of them."""
        for task in list(self._tasks):
            try:
                task.get_loop().call_soon_threadsafe(task.cancel)
            except RuntimeError:  # its loop is closed, and it with it
                self._forget(task)
        await self.settle(None)

    def _forget(self, task: asyncio.Task[None]) -> None:
        if (over := self._tasks.pop(task, None)) is not None:
            over.set_result(None)
