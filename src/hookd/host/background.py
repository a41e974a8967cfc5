"""Handlers nobody waits for: what they say later is for the model's next turn."""

import asyncio
from collections.abc import Coroutine
from typing import Any, NamedTuple


class Late(NamedTuple):
    """Something a handler in the background had to say."""

    event: str
    handler: str
    text: str
    wake: bool = False
    """Whether an idle agent is to be woken for it."""


class Background:
    """The handlers that are still running, and what the others have left."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Future[None]] = set()
        self._late: list[Late] = []

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self.adopt(asyncio.get_running_loop().create_task(work))

    def adopt(self, task: "asyncio.Future[None]") -> None:
        """Takes over what somebody has started."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def say(self, late: Late) -> None:
        self._late.append(late)

    def take(self) -> list[Late]:
        """What has come in since the last time."""
        taken, self._late = self._late, []
        return taken

    async def settle(self, seconds: float | None) -> None:
        """Waits until all have ended, so long at most."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def cancel(self) -> None:
        """Ends all of them."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
