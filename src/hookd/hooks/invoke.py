"""One call of one handler. Where it runs differs, what comes of it does not.

hookd's own hooks run right here, on the loop of the daemon or of the agent that embeds them. Users' hooks and
the functions of an agent have a place: a process of their own (`hooks/worker.py`), this loop or a thread
beside it (`hooks/in_process.py`), threads that belong to a file (`host/hook_runner.py`).
"""

import math
from collections.abc import Callable, Coroutine, Sequence
from time import perf_counter
from types import CoroutineType
from typing import Any

import msgspec

from hookd.events.codec import decode
from hookd.events.outcome import Outcome, sourced
from hookd.events.stable import stable_events
from hookd.hooks.api import Context, Handler, Subscription, handling
from hookd.hooks.hook_loader import describe, outcomes_of
from hookd.hooks.kit.deadline import HungError, Patience, QuestionForTheAgent
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.kit.parts import Kit
from hookd.hooks.messages import Job

Place = Callable[[Callable[..., Any], Any, Context | None], Any]
"""Calls a handler (see `called`); gives its answer, or a coroutine that comes to it.

It raises HungError for a handler that does not come back.
"""
Caught = tuple[type[BaseException], ...]
FAILURES: Caught = (Exception, QuestionForTheAgent)
"""What is the handler's doing; anything else ends the program or the task in which it was called."""


class HookRun(msgspec.Struct, frozen=True):
    """What one handler did with one event."""

    subscription: Subscription
    milliseconds: float
    outcomes: Sequence[Outcome] = ()
    fault: str | None = None
    """Why it has no say: in hookd's words, since what a handler raises may quote a secret."""
    stuck: bool = False
    """Whether it did not come back in time."""
    quarantined: bool = False
    lines: Sequence[str] = ()
    sent: Sequence[Sent] = ()
    answer: Any = None
    """What a function of the event alone returned, which may be more than outcomes."""
    error: BaseException | None = None
    """What it raised, if it ran in this process."""


async def invoke(
    subscription: Subscription,
    handler: Callable[..., Any],
    subject: Any,
    context: Context | None,
    place: Place | None = None,
    *,
    seconds: float = math.inf,
    caught: Caught = FAILURES,
) -> HookRun:
    """Calls the handler with the event and its context; whatever it does is in what this returns.

    Without a place it is one of hookd's own: called right here, believed, and given up after these seconds if
    it waits for something. Without a context it is a function of the event alone, and its answer is left as
    it is.
    """
    answer: Any = None
    error: BaseException | None = None
    began = perf_counter()
    try:
        if place is not None:
            answer = place(handler, subject, context)
            if isinstance(answer, CoroutineType):
                answer = await answer
        else:
            answer = handler(subject, context)
            if isinstance(answer, CoroutineType):
                async with (context and context.kit.patience) or Patience(seconds):
                    answer = await answer
    except caught as raised:
        error = raised
    spent = (perf_counter() - began) * 1000
    if context is None:
        fault = describe(error, subscription.file) if error is not None else None
        return HookRun(subscription, spent, fault=fault, answer=answer, error=error)
    if place is not None:  # hookd's own share their kit, and leave no threads behind
        context.kit.end()
    if answer is None and error is None and context.kit.is_untouched:  # as hookd's own are, most of the time
        return HookRun(subscription, spent)
    return _settled(subscription, spent, context, answer, error, is_own=place is None)


def _settled(
    subscription: Subscription,
    milliseconds: float,
    context: Context,
    answer: Any,
    error: BaseException | None,
    *,
    is_own: bool,
) -> HookRun:
    """The answer with all that the handler left in its kit."""
    kit = context.kit
    outcomes: Sequence[Outcome] = ()
    fault: str | None = None
    read = _believed if is_own else outcomes_of
    try:
        kit.check_awaited()  # after an error, too: the kit may be the next handler's
        outcomes = read(answer, subscription.hook)
    except Exception as raised:  # noqa: BLE001 - whatever is wrong with an answer is the handler's fault
        error = error or raised
    if kit.has_question:
        error = None  # however the handler took it that it was ended
    stuck = isinstance(error, HungError)
    if error is not None:
        fault = str(error) if stuck else describe(error, subscription.file)
    return HookRun(
        subscription,
        milliseconds,
        kit.settled(outcomes, context),
        fault,
        stuck,
        lines=kit.take_lines(),
        sent=[Sent(message.text, subscription.hook) for message in kit.take_sent()],
        error=error,
    )


def _believed(answer: Any, hook: str) -> Sequence[Outcome]:
    """What one of hookd's own answers, as it is: a copy would cost, and not be the same object."""
    if answer is None:
        return ()
    return sourced(answer if isinstance(answer, list) else [answer], hook)


def called(handler: Callable[..., Any], subject: Any, context: Context | None) -> Any:
    """What the handler returns; from now on `send` goes to its session, in this thread or task."""
    if context is None:
        return handler(subject)
    handling.set(context)
    return handler(subject, context)


def invoke_in_job(
    job: Job, subscription: Subscription, handler: Handler, kit: Kit, place: Place, caught: Caught = FAILURES
) -> Coroutine[Any, Any, HookRun]:
    """Calls one of the users' handlers with a context of its own and its event, decoded anew.

    What one of them does to its event must not change what the next one judges.
    """
    context = Context(**job.context, kit=kit)
    if job.occasion is not None:
        return invoke(subscription, handler, job.occasion, context, place, caught=caught)
    event, _ = decode(job.payload)
    named: dict[str, Any] = {event.name: event}
    named |= stable_events(event, turn=context.turn_index, previous_path=job.previous_path)
    return invoke(subscription, handler, named[subscription.event], context, place, caught=caught)
