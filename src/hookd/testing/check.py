"""`check_hook`: whether a hook stands up to everything that an agent may send."""

import difflib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from hookd.agents import AGENTS
from hookd.config import Config
from hookd.events.codec import decode
from hookd.events.types import EVENTS
from hookd.hooks.api import Context, HookAPI, Subscription
from hookd.hooks.dispatch import Dispatcher
from hookd.hooks.hook_loader import describe
from hookd.hooks.in_process import LocalHooks
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.parts import AgentKit, Wait
from hookd.hooks.messages import Source
from hookd.hooks.worker_pool import HookPool, WorkerGoneError
from hookd.testing.samples import Sample, samples_for
from hookd.threads import run_to_end

MOST_PROBLEMS = 30


class HookProblemsError(AssertionError):
    """A hook does not stand up to what an agent may send; `problems` has a line for each thing."""

    def __init__(self, name: str, problems: list[str]) -> None:
        shown = problems[:MOST_PROBLEMS]
        more = [f"and {len(problems) - len(shown)} more"] if len(problems) > len(shown) else []
        super().__init__(f"{name}:\n" + "\n".join(f"  - {line}" for line in (*shown, *more)))
        self.problems = problems


def check_hook(
    hook: "str | Path | Callable[[HookAPI], object]",
    *,
    agent: str = "claude-code",
    attended: bool = True,
    config: Config | None = None,
) -> list[str]:
    """Fires every event a hook listens to at it, in usual and in odd forms; returns its handlers' names.

    Raises HookProblemsError if it cannot be loaded, registers nothing or for events that do not exist,
    raises, takes longer than the configured limits, or answers what the event cannot carry. A file runs in a
    process of its own, as it does for an agent; a `register` function runs in this one.
    """
    name = getattr(hook, "__name__", "register") if callable(hook) else str(hook)
    problems, handlers = run_to_end(lambda: _check(hook, agent, attended, config or Config()))
    if problems:
        raise HookProblemsError(name, problems)
    return handlers


async def _check(hook: Any, agent: str, attended: bool, config: Config) -> tuple[list[str], list[str]]:
    with TemporaryDirectory(prefix="hookd-check-") as folder:
        context = Context(agent=agent, project=folder, cwd=folder, attended=attended, dialog=attended)
        if callable(hook):
            return await _check_register(hook, context, config)
        return await _check_file(Path(hook), context, config)


async def _check_file(path: Path, context: Context, config: Config) -> tuple[list[str], list[str]]:
    try:
        source = Source(str(path.absolute()), path.read_bytes())
    except OSError as error:
        return [f"cannot be read: {error.strerror}"], []
    pool = HookPool(
        context.project,
        [source],
        entry_points=False,
        load_seconds=config.limits.load_seconds,
        kept=f"{context.project}/kept",
    )
    try:
        try:
            await pool.start()
        except WorkerGoneError as error:
            return [f"cannot be run: {error}"], []
        if pool.faults:
            return [f"cannot be loaded: {fault.problem}" for fault in pool.faults], []
        return await _fire_all(pool, pool.subscriptions, context, config)
    finally:
        pool.close()


async def _check_register(
    register: Callable[[HookAPI], object], context: Context, config: Config
) -> tuple[list[str], list[str]]:
    kept = Path(context.project) / "kept"

    def kit(subscription: Subscription, patience: Patience, wait: Wait) -> AgentKit:
        return AgentKit(subscription, patience=patience, folder=kept, wait=wait)

    hooks = LocalHooks(context.project, kit)
    try:
        hooks.register(register)
    except Exception as error:  # noqa: BLE001 - a hook may raise anything, and that is what is wrong with it
        return [f"cannot be loaded: {describe(error, '', loading=True)}"], []
    return await _fire_all(hooks, list(hooks.subscriptions), context, config)


async def _fire_all(
    users: HookPool | LocalHooks, subscriptions: list[Subscription], context: Context, config: Config
) -> tuple[list[str], list[str]]:
    if not subscriptions:
        return ["register subscribes to nothing; it should call hookd.on(...)"], []
    problems: list[str] = []
    dispatcher = Dispatcher([], users, config, context.project)
    done: set[tuple[str, str]] = set()
    for subscription in subscriptions:
        problems += _unknown(subscription)
        for sample in samples_for(subscription):
            # Two handlers of one event are both run by each of its inputs.
            if (sample.event, repr(sample.fields)) not in done:
                done.add((sample.event, repr(sample.fields)))
                problems += await _fire(dispatcher, sample, context)
    return list(dict.fromkeys(problems)), [subscription.hook for subscription in subscriptions]


def _unknown(subscription: Subscription) -> list[str]:
    if subscription.event in EVENTS or subscription.event[0].islower():
        return []
    close = difflib.get_close_matches(subscription.event, EVENTS, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return [f"{subscription.hook} listens to {subscription.event}, which hookd does not know{hint}"]


async def _fire(dispatcher: Dispatcher, sample: Sample, context: Context) -> list[str]:
    wire = {"hook_event_name": sample.event, "session_id": "check", "cwd": context.cwd, **sample.fields}
    event, _ = decode(msgspec.json.encode(wire), sample.event)
    dispatched = await dispatcher.dispatch(event, context)
    problems = []
    for run in dispatched.runs:
        where = f"{run.subscription.hook} on {run.subscription.event} with {sample.what}"
        if run.quarantined:
            continue  # said when it got stuck
        if run.fault is not None:
            problems.append(f"{where}: {run.fault}")
            continue
        for outcome in run.outcomes:
            _, dropped = AGENTS[context.agent].encode(event, outcome)
            problems += [
                f"{where}: answers with {part!r}, which {sample.event} cannot carry" for part in dropped
            ]
    return problems
