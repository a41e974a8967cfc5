"""What `ctx.exec` and a question to the person give: something to await, and noticed if nobody does.

A plain coroutine is true, so `if not ctx.ui.confirm(...)` without its `await` would let everything pass.
"""

import os
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeVar

from hookd.errors import UsageError

Result = TypeVar("Result", covariant=True)


class NeverAwaitedError(UsageError, AttributeError):
    """A handler took what it has to wait for as the answer itself."""


class Pending(Coroutine[Any, Any, Result]):
    """A coroutine that begins when it is awaited, and that cannot pass for its own result."""

    def __init__(self, what: str, begin: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        """`what` is the call as its author wrote it, such as `ctx.exec`."""
        self._begin = begin
        self._running: Coroutine[Any, Any, Result] | None = None
        caller = sys._getframe(3)  # the line of the hook's author that makes the call
        self._call = f"{what} ({os.path.basename(caller.f_code.co_filename)}, line {caller.f_lineno})"

    @property
    def begun(self) -> bool:
        return self._running is not None

    @property
    def never_awaited(self) -> NeverAwaitedError:
        """What is wrong if the handler goes on, or ends, without the result."""
        return NeverAwaitedError(
            f"{self._call} was never awaited: await it, or use ctx.wait in a handler that is not async"
        )

    def __await__(self) -> Generator[Any, Any, Result]:
        return self._coroutine().__await__()

    def send(self, value: Any, /) -> Any:
        return self._coroutine().send(value)

    def throw(self, *error: Any) -> Any:
        return self._coroutine().throw(*error)

    def close(self) -> None:
        if self._running is not None:
            self._running.close()

    def __bool__(self) -> bool:
        raise self.never_awaited

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "cr_", "gi_")):  # asyncio asks for these when it describes a task
            raise AttributeError(name)
        raise self.never_awaited

    def _coroutine(self) -> Coroutine[Any, Any, Result]:
        if self._running is None:
            self._running = self._begin()
        return self._running


class Pendings:
    """What one handler has to wait for during one event."""

    def __init__(self) -> None:
        self._all: list[Pending[Any]] = []

    def make(self, what: str, begin: Callable[[], Coroutine[Any, Any, Result]]) -> Pending[Result]:
        """For the method that a handler calls, and nobody between them: the handler's line is noted."""
        pending = Pending(what, begin)
        self._all.append(pending)
        return pending

    def check(self) -> None:
        """Raises for the first that was never awaited; the next handler begins without any."""
        made, self._all = self._all, []
        for pending in made:
            if not pending.begun:
                raise pending.never_awaited
