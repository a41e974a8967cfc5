"""The process that runs users' hooks: one event at a time, so that whoever hangs is known.

The daemon kills this process when a hook passes its deadline; nothing else is lost with it.
"""

import contextlib
import fcntl
import opcode
import os
import re
import signal
import socket
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.errors import HookdError
from hookd.events.codec import decode
from hookd.events.outcome import Outcome, sourced
from hookd.events.stable import stable_events
from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.hooks.messages import (
    LENGTH,
    MAX_ANSWER,
    Job,
    Load,
    Loaded,
    LoadFault,
    Loading,
    Ran,
    Source,
    pack,
    to_worker,
)
from hookd.paths import as_text

if TYPE_CHECKING:
    import asyncio

ENTRY_POINT_GROUP = "hookd.hooks"
_WAITS = re.compile(rb"\bawait\b|\basync\s+(with|for)\b")


def main() -> None:
    """Serves the socket whose descriptor is the first argument, until it closes."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    _die_with_daemon(int(sys.argv[2]))
    sys.setswitchinterval(0.001)
    worker = Worker(channel.sendall)
    while (message := _receive(channel)) is not None:
        match to_worker.decode(message):
            case Load() as load:
                worker.load(load)
            case Job() as job:
                worker.run(job)


def _receive(channel: socket.socket) -> bytes | None:
    prefix = _receive_exactly(channel, LENGTH.size)
    return _receive_exactly(channel, LENGTH.unpack(prefix)[0]) if prefix else None


def _receive_exactly(channel: socket.socket, count: int) -> bytes:
    data = channel.recv(count)
    if data and len(data) < count:
        parts = [data]
        missing = count - len(data)
        while missing and (part := channel.recv(min(missing, 1 << 20))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts) if not missing else b""
    return data


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

    def load(self, load: Load) -> None:
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
        faults = self._register(source.path, project, name, lambda: _execute(source.path, source.code))
        if faults and source.last_good is not None:
            good = source.last_good
            again = self._register(source.path, project, name, lambda: _execute(source.path, good))
            return [LoadFault(source.path, faults[0].problem, kept_last_good=not again)]
        return faults

    def _register(
        self, path: str, project: str, name: str, find: Callable[[], Callable[[HookAPI], object]]
    ) -> list[LoadFault]:
        api = HookAPI(path, name, project)
        try:
            if isinstance(never_run := find()(api), types.CoroutineType):
                never_run.close()
                raise TypeError("register is async; make it a plain function")
        except BaseException as error:  # noqa: BLE001 - a hook file may do anything, sys.exit included
            return [LoadFault(path, describe(error, path, loading=True), kept_last_good=False)]
        self.handlers += api.handlers
        return []

    def run(self, job: Job) -> None:
        for number in job.handlers:
            job.context.lines.clear()
            began = time.perf_counter()
            outcomes: list[Outcome] = []
            fault = None
            try:
                outcomes = self._call(number, job)
            except BaseException as error:  # noqa: BLE001 - see _register
                file = self._numbered[number][0].file if number in self._numbered else ""
                fault = describe(error, file)
            spent = (time.perf_counter() - began) * 1000
            self._send(pack(Ran(number, spent, outcomes, fault, job.context.lines)))

    def _call(self, number: int, job: Job) -> list[Outcome]:
        if number not in self._numbered:
            raise HookdError("could not be loaded again")
        subscription, handler = self._numbered[number]
        # Decoded for each handler: what one does to its event must not change what the next one judges.
        event, _ = decode(job.payload)
        named: dict[str, Any] = {event.name: event}
        named |= stable_events(event, turn=job.context.turn_index, previous_path=job.previous_path)
        answer = handler(named[subscription.event], job.context)
        if isinstance(answer, types.CoroutineType):
            answer = self._finish(answer)
        return _outcomes(answer, subscription.hook)

    def _start_runner(self) -> None:
        # A third of this process's start, and most hooks never wait for anything.
        import asyncio

        self._runner = asyncio.Runner()

    def _finish(self, coroutine: Any) -> Any:
        """What an async handler returns; one whose file never awaits needs no event loop for that."""
        if self._runner is not None:
            return self._runner.run(coroutine)
        try:
            coroutine.send(None)
        except StopIteration as done:
            return done.value
        raise HookdError("waits for something that hookd does not know")


def _execute(path: str, code: bytes) -> Callable[[HookAPI], object]:
    """Runs a hook file from the bytes that were checked, never from the disk again."""
    module = types.ModuleType(f"hookd_hook_{Path(path).stem}")
    module.__file__ = path
    exec(compile(code, path, "exec"), module.__dict__)
    register = getattr(module, "register", None)
    if not callable(register):
        raise TypeError("the file has no function register(hookd)")
    return register  # type: ignore[no-any-return]


def _outcomes(answer: Any, hook: str) -> list[Outcome]:
    if answer is None:
        return []
    answers = answer if isinstance(answer, list | tuple) else [answer]
    for item in answers:
        if not isinstance(item, Outcome):
            raise HookdError(f"a handler returns an outcome or None, not {type(item).__name__}")
    outcomes = sourced(answers, hook)
    # Nothing has looked yet at what the author put into them, and here the fault still has a name.
    try:
        encoded = msgspec.msgpack.encode(outcomes)
        if len(encoded) > MAX_ANSWER:
            raise HookdError(f"answered with {len(encoded):,} bytes")
        return msgspec.msgpack.decode(encoded, type=list[Outcome])
    except (TypeError, msgspec.ValidationError) as error:  # these name types and places, never values
        raise HookdError(f"answered with the wrong types: {error}") from None


# Errors whose text names types and attributes, if the interpreter and not the hook wrote it.
_ABOUT_CODE = (SyntaxError, ImportError, TypeError, AttributeError, NameError)
_RAISE = opcode.opmap["RAISE_VARARGS"]


def describe(error: BaseException, file: str, *, loading: bool = False) -> str:
    """What happened and where; not what an event's handler raised, which may quote a secret."""
    lines = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file
    ]
    line = lines[-1] if lines else error.lineno if isinstance(error, SyntaxError) else None
    text = f"{type(error).__name__}"
    if isinstance(error, _ABOUT_CODE) and (loading or not _raised_by_hand(error)):
        text += f": {error.msg if isinstance(error, SyntaxError) else error}"
    elif isinstance(error, HookdError):
        text = str(error)
    text = as_text(text[:500])
    return f"{text} (line {line})" if line else text


def _raised_by_hand(error: BaseException) -> bool:
    """Whether a `raise` statement was at work, which can put anything into an error's text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is None or last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE


if __name__ == "__main__":
    main()
