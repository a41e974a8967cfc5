"""One event through all hooks: users' early ones, built-ins, users' late ones, then the fold."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from hookd.config import Config
from hookd.events.outcome import NOTHING, Decision, Outcome, fold
from hookd.events.stable import stable_events
from hookd.events.types import Event
from hookd.hooks.api import Context, Handler, Subscription
from hookd.hooks.context_budget import Injection
from hookd.hooks.failure_policy import FailurePolicy
from hookd.hooks.invoke import HookRun, invoke
from hookd.hooks.kit.occasions import Occasion
from hookd.hooks.messages import Job, facts_of
from hookd.paths import as_text

MOMENT_SECONDS = 0.5


class Dispatched(NamedTuple):
    """The one answer to an event, and what each hook did."""

    outcome: Outcome
    runs: Sequence[HookRun] = ()
    injections: Sequence[Injection] = ()
    """What hooks wanted to tell the model, and whether it gets it."""
    delivered: Sequence[HookRun] = ()
    """What hooks sent at an earlier event and the model is told with this answer; none of them ran for it."""


class Users(Protocol):
    """Users' hooks, wherever they run."""

    @property
    def subscriptions(self) -> Sequence[Subscription]:
        """What they listen to; a handler's number is its place here."""

    def is_quarantined(self, subscription: Subscription) -> bool:
        """Whether it was stuck and is not run any more."""

    async def run(self, job: Job, *, until: float, gate: bool) -> list[HookRun]:
        """Runs the job's handlers in order; never raises for what a hook does."""


class Dispatcher:
    """The hooks in force and the order they run in."""

    def __init__(
        self,
        builtins: Sequence[tuple[Subscription, Handler]],
        users: Users | None,
        config: Config,
        project: str,
    ) -> None:
        disabled = set(config.hooks.disabled)
        limits = config.limits
        theirs = users.subscriptions if users else ()

        def is_on(each: Subscription) -> bool:
            return not disabled & {each.hook, each.hook.partition(".")[0]}

        known = (*(own for own, _ in builtins), *theirs)
        self._off = [each for each in known if not is_on(each)]
        self.events = {each.event for each in known if is_on(each) and not each.passive}
        """The names that a hook wants to be sent."""
        self._builtins: dict[str, list[tuple[Subscription, Handler, float]]] = {}
        for subscription, handler in builtins:
            if is_on(subscription):
                seconds = limits.gate_seconds if subscription.is_gate else limits.hook_seconds
                self._builtins.setdefault(subscription.event, []).append((subscription, handler, seconds))
        self.users = users
        self._users: dict[str, list[int]] = {}
        self.outside = [number for number, each in enumerate(theirs) if each.is_outside and is_on(each)]
        """The users' handlers that no event calls."""
        for number, subscription in enumerate(theirs):
            if is_on(subscription) and not subscription.is_outside:
                self._users.setdefault(subscription.event, []).append(number)
        self._limits = limits
        self._policy = FailurePolicy(config.on_failure)
        self._project = project

    async def dispatch(self, event: Event, context: Context, previous_path: str | None = None) -> Dispatched:
        named: dict[str, Any] = {event.name: event}
        named |= stable_events(event, turn=context.turn_index, previous_path=previous_path)
        limit = self._limits.gate_seconds if event.is_gate else self._limits.hook_seconds
        # The hook that uses up the whole time is the one to stop; those after it get a moment.
        until = time.monotonic() + limit + MOMENT_SECONDS
        early, late, runs = self._wanted_users(named)
        if early:
            runs += await self._run_users(early, event, context, until, previous_path)
        for name, subject in named.items():
            for subscription, handler, seconds in self._builtins.get(name, ()):
                if subscription.wants(subject, self._project):
                    runs.append(await invoke(subscription, handler, subject, context, seconds=seconds))
        if late:
            runs += await self._run_users(late, event, context, until, previous_path)
        if not runs:
            return Dispatched(NOTHING)
        return Dispatched(fold([outcome for run in runs for outcome in self._policy.outcomes(run)]), runs)

    def left_out(
        self, event: Event, turn: int, previous_path: str | None
    ) -> Iterator[tuple[Subscription, str]]:
        """The hooks that listen to this event and are not run for it, each with the reason, for who asks."""
        named: dict[str, Any] = {event.name: event}
        named |= stable_events(event, turn=turn, previous_path=previous_path)
        for each in self._off:
            if each.event in named:
                yield each, "it is in hooks.disabled"
        users = self.users
        if users is None:
            return
        for name, subject in named.items():
            for each in map(users.subscriptions.__getitem__, self._users.get(name, ())):
                if not each.wants(subject, self._project):
                    yield each, "its filters leave this event out"
                elif users.is_quarantined(each):
                    yield each, "it is quarantined"

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
        job = Job(event.raw, numbers, facts_of(context), previous_path, deadlines)
        return await self.users.run(job, until=until, gate=event.is_gate)

    def job_outside(self, number: int, occasion: Occasion) -> Job:
        """The call of one of the users' handlers outside of any event, and so of any session."""
        assert self.users is not None
        place = as_text(self._project)
        context = facts_of(Context(project=place, cwd=place, attended=False))
        deadline = self._deadline(self.users.subscriptions[number])
        return Job(b"", [number], context, deadlines=[deadline], occasion=occasion)

    def _deadline(self, subscription: Subscription) -> float:
        limit = self._limits.tool_call_seconds if subscription.is_gate else self._limits.hook_seconds
        return min(limit, subscription.deadline or limit)


def verdict_of(outcome: Outcome) -> str | None:
    """The verdict's name for the record."""
    return Decision(outcome.decision).name.lower() if outcome.decision is not None else None
