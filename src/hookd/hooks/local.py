"""Users' hooks in this process and on its loop: for an agent that embeds them, and for tests.

What the pool of processes promises and this cannot: a handler that blocks for ever in its thread is left
behind there, not killed.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hookd.events.codec import decode
from hookd.events.outcome import Outcome
from hookd.events.stable import stable_events
from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.calling import outcomes_of_call
from hookd.hooks.handling import describe, register_of
from hookd.hooks.kit.parts import Kit
from hookd.hooks.kit.patience import Patience
from hookd.hooks.pool import HookRun
from hookd.threads import in_thread

MakeKit = Callable[[Subscription, Patience], Kit]


class LocalHooks:
    """Handlers and how to call them; a dispatcher takes them as its users' hooks.

    `make_kit` gives each handler its tools for one event.
    """

    def __init__(self, project: str, make_kit: MakeKit) -> None:
        self._project = project
        self._make_kit = make_kit
        self._handlers: list[tuple[Subscription, Handler]] = []
        self.raised: list[tuple[Subscription, BaseException]] = []
        """What handlers have raised, for whoever wants more than a line about it."""

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
        own = msgspec.structs.replace(context)
        began = time.perf_counter()
        outcomes: list[Outcome] = []
        fault = None
        patience = Patience(seconds)
        kit = self._make_kit(subscription, patience)

        async def call(function: Callable[[], Any]) -> Any:
            async with patience:
                return await _answer(function)

        try:
            # Decoded for each handler: what one does to its event must not change what the next one judges.
            event, _ = decode(payload)
            named: dict[str, Any] = {event.name: event}
            named |= stable_events(event, turn=own.turn_index, previous_path=previous_path)
            subject = named[subscription.event]
            outcomes = await outcomes_of_call(subscription, handler, subject, own, kit, call)
        except asyncio.CancelledError:
            raise  # nobody waits for the answer any more
        except BaseException as error:  # noqa: BLE001 - a hook may do anything, sys.exit included
            self.raised.append((subscription, error))
            fault = describe(error, subscription.file)
            if patience.expired:
                fault = f"did not finish within {seconds:g} s"
            outcomes = kit.settled([], own)
        return HookRun(
            subscription,
            (time.perf_counter() - began) * 1000,
            outcomes,
            fault,
            lines=own.lines,
            sent=kit.sent(),
        )


async def _answer(function: Callable[[], Any]) -> Any:
    """What a handler returns; one that is not async has a thread, so that it may block."""
    if inspect.iscoroutinefunction(function):
        return await function()
    answer = await in_thread(function)
    return await answer if inspect.isawaitable(answer) else answer
