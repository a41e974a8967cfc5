"""Users' hooks in this process and on its loop: for an agent that embeds them, and for tests.

What the pool of processes promises and this cannot: a handler that blocks for ever in its thread is left
behind there, not killed.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.hook_loader import handlers_of, register_of
from hookd.hooks.invoke import HookRun, called, invoke_in_job
from hookd.hooks.kit.deadline import Patience, QuestionForTheAgent
from hookd.hooks.kit.parts import Kit, LoopWait, Wait
from hookd.hooks.messages import Job
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
        self._handlers += handlers_of(register, path, name, self._project)

    @property
    def subscriptions(self) -> Sequence[Subscription]:
        return [subscription for subscription, _ in self._handlers]

    def is_quarantined(self, subscription: Subscription) -> bool:  # noqa: ARG002 - nobody is stopped here
        return False

    async def run(self, job: Job, *, until: float, gate: bool) -> list[HookRun]:  # noqa: ARG002
        """Runs the job's handlers in order, however long a person is asked; never raises for what they do."""
        runs: list[HookRun] = []
        for number, seconds in zip(job.handlers, job.deadlines, strict=True):
            subscription, handler = self._handlers[number]
            with LoopWait(asyncio.get_running_loop()) as wait:
                kit = self._make_kit(subscription, Patience(seconds), wait)
                runs.append(await invoke_in_job(job, subscription, handler, kit, on_loop))
        return runs


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
