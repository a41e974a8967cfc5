"""One call of one handler in this process, with the tools that its context has for it."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from hookd.events.outcome import Outcome
from hookd.hooks.api import Context, Handler, Subscription
from hookd.hooks.handling import outcomes_of
from hookd.hooks.kit.parts import Kit, LoopWait
from hookd.hooks.kit.ui import QuestionForTheAgent

Call = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Calls or awaits a function of no arguments, where and for as long as a handler may run."""


async def outcomes_of_call(
    subscription: Subscription, handler: Handler, event: Any, context: Context, kit: Kit, call: Call
) -> list[Outcome]:
    """What the handler answers; what it waits for is taken back when nobody waits for it any more."""

    def plain() -> Any:
        context.equip(kit)  # here, since it counts for the thread or task that it is called in
        return handler(event, context)

    async def coroutine() -> Any:
        context.equip(kit)
        return await handler(event, context)

    wait = LoopWait(asyncio.get_running_loop())
    kit.wait_with(wait)
    outcomes: list[Outcome] = []
    try:
        answer = await call(coroutine if inspect.iscoroutinefunction(handler) else plain)
        kit.check_awaited()
        outcomes = outcomes_of(answer, subscription.hook)
    except (Exception, QuestionForTheAgent):
        if not kit.has_question:
            raise
    finally:
        wait.cancel()
    return kit.settled(outcomes, context)
