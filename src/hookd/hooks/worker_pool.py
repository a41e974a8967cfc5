"""Users' hooks in processes of their own, where a stuck one can be stopped.

A process handles one event at a time. When all are busy another is started, so a hook that hangs
costs its own event only. A process that passes a hook's deadline is killed and the hook quarantined.
"""

import asyncio
import socket
import time
from collections import deque
from typing import cast

import msgspec

from hookd.errors import HookdError
from hookd.hooks import start_worker
from hookd.hooks.api import Subscription
from hookd.hooks.invoke import HookRun
from hookd.hooks.messages import (
    MAX_MESSAGE,
    FromWorker,
    Job,
    Load,
    Loaded,
    LoadFault,
    Loading,
    Ran,
    Source,
    pack,
    unpacked,
)
from hookd.hooks.start_worker import Started

MAX_WORKERS = 8
# How long an event waits for a busy process before another one is started for it.
PATIENCE_SECONDS = 0.05
# What a new interpreter may take before it begins with the first file.
START_SECONDS = 5.0


class WorkerGoneError(HookdError):
    """The process that ran the hooks ended."""


class WorkerProcess(asyncio.Protocol):
    """One process and the conversation with it."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self._buffer = bytearray()
        self._decoder: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)
        self._messages: deque[FromWorker | None] = deque()
        self._next: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None

    async def connect(self) -> None:
        # From here on the descriptor is the transport's to close.
        channel = socket.socket(fileno=self.started.channel.detach())
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=channel)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            for message in unpacked(self._buffer, MAX_MESSAGE):
                self._take(self._decoder.decode(message))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self.kill()  # a hook has written into the conversation itself

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        self._take(None)

    def _take(self, message: FromWorker | None) -> None:
        self._messages.append(message)
        if self._next is not None and not self._next.done():
            self._next.set_result(None)

    @property
    def alive(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def send(self, message: Load | Job) -> None:
        assert self._transport is not None
        self._transport.write(pack(message))

    async def next_message(self, seconds: float) -> FromWorker:
        """The next message; raises TimeoutError or WorkerGoneError."""
        if not self._messages:
            await self._wait(seconds)
        message = self._messages.popleft()
        if message is None:
            raise WorkerGoneError
        return message

    async def _wait(self, seconds: float) -> None:
        """A queue and asyncio.timeout say the same and take twice as long, while a tool call waits."""
        loop = asyncio.get_running_loop()
        self._next = loop.create_future()
        timer = loop.call_later(seconds, self._give_up, self._next)
        try:
            await self._next
        finally:
            timer.cancel()

    def _give_up(self, waiting: "asyncio.Future[None]") -> None:
        if not waiting.done():
            waiting.set_exception(TimeoutError())

    def kill(self) -> None:
        """Ends the process and everything it started."""
        if self._transport is not None:
            self._transport.abort()
        start_worker.end(self.started)


class HookPool:
    """One loaded set of users' hooks and the processes that run it."""

    def __init__(
        self,
        project: str,
        sources: list[Source],
        *,
        entry_points: bool,
        load_seconds: float,
        head_start: Started | None = None,
        kept: str = "",
        redact: bytes = b"",
    ) -> None:
        """`kept` is where hooks keep things, `redact` how secrets are taken out of it (see `Load`)."""
        self._load = Load(project, list(sources), entry_points, kept=kept, redact=redact)
        self._head_start = head_start
        self._load_seconds = load_seconds
        self._idle: list[WorkerProcess] = []
        self._count = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._closed = False
        self.subscriptions: list[Subscription] = []
        self.faults: list[LoadFault] = []
        self.quarantined: dict[str, str] = {}
        self._stuck: set[tuple[str, str]] = set()

    def spare(self) -> "HookPool":
        """Another pool of the same hooks under the same numbers; its first process starts with its first job.

        What is done in it keeps no event waiting. A hook that is stuck in one is quarantined in both.
        """
        pool = HookPool(self._load.project, [], entry_points=False, load_seconds=self._load_seconds)
        pool._load, pool.subscriptions = self._load, self.subscriptions
        pool.quarantined, pool._stuck = self.quarantined, self._stuck
        return pool

    async def start(self) -> None:
        """Loads the hooks in a first process and learns what they subscribe to."""
        self._idle.append(await self._launch())

    async def _launch(self) -> WorkerProcess:
        """A new process with everything loaded; a file that hangs or kills it is left out for good."""
        self._count += 1
        while True:
            worker = WorkerProcess(self._take_process())
            current = ""
            try:
                await worker.connect()
                worker.send(msgspec.structs.replace(self._load, expected=self.subscriptions))
                while True:
                    match await worker.next_message(self._load_seconds + START_SECONDS * (not current)):
                        case Loading(path):
                            current = path
                        case Loaded(subscriptions, faults):
                            self._learn(subscriptions, faults)
                            return worker
            except (TimeoutError, WorkerGoneError) as error:
                worker.kill()
                self._leave_out(current, error)
            except BaseException:
                worker.kill()
                self._count -= 1
                raise

    def _take_process(self) -> Started:
        started, self._head_start = self._head_start, None
        try:
            return started or start_worker.start(self._load.project)
        except OSError as error:
            self._count -= 1
            raise WorkerGoneError(f"the process for users' hooks cannot start: {error.strerror}") from error

    def _learn(self, subscriptions: list[Subscription], faults: list[LoadFault]) -> None:
        if not self.subscriptions:
            self.subscriptions = subscriptions
        for fault in faults:
            if fault not in self.faults:
                self.faults.append(fault)

    def _leave_out(self, path: str, error: Exception) -> None:
        if not path or self._closed:
            # The process did not even begin: no file is to blame, and trying again would not help.
            self._count -= 1
            raise WorkerGoneError("the process for users' hooks cannot start")
        if isinstance(error, TimeoutError):
            problem = f"did not finish loading within {self._load_seconds:g} s"
        else:
            problem = "ended its process while loading"
        kept = []
        for source in self._load.sources:
            if source.path != path:
                kept.append(source)
            elif source.last_good is not None and source.last_good != source.code:
                kept.append(Source(path, source.last_good))
        self.faults.append(LoadFault(path, problem, kept_last_good=any(s.path == path for s in kept)))
        entry_points = self._load.entry_points
        if kept == self._load.sources:
            if not entry_points:
                self._count -= 1
                raise WorkerGoneError("the process for users' hooks ends, and no file of theirs is to blame")
            entry_points = False  # it came with an installed package and has no source here
        self._load = msgspec.structs.replace(self._load, sources=kept, entry_points=entry_points)

    async def run(self, job: Job, *, until: float, gate: bool) -> list[HookRun]:
        """Runs the job's handlers in order; never raises for what a hook does.

        `until` is when the event's time as a whole is up, on the monotonic clock. One process is kept
        for gates, so that hooks which hang elsewhere do not hold up a tool call.
        """
        runs: list[HookRun] = []
        numbers, deadlines = job.handlers, job.deadlines
        while len(runs) < len(numbers):
            position = len(runs)
            try:
                worker = await self._acquire(MAX_WORKERS if gate else MAX_WORKERS - 1)
            except WorkerGoneError as error:
                missing = (self.subscriptions[number] for number in numbers[position:])
                return runs + [HookRun(subscription, 0, fault=str(error)) for subscription in missing]
            try:
                rest = {"handlers": numbers[position:], "deadlines": deadlines[position:]}
                worker.send(msgspec.structs.replace(job, **rest))
                while position < len(numbers):
                    seconds = min(deadlines[position], until - time.monotonic())
                    match await worker.next_message(max(seconds, 0.001)):
                        case Ran(number, spent, outcomes, fault, lines, sent):
                            handled = self.subscriptions[number]
                            runs.append(HookRun(handled, spent, outcomes, fault, lines=lines, sent=sent))
                            position += 1
            except (TimeoutError, WorkerGoneError) as error:
                runs.append(self._stopped(numbers[position], seconds, deadlines[position], error))
                self._discard(worker)
            except BaseException:
                self._discard(worker)
                raise
            else:
                self._release(worker)
        return runs

    def _stopped(self, number: int, seconds: float, deadline: float, error: Exception) -> HookRun:
        subscription = self.subscriptions[number]
        if isinstance(error, TimeoutError) and seconds < deadline / 2:
            return HookRun(subscription, 0, fault="had no time left after the hooks before it")
        if isinstance(error, TimeoutError):
            fault = f"did not finish within {deadline:g} s and was stopped"
            self.quarantined[subscription.hook] = fault
            self._stuck.add((subscription.file, subscription.hook))
            return HookRun(subscription, deadline * 1000, fault=fault, stuck=True)
        return HookRun(subscription, 0, fault="ended its process")

    def is_quarantined(self, subscription: Subscription) -> bool:
        """Whether this hook was stuck; another file's hook of the same name is not to blame."""
        return (subscription.file, subscription.hook) in self._stuck

    async def _acquire(self, most: int) -> WorkerProcess:
        """A process for one event: an idle one, one that is free soon, or a new one while there are few."""
        while not self._idle and self._count:
            await self._wait_for_turn(most)
            if self._count < most:
                break
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._discard(worker)
        return await self._launch()

    async def _wait_for_turn(self, most: int) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((most, turn))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS if self._count < most else None):
                await turn
        except TimeoutError:
            pass  # everybody is busy: start another
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._wake_one()  # it was our turn; another event can use it
            raise
        finally:
            if (most, turn) in self._waiting:
                self._waiting.remove((most, turn))

    def _release(self, worker: WorkerProcess) -> None:
        if self._closed:
            self._discard(worker)
            return
        self._idle.append(worker)
        self._wake_one()

    def _discard(self, worker: WorkerProcess) -> None:
        worker.kill()
        self._count -= 1
        self._wake_one()

    def _wake_one(self) -> None:
        """Wakes the first who can go on: where only a gate may start a process, it need not be the first."""
        for most, turn in self._waiting:
            if not turn.done() and (self._idle or self._count < most):
                self._waiting.remove((most, turn))
                turn.set_result(None)
                return

    def trim(self) -> None:
        """Lets go of processes that a burst needed and nobody needs now."""
        while len(self._idle) > 1:
            self._idle.pop().kill()
            self._count -= 1

    def close(self) -> None:
        """Ends the idle processes now and busy ones when their event is over."""
        self._closed = True
        for worker in self._idle:
            worker.kill()
        self._count -= len(self._idle)
        self._idle.clear()
