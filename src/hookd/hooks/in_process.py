"""Users' hooks in this process and on its loop: for an agent that embeds them, and for tests.

What the pool of processes promises and this cannot: a handler that blocks for ever in its thread is left
behind there, not killed.
"""

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.hook_loader import register_of
from hookd.hooks.invoke import HookRun, called, invoke, subject_of
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.parts import Kit, LoopWait, Wait
from hookd.hooks.kit.question import QuestionForTheAgent
from hookd.threads import in_thread

MakeKit = Callable[[Subscription, Patience, Wait], Kit]


class LocalHooks:
    """Handlers and how to call them; a dispatcher takes them as its users' hooks.

    `make_kit` gives each handler its tools for one event.
    """

    def __init__(self, project: str, make_kit: MakeKit) -> None:
        self._project = project
        self._make_kit = make_kit
        self._handlers: list[tuple[Subscription, Handler]] = []

    def load(self, path: str, code: bytes) -> None:
        """Adds a hook file's handlers; raises what the file raises."""
        self.register(register_of(path, code), Path(path).stem, path)

    def register(self, register: Callable[[HookAPI], object], name: str = "hook", path: str = "") -> None:
        """Adds the handlers of a `register` function."""
        api = HookAPI(path, name, self._project)
        if inspect.iscoroutine(never_run := register(api)):
            never_run.close()
            raise TypeError("register is async; make it a plain function")
        self._handlers += api.handlers

    @property
    def subscriptions(self) -> Sequence[Subscription]:
        return [subscription for subscription, _ in self._handlers]

    def is_quarantined(self, subscription: Subscription) -> bool:  # noqa: ARG002 - nobody is stopped here
        return False

    async def run(
        self,
        numbers: list[int],
        payload: bytes,
        context: Context,
        deadlines: list[float],
        previous_path: str | None = None,
        *,
        until: float = math.inf,  # noqa: ARG002 - a handler may be waiting for a person
        gate: bool = False,  # noqa: ARG002
    ) -> list[HookRun]:
        """Runs the numbered handlers in order; never raises for what a hook does."""
        return [
            await self._run(*self._handlers[number], payload, context, seconds, previous_path)
            for number, seconds in zip(numbers, deadlines, strict=True)
        ]

    async def _run(
        self,
        subscription: Subscription,
        handler: Handler,
        payload: bytes,
        context: Context,
        seconds: float,
        previous_path: str | None,
    ) -> HookRun:
        subject = subject_of(subscription, payload, context, previous_path)
        with LoopWait(asyncio.get_running_loop()) as wait:
            kit = self._make_kit(subscription, Patience(seconds), wait)
            own = msgspec.structs.replace(context, kit=kit)
            return await invoke(subscription, handler, subject, own, on_loop)


def on_loop(handler: Callable[..., Any], subject: Any, context: Context | None) -> Coroutine[Any, Any, Any]:
    """The place on the running loop; a handler that is not async has a thread, so that it may block."""
    if inspect.iscoroutinefunction(handler):
        work = contained(called(handler, subject, context), KeyboardInterrupt)
    else:
        work = _in_thread(handler, subject, context)
    patience = context.kit.patience if context is not None else None
    return work if patience is None else _within(patience, work)


async def _in_thread(handler: Callable[..., Any], subject: Any, context: Context | None) -> Any:
    answer = await in_thread(partial(called, handler, subject, context))
    return await contained(answer, KeyboardInterrupt) if inspect.isawaitable(answer) else answer


async def _within(patience: Patience, work: Awaitable[Any]) -> Any:
    async with patience:
        return await work


async def contained(work: Awaitable[Any], *passing: type[BaseException]) -> Any:
    """What an async handler returns; an attempt to end the program is a failure of the handler."""
    try:
        return await work
    except (Exception, QuestionForTheAgent, asyncio.CancelledError):
        raise
    except BaseException as error:
        if isinstance(error, passing):
            raise
        raise RuntimeError(f"the handler ended with {type(error).__name__}") from None
