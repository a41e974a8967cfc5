"""How a handler is ended: by a time limit that stands still while a person is asked, or by its question."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class HungError(TimeoutError):
    """A handler did not come back in time."""


class QuestionForTheAgent(BaseException):
    """A handler's question that the agent is to ask; the handler ends here."""


class Patience:
    """`async with Patience(5) as patience:` raises HungError after 5 s, less what was `paused`."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._left = 0.0
        self._questions = 0
        self._timeout: asyncio.Timeout | None = None

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._left if self._questions else self._until - time.monotonic()

    @property
    def hung(self) -> HungError:
        """What to raise for a handler whose time is up."""
        return HungError(f"did not finish within {self._seconds:g} s")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While inside, no time passes; several questions may wait at once."""
        if not self._questions:
            self._left = self.left
            self._set(None)
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            if not self._questions:
                self._until = time.monotonic() + self._left
                self._set(self._left)

    def _set(self, seconds: float | None) -> None:
        if self._timeout is not None and not self._timeout.expired():
            import asyncio  # there long since, where anything waits

            endless = seconds is None or math.isinf(seconds)
            self._timeout.reschedule(None if endless else asyncio.get_running_loop().time() + (seconds or 0))

    async def __aenter__(self) -> "Patience":
        import asyncio

        self._timeout = asyncio.timeout(None if math.isinf(self.left) else max(self.left, 0))
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        timeout, self._timeout = self._timeout, None
        assert timeout is not None
        try:
            await timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise self.hung from None
