"""Threads for functions that may block: kept for the next one, and no reason for a process not to end."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]
_idle: list["_Worker"] = []
_lock = threading.Lock()


class _Worker(threading.Thread):
    """Waits for a job, does it, and waits again."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="hookd-handler")
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            function, loop, future = self.jobs.get()
            try:
                result, error = function(), None
            except BaseException as raised:  # noqa: BLE001 - the caller that waits gets it, whatever it is
                result, error = None, raised
            with _lock:
                _idle.append(self)
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_settle, future, result, error)


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if isinstance(error, Exception) and not isinstance(error, StopIteration):  # a future takes no such error
        future.set_exception(error)
    elif error is not None:
        future.set_exception(RuntimeError(f"the function ended with {type(error).__name__}"))
    else:
        future.set_result(result)


async def in_thread(function: Callable[[], Any]) -> Any:
    """The function's result; if it does not come back, only its own thread is lost."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    with _lock:
        worker = _idle.pop() if _idle else None
    (worker or _Worker()).jobs.put((function, loop, future))
    return await future


def run_and_leave(
    work: Coroutine[Any, Any, T],
    rest: Callable[[], Coroutine[Any, Any, None]],
    is_busy: Callable[[asyncio.AbstractEventLoop], bool],
) -> T:
    """Runs a coroutine in a loop of its own; if that is still busy, it goes on in a thread with the rest."""
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    left = False
    try:
        result = runner.run(work)
        left = is_busy(runner.get_loop())
    finally:
        if not left:
            runner.close()

    def go_on() -> None:
        with runner:
            runner.run(rest())

    if left:
        threading.Thread(target=go_on, name="hookd-background", daemon=True).start()
    return result


def in_new_thread(function: Callable[[], T]) -> T:
    """The function's result, from a thread that has no event loop yet."""
    done: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            done.set_result(function())
        except BaseException as raised:  # noqa: BLE001 - the caller that waits gets it, whatever it is
            done.set_exception(raised)

    threading.Thread(target=run, name="hookd-sync", daemon=True).start()
    return done.result()


def run_to_end(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine, for a caller that may itself run on a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    return in_new_thread(lambda: asyncio.run(make()))
