"""Memory as a hook: a session that begins, goes on or was compacted is told what matters now.

Its summaries are made while the journal is taken in, so this needs no other event. An agent waits for the
answer, so each step has its time, and whatever fails leaves the session without a context.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from hookd.errors import HookdError
from hookd.events.outcome import Fact, Importance, Outcome
from hookd.events.types import SessionStart
from hookd.hooks.api import Context, HookAPI
from hookd.memory.settings import Memory
from hookd.threads import in_thread

if TYPE_CHECKING:
    from hookd.hooks.services import Services
    from hookd.memory.context import Composed

T = TypeVar("T")

# Both take some milliseconds; a process that has just begun has much to load first.
CATCH_UP_SECONDS = 1.5
READ_SECONDS = 3.0
# Which files have changed only brings what is about them to the front.
CHANGED_SECONDS = 0.5
FACT, HOOK = "memory-context", "memory.context"


def register(hookd: HookAPI) -> None:
    services = hookd.services
    if not services.config.of(Memory).context or services.store is None:
        return

    @hookd.on("SessionStart", name="context")
    async def begin(event: SessionStart, ctx: Context) -> Outcome | None:
        most = min(services.config.of(Memory).context_tokens, ctx.context_tokens)
        return await told(services, hookd.project, event, most)


async def told(services: Services, root: str, event: SessionStart, most: int) -> Outcome | None:
    """What the session is told in at most so many tokens, with figures for the record; None for nothing."""
    await _within(CATCH_UP_SECONDS, services.catch_up)
    why = f"not within {READ_SECONDS:g} s"
    try:
        found = await _within(READ_SECONDS, partial(_composed, services, root, event, most))
    except (HookdError, OSError) as error:
        found, why = None, str(error)
    if found is None:
        return Outcome(facts=(Fact(kind=FACT, data={"source": event.source, "failed": why}),))
    if not found.text:
        return None
    figures = {"source": event.source, "by": HOOK, "tokens": found.tokens, "lines": found.lines}
    facts = (Fact(kind=FACT, data=figures),)
    return Outcome(context=(found.text,), importance=Importance.MEMORY, facts=facts)


async def _within(seconds: float, function: Callable[[], T]) -> T | None:
    """The function's result, if it comes in time; if not, it ends by itself and nobody hears of it."""
    try:
        result: T = await asyncio.wait_for(in_thread(function), seconds)
    except TimeoutError:
        return None
    return result


def _composed(services: Services, root: str, event: SessionStart, most: int) -> Composed:
    from hookd.bounded_reads import Budget  # only a session that begins needs any of it
    from hookd.gitstate import GitState
    from hookd.memory.context import Composed, Moment, choose, composed, told_before
    from hookd.memory.handover.summaries import behind, look
    from hookd.memory.observations import place_of
    from hookd.memory.repository.statements import migrations
    from hookd.tasks.repository import migrations as tasks

    store, folders, settings = services.store, services.folders, services.config.of(Memory)
    if store is None or folders is None or not store.path.exists():
        return Composed()
    store.adopt([*tasks(), *migrations()])
    place = place_of(folders, root)
    if settings.capture and settings.handover:
        with store.reading() as db:
            sessions = behind(db, place)
        if sessions:
            store.submit(lambda db: look(db, place, sessions)).result(READ_SECONDS)
    now = time.time()
    changed = GitState(root, Budget(seconds=CHANGED_SECONDS)).changed()
    moment = Moment(event.session_id, event.source, now, frozenset(changed))
    with store.reading() as db:
        lines, known = choose(db, place, moment), told_before(db, place, moment)
        return composed(db, lines, most, services.redactor.text, now, known)
