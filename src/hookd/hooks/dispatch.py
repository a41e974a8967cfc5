"""One event through all hooks: users' early ones, built-ins, users' late ones, then the fold.

The failure table, stated in docs/architecture.md, is applied here and nowhere else.
"""

import asyncio
import time
from collections.abc import Sequence
from types import CoroutineType
from typing import Any, NamedTuple, Protocol

import msgspec

from hookd.config import Config
from hookd.events.outcome import NOTHING, Decision, Outcome, ask, block, fold, sourced
from hookd.events.stable import stable_events
from hookd.events.types import Event
from hookd.hooks.api import GATES, Context, Handler, Subscription
from hookd.hooks.arbiter import Injection
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.kit.parts import Kit
from hookd.hooks.metrics import Metrics
from hookd.hooks.pool import HookRun

MOMENT_SECONDS = 0.5


class Dispatched(NamedTuple):
    """The one answer to an event, and what each hook did."""

    outcome: Outcome
    runs: Sequence[HookRun] = ()
    injections: Sequence[Injection] = ()
    """What hooks wanted to tell the model, and whether it gets it."""


class Users(Protocol):
    """Users' hooks, wherever they run."""

    @property
    def subscriptions(self) -> Sequence[Subscription]:
        """What they listen to; a handler's number is its place here."""

    def is_quarantined(self, subscription: Subscription) -> bool:
        """Whether it was stuck and is not run any more."""

    async def run(
        self,
        numbers: list[int],
        payload: bytes,
        context: Context,
        deadlines: list[float],
        previous_path: str | None = None,
        *,
        until: float,
        gate: bool,
    ) -> list[HookRun]:
        """Runs the numbered handlers in order; never raises for what a hook does."""


class Dispatcher:
    """The hooks in force and the order they run in."""

    def __init__(
        self,
        builtins: Sequence[tuple[Subscription, Handler]],
        users: Users | None,
        config: Config,
        metrics: Metrics,
        project: str,
    ) -> None:
        disabled = set(config.hooks.disabled)
        self._builtins: dict[str, list[tuple[Subscription, Handler]]] = {}
        for subscription, handler in builtins:
            if not disabled & {subscription.hook, subscription.hook.partition(".")[0]}:
                self._builtins.setdefault(subscription.event, []).append((subscription, handler))
        self.users = users
        self._users: dict[str, list[int]] = {}
        for number, subscription in enumerate(users.subscriptions if users else ()):
            if not disabled & {subscription.hook, subscription.hook.partition(".")[0]}:
                self._users.setdefault(subscription.event, []).append(number)
        self._config = config
        self._metrics = metrics
        self._project = project

    @property
    def events(self) -> set[str]:
        """The names somebody wants to be sent."""
        wanted = {
            name for name, handlers in self._builtins.items() if not all(item.passive for item, _ in handlers)
        }
        users = self.users.subscriptions if self.users else ()
        return wanted | {
            name
            for name, numbers in self._users.items()
            if not all(users[number].passive for number in numbers)
        }

    async def dispatch(self, event: Event, context: Context, previous_path: str | None = None) -> Dispatched:
        named: dict[str, Any] = {event.name: event}
        named |= stable_events(event, turn=context.turn_index, previous_path=previous_path)
        limits = self._config.limits
        limit = limits.gate_seconds if event.name in GATES else limits.hook_seconds
        # The hook that uses up the whole time is the one to stop; those after it get a moment.
        until = time.monotonic() + limit + MOMENT_SECONDS
        early, late, runs = self._wanted_users(named)
        if early:
            runs += await self._run_users(early, event, context, until, previous_path)
        for name, subject in named.items():
            for subscription, handler in self._builtins.get(name, ()):
                if subscription.wants(subject, self._project):
                    runs.append(await self._run_builtin(subscription, handler, subject, context))
        if late:
            runs += await self._run_users(late, event, context, until, previous_path)
        if not runs:
            return Dispatched(NOTHING)
        return Dispatched(fold(self._outcomes(runs)), runs)

    def _wanted_users(self, named: dict[str, Any]) -> tuple[list[int], list[int], list[HookRun]]:
        """The users' handlers to run before and after the built-ins, and the gates that cannot be run."""
        early: list[int] = []
        late: list[int] = []
        missing: list[HookRun] = []
        if self.users is None:
            return early, late, missing
        for name, subject in named.items():
            for number in self._users.get(name, ()):
                subscription = self.users.subscriptions[number]
                if not subscription.wants(subject, self._project):
                    continue
                if not self.users.is_quarantined(subscription):
                    (early if subscription.order == "before" else late).append(number)
                elif subscription.is_gate:
                    missing.append(HookRun(subscription, 0, fault="is quarantined", quarantined=True))
        return early, late, missing

    async def _run_users(
        self, numbers: list[int], event: Event, context: Context, until: float, previous_path: str | None
    ) -> list[HookRun]:
        assert self.users is not None
        deadlines = [self._deadline(self.users.subscriptions[number]) for number in numbers]
        gate = event.name in GATES
        return await self.users.run(
            numbers, event.raw, context, deadlines, previous_path, until=until, gate=gate
        )

    def _deadline(self, subscription: Subscription) -> float:
        limits = self._config.limits
        limit = limits.tool_call_seconds if subscription.is_gate else limits.hook_seconds
        return min(limit, subscription.deadline or limit)

    async def _run_builtin(
        self, subscription: Subscription, handler: Handler, subject: Any, context: Context
    ) -> HookRun:
        began = time.perf_counter()
        limits = self._config.limits
        seconds = limits.gate_seconds if subscription.is_gate else limits.hook_seconds
        answer: Any = None
        fault = None
        try:
            answer = handler(subject, context)
            if isinstance(answer, CoroutineType):
                async with asyncio.timeout(seconds):
                    answer = await answer
        except TimeoutError:
            fault = f"did not finish within {seconds:g} s"
        except Exception as error:  # noqa: BLE001 - the one place where a hook's failure becomes data
            fault = type(error).__name__
        spent = (time.perf_counter() - began) * 1000
        outcomes = answer if isinstance(answer, list) else [] if answer is None else [answer]
        answers = [] if fault else sourced(outcomes, subscription.hook)
        # Built-ins share one kit; few of them ever touch it.
        kit: Kit | None = context.__dict__.get("kit")
        sent = [Sent(message.text, subscription.hook) for message in kit.sent()] if kit else ()
        return HookRun(subscription, spent, answers, fault, sent=sent)

    def _outcomes(self, runs: list[HookRun]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for run in runs:
            self._metrics.hook(run.subscription.hook, run.milliseconds, error=run.fault is not None)
            if run.fault is None:
                outcomes += run.outcomes
            elif run.subscription.is_gate:
                outcomes.append(self._after_gate_fault(run))
        return outcomes

    def _after_gate_fault(self, run: HookRun) -> Outcome:
        hook = run.subscription.hook
        if run.quarantined:
            why = (
                f"the hook {hook} ({run.subscription.file}) hung before and is quarantined until it is mended"
            )
            outcome = failure_outcome(self._config.on_failure, why)
        elif run.subscription.file:
            outcome = block(
                f"hookd blocked this call because the hook {hook} failed: {run.fault}. "
                f"Tell the user; the hook is in {run.subscription.file} (`hookd status` has more)."
            )
        else:
            outcome = failure_outcome(self._config.on_failure, f"{hook} failed: {run.fault}")
        return msgspec.structs.replace(outcome, source=hook)


def failure_outcome(policy: str, why: str) -> Outcome:
    """What a gate that cannot judge answers, by policy; it never passes silently."""
    if policy == "deny":
        return block(f"hookd cannot judge this call, and the policy is to deny: {why}")
    if policy == "ask":
        return ask(f"hookd cannot judge this call: {why}")
    return Outcome(messages=(f"hookd let a call pass unjudged: {why}",))


def verdict_of(outcome: Outcome) -> str | None:
    """The verdict's name for the record."""
    return Decision(outcome.decision).name.lower() if outcome.decision is not None else None
