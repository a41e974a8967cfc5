"""The process that runs users' hooks: one event at a time, so that the hook that hangs is known.

The daemon kills this process when a hook passes its deadline; nothing else is lost with it.
"""

import contextlib
import contextvars
import fcntl
import os
import re
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.errors import HookdError
from hookd.events.codec import get_ready
from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.hook_loader import describe, handlers_of, register_of
from hookd.hooks.invoke import HookRun, called, invoke_in_job
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.parts import AgentKit
from hookd.hooks.messages import Job, Load, Loaded, LoadFault, Loading, Ran, Source, ToWorker, pack, unpacked

if TYPE_CHECKING:
    import asyncio

    from hookd.redact.redactor import Redactor

ENTRY_POINT_GROUP = "hookd.hooks"
ROOM = 1 << 16
_WAITS = re.compile(rb"\bawait\b|\basync\s+(with|for)\b")


def main() -> None:
    """Serves the socket whose descriptor is the first argument, until it closes."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    _die_with_daemon(int(sys.argv[2]))
    sys.setswitchinterval(0.001)
    worker = Worker(channel.sendall)
    decoder = msgspec.msgpack.Decoder(ToWorker)
    get_ready()
    buffer = bytearray()
    while data := channel.recv(ROOM):
        buffer += data
        for message in unpacked(buffer):
            match decoder.decode(message):
                case Load() as load:
                    worker.load(load)
                case Job() as job:
                    worker.run(job)


def _die_with_daemon(lifeline: int) -> None:
    """Ends this process and its children when the daemon is gone, even while a hook loops."""
    threading.Thread(target=_wait_for_the_end, args=(lifeline,), daemon=True).start()
    if hasattr(fcntl, "F_SETSIG"):
        # A hook that is busy in C code keeps the thread from running; the kernel asks nobody.
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _wait_for_the_end(lifeline: int) -> None:
    with contextlib.suppress(OSError):
        os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


class Worker:
    """The loaded hooks and how to call them."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._runner: asyncio.Runner | None = None
        self.handlers: list[tuple[Subscription, Handler]] = []
        self._numbered: dict[int, tuple[Subscription, Handler]] = {}
        self._kept: Path | None = None
        self._redact = b""
        self._redactor: Redactor | None = None

    def load(self, load: Load) -> None:
        self._kept = Path(load.kept) if load.kept else None
        self._redact = load.redact
        faults: list[LoadFault] = []
        if load.entry_points or any(
            _WAITS.search(source.code + (source.last_good or b"")) for source in load.sources
        ):
            self._start_runner()
        for source in load.sources:
            self._send(pack(Loading(source.path)))
            faults += self._load_source(source, load.project)
        if load.entry_points:
            import importlib.metadata  # costs more than all the rest; only here where it is needed

            for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
                self._send(pack(Loading(point.value)))
                faults += self._register(point.value, load.project, point.name, point.load)
        subscriptions = [subscription for subscription, _ in self.handlers]
        self._number(load.expected or subscriptions)
        self._send(pack(Loaded(subscriptions, faults)))

    def _number(self, expected: list[Subscription]) -> None:
        """Finds each expected handler by what it is: a file may not load the same way twice."""
        left = list(self.handlers)
        for number, subscription in enumerate(expected):
            place = next((i for i, (found, _) in enumerate(left) if found == subscription), None)
            if place is not None:
                self._numbered[number] = left.pop(place)

    def _load_source(self, source: Source, project: str) -> list[LoadFault]:
        name = Path(source.path).stem
        faults = self._register(source.path, project, name, lambda: register_of(source.path, source.code))
        if faults and source.last_good is not None:
            good = source.last_good
            again = self._register(source.path, project, name, lambda: register_of(source.path, good))
            return [LoadFault(source.path, faults[0].problem, kept_last_good=not again)]
        return faults

    def _register(
        self, path: str, project: str, name: str, find: Callable[[], Callable[[HookAPI], object]]
    ) -> list[LoadFault]:
        try:
            self.handlers += handlers_of(find(), path, name, project)
        except BaseException as error:  # noqa: BLE001 - a hook file may do anything, sys.exit included
            return [LoadFault(path, describe(error, path, loading=True), kept_last_good=False)]
        return []

    def run(self, job: Job) -> None:
        for number, seconds in zip(job.handlers, job.deadlines, strict=True):
            if number in self._numbered:
                self._send(pack(self._ran(number, seconds, job)))
            else:
                self._send(pack(Ran(number, 0, fault="could not be loaded again")))

    def _ran(self, number: int, seconds: float, job: Job) -> Ran:
        subscription, handler = self._numbered[number]
        patience, redact = Patience(seconds), self._without_secrets
        kit = AgentKit(subscription, patience=patience, folder=self._kept, redact=redact, wait=self._wait)
        # A hook may do anything, sys.exit included; this process goes on.
        run: HookRun = _driven(
            invoke_in_job(job, subscription, handler, kit, self._answer, caught=(BaseException,))
        )
        return Ran(number, run.milliseconds, run.outcomes, run.fault, run.lines, run.sent)

    def _without_secrets(self, value: Any) -> Any:
        if self._redactor is None:
            from hookd.config import Redact
            from hookd.redact.redactor import Redactor  # a tenth of a second, and few hooks keep anything

            settings = msgspec.msgpack.decode(self._redact, type=Redact) if self._redact else Redact()
            self._redactor = Redactor(settings)
        return self._redactor.value(value)

    def _answer(self, handler: Handler, subject: Any, context: Context | None) -> Any:
        """The place of the handlers here; the daemon keeps their time."""
        answer = called(handler, subject, context)
        if isinstance(answer, types.CoroutineType):
            # One whose file never awaits needs no event loop.
            return _driven(answer) if self._runner is None else self._wait(answer)
        if isinstance(answer, Coroutine):
            return self._wait(answer)  # such as ctx.exec(...), returned as it is
        return answer

    def _start_runner(self) -> None:
        # A third of this process's start, and most hooks never wait for anything.
        import asyncio

        self._runner = asyncio.Runner()

    def _wait(self, coroutine: Any) -> Any:
        if self._runner is None:
            self._start_runner()
        assert self._runner is not None
        # The runner's own would still be the one in which it was made.
        return self._runner.run(coroutine, context=contextvars.copy_context())


def _driven(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise HookdError("waits for something that hookd does not know")


if __name__ == "__main__":
    main()
