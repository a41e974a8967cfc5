"""Handlers that no event calls: a timer is due, a watched file has changed.

They run one at a time, in a process of their own kind, so no event ever waits for one. Where no hook asks for
it there is no task, no timer and no process.
"""

import asyncio
import os
import time
from typing import TYPE_CHECKING

from hookd.daemon.outbox import ANY_SESSION
from hookd.hooks.dispatch import MOMENT_SECONDS, Dispatcher
from hookd.hooks.file_changes import Stamp, stamp_of
from hookd.hooks.invoke import HookRun
from hookd.hooks.kit.occasions import FileChange, Occasion, Tick
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.worker_pool import HookPool
from hookd.journal.entries import WELL, Problem

if TYPE_CHECKING:
    from hookd.daemon.service import Service

LOOK_SECONDS = 1.0
"""How often watched files are looked at, if any are."""


class OutsideEvents:
    """Calls the handlers of the hooks in force that registered with `every` and `watch`."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._tasks: list[asyncio.Task[None]] = []
        self._pool: HookPool | None = None
        self._alone = asyncio.Lock()
        self._said: set[str] = set()
        self._well: set[str] = set()
        """The hooks whose last call went well."""

    def follow(self, dispatcher: Dispatcher) -> None:
        """Begins with these hooks; what was under way for those before them is ended."""
        self.close()
        if not dispatcher.outside or not isinstance(dispatcher.users, HookPool):
            return
        self._pool, self._said, self._well = dispatcher.users.spare(), set(), set()
        loop = asyncio.get_running_loop()
        subscriptions = dispatcher.users.subscriptions
        watched = {n: subscriptions[n].watched for n in dispatcher.outside if subscriptions[n].watched}
        if watched:
            self._tasks.append(loop.create_task(self._watch(self._pool, dispatcher, watched)))
        for number in dispatcher.outside:
            if number not in watched:
                self._tasks.append(loop.create_task(self._repeat(self._pool, dispatcher, number)))
        for task in self._tasks:
            task.add_done_callback(self._ended)

    def close(self) -> None:
        """Ends the timers, the watching and their process."""
        for task in self._tasks:
            task.cancel()
        self._tasks = []
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    async def _repeat(self, pool: HookPool, dispatcher: Dispatcher, number: int) -> None:
        subscription = pool.subscriptions[number]
        while not pool.is_quarantined(subscription):
            await asyncio.sleep(subscription.seconds)
            await self._call(pool, dispatcher, number, Tick(subscription.seconds))

    async def _watch(self, pool: HookPool, dispatcher: Dispatcher, watched: dict[int, str]) -> None:
        # In a thread: a file system may take its time, and events do not wait for it.
        before = await asyncio.to_thread(_stamps, watched)
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = await asyncio.to_thread(_stamps, watched)
            for number, path in watched.items():
                if now[number] != before[number]:
                    change = _change(path, before[number], now[number])
                    await self._call(pool, dispatcher, number, change)
            before = now

    async def _call(self, pool: HookPool, dispatcher: Dispatcher, number: int, occasion: Occasion) -> None:
        if pool.is_quarantined(pool.subscriptions[number]):
            return
        job = dispatcher.job_outside(number, occasion)
        async with self._alone:
            until = time.monotonic() + job.deadlines[0] + MOMENT_SECONDS
            [run] = await pool.run(job, until=until, gate=False)
        await self._settle(run)

    async def _settle(self, run: HookRun) -> None:
        """What the handler leaves: its messages for whichever session has a turn, its log, its fault."""
        service, hook = self._service, run.subscription.hook
        if run.sent:
            try:
                lost = await asyncio.to_thread(self._put, run)
            except OSError as error:
                self._note("messages", f"what {hook} has sent cannot be kept: {error.strerror}")
            else:
                if lost:
                    self._note("messages", f"old messages to the agent give way to those of {hook}")
        if run.lines:
            for line in service.redactor.text("\n".join(run.lines)).split("\n"):
                service.log(f"{hook}: {line}")
        if run.fault is not None:
            self._note("hook", f"{hook} on {run.subscription.event}: {run.fault}")
        if run.outcomes:
            self._note("hooks", f"{hook} answers where no event asks, which nobody hears; use ctx.send")
        if run.fault is not None or run.outcomes:
            self._well.discard(hook)
        elif hook not in self._well:
            self._goes_well(hook)

    def _goes_well(self, hook: str) -> None:
        """Has the record show that what was wrong with it, now or under an earlier daemon, is over."""
        self._well.add(hook)
        self._said = {what for what in self._said if not what.startswith(f"{hook} ")}
        self._service.metrics.works({hook})
        well = Problem(id=os.urandom(16).hex(), at=time.time(), kind=WELL, what=hook)
        self._service.recorder.append(well)

    def _put(self, run: HookRun) -> int:
        text = self._service.redactor.text
        return self._service.outbox.put(ANY_SESSION, [Sent(text(each.text), each.hook) for each in run.sent])

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._note("bug", f"outside of events: {type(error).__name__}: {error}")

    def _note(self, kind: str, what: str) -> None:
        """Tells the person, once until it goes well: what fails may fail every second."""
        if what not in self._said:
            self._said.add(what)
            self._service.note(kind, what)


def _stamps(watched: dict[int, str]) -> dict[int, Stamp]:
    return {number: stamp_of(path) for number, path in watched.items()}


def _change(path: str, before: Stamp, now: Stamp) -> FileChange:
    if before is None:
        return FileChange(path, "created")
    return FileChange(path, "deleted" if now is None else "changed")
