"""The process that runs users' hooks: one event at a time, so that whoever hangs is known.

The daemon kills this process when a hook passes its deadline; nothing else is lost with it.
"""

import contextlib
import os
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
from hookd.events.outcome import Outcome
from hookd.events.stable import stable_events
from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.hooks.messages import (
    LENGTH,
    MAX_MESSAGE,
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

if TYPE_CHECKING:
    import asyncio

ENTRY_POINT_GROUP = "hookd.hooks"
# inspect.CO_COROUTINE, without the import of inspect.
CO_COROUTINE = 0x80


def main() -> None:
    """Serves the socket whose descriptor is the first argument, until it closes."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_die_with_parent, args=(int(sys.argv[2]),), daemon=True).start()
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


def _die_with_parent(lifeline: int) -> None:
    """Ends this process and its children when the daemon is gone, even while a hook loops."""
    with contextlib.suppress(OSError):
        os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


class Worker:
    """The loaded hooks and how to call them."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._runner: asyncio.Runner | None = None
        self.handlers: list[tuple[Subscription, Handler]] = []

    def load(self, load: Load) -> None:
        faults: list[LoadFault] = []
        for source in load.sources:
            self._send(pack(Loading(source.path)))
            faults += self._load_source(source, load.project)
        if load.entry_points:
            import importlib.metadata  # costs more than all the rest; only here where it is needed

            for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
                self._send(pack(Loading(point.value)))
                faults += self._register(point.value, load.project, point.name, point.load)
        self._send(pack(Loaded([subscription for subscription, _ in self.handlers], faults)))
        if any(
            handler.__code__.co_flags & CO_COROUTINE
            for _, handler in self.handlers
            if hasattr(handler, "__code__")
        ):
            self._start_runner()  # now, while nobody waits

    def _load_source(self, source: Source, project: str) -> list[LoadFault]:
        name = Path(source.path).stem
        faults = self._register(source.path, project, name, lambda: _execute(source.path, source.code))
        if faults and source.last_good is not None:
            good = source.last_good
            again = self._register(source.path, project, name, lambda: _execute(source.path, good))
            return [LoadFault(source.path, faults[0].problem, kept_last_good=not again)]
        return faults

    def _register(
        self, path: str, project: str, name: str, find: Callable[[], Callable[[HookAPI], None]]
    ) -> list[LoadFault]:
        api = HookAPI(path, name, project)
        try:
            find()(api)
        except BaseException as error:  # noqa: BLE001 - a hook file may do anything, sys.exit included
            return [LoadFault(path, describe(error, path), kept_last_good=False)]
        self.handlers += api.handlers
        return []

    def run(self, job: Job) -> None:
        event, _ = decode(job.payload)
        named: dict[str, Any] = {event.name: event}
        named |= stable_events(event, turn=job.context.turn_index, previous_path=job.previous_path)
        for number in job.handlers:
            subscription, handler = self.handlers[number]
            job.context.lines.clear()
            began = time.perf_counter()
            outcomes: list[Outcome] = []
            fault = None
            try:
                answer = handler(named[subscription.event], job.context)
                if isinstance(answer, types.CoroutineType):
                    answer = self._start_runner().run(answer)
                outcomes = _outcomes(answer, subscription.hook)
            except BaseException as error:  # noqa: BLE001 - see _register
                fault = describe(error, subscription.file)
            spent = (time.perf_counter() - began) * 1000
            reply = pack(Ran(number, spent, outcomes, fault, job.context.lines))
            if len(reply) > MAX_MESSAGE:
                reply = pack(Ran(number, spent, [], f"answered with {len(reply):,} bytes"))
            self._send(reply)

    def _start_runner(self) -> "asyncio.Runner":
        if self._runner is None:
            import asyncio  # many hooks are plain functions and never need it

            self._runner = asyncio.Runner()
            self._runner.get_loop()
        return self._runner


def _execute(path: str, code: bytes) -> Callable[[HookAPI], None]:
    """Runs a hook file from the bytes that were checked, never from the disk again."""
    module = types.ModuleType(f"hookd_hook_{Path(path).stem}")
    module.__file__ = path
    exec(compile(code, path, "exec"), module.__dict__)
    register = getattr(module, "register", None)
    if not callable(register):
        raise TypeError("the file has no function register(hookd)")
    return register  # type: ignore[no-any-return]


def _outcomes(answer: Any, hook: str) -> list[Outcome]:
    answers = answer if isinstance(answer, list | tuple) else [] if answer is None else [answer]
    for item in answers:
        if not isinstance(item, Outcome):
            raise TypeError(f"a handler returns an outcome or None, not {type(item).__name__}")
    return [_sourced(item, hook) for item in answers]


def _sourced(outcome: Outcome, hook: str) -> Outcome:
    return msgspec.structs.replace(outcome, source=hook)


# Errors of hook code whose text is about the code, not about the data that flowed through it.
_SAFE_TEXT = (SyntaxError, ImportError, TypeError, AttributeError, NameError)


def describe(error: BaseException, file: str) -> str:
    """What happened and where; never an arbitrary exception's text, which may quote a secret."""
    line = next(
        (
            frame.lineno
            for frame in reversed(traceback.extract_tb(error.__traceback__))
            if frame.filename == file
        ),
        error.lineno if isinstance(error, SyntaxError) else None,
    )
    text = f"{type(error).__name__}"
    if isinstance(error, _SAFE_TEXT):
        text += f": {error.msg if isinstance(error, SyntaxError) else error}"
    elif isinstance(error, HookdError):
        text = str(error)
    return f"{text} (line {line})" if line else text


if __name__ == "__main__":
    main()
