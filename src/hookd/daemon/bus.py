"""What happens in a service, told to its subscribers as it happens: pages that are open, mostly."""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

MOST_RECENT = 200
MOST_QUEUED = 500


class Answered(msgspec.Struct, frozen=True):
    """An event that was answered."""

    at: float
    event: str
    tool: str
    verdict: str
    by: str
    ms: float
    session: str


class PendingDecision(msgspec.Struct, frozen=True):
    """A call that a person has to decide on; the agent asks."""

    at: float
    tool: str
    by: str
    reason: str
    session: str


class ProblemNoted(msgspec.Struct, frozen=True):
    """Something that a person should know of."""

    at: float
    kind: str
    what: str


class SessionBegan(msgspec.Struct, frozen=True):
    """A session's first event here; it may have begun under another daemon."""

    at: float
    session: str
    agent: str


class SessionEnded(msgspec.Struct, frozen=True):
    """A session that the agent has ended."""

    at: float
    session: str
    reason: str


class Lost(msgspec.Struct, frozen=True):
    """So many notices were dropped here: the subscriber took too long."""

    count: int


Notice = Answered | PendingDecision | ProblemNoted | SessionBegan | SessionEnded


class Subscriber:
    """An async iterator over what is published from now on; of what waits for it, the newest are kept."""

    def __init__(self, most: int) -> None:
        self._queue: deque[Notice] = deque(maxlen=most)
        self._lost = 0
        self._more = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def take(self, notice: Notice) -> None:
        """Safe in any thread."""
        if threading.get_ident() == self._thread:
            self._put(notice)
        else:
            with suppress(RuntimeError):  # the loop has ended, and with it the subscriber
                self._loop.call_soon_threadsafe(self._put, notice)

    def _put(self, notice: Notice) -> None:
        self._lost += len(self._queue) == self._queue.maxlen
        self._queue.append(notice)
        self._more.set()

    def __aiter__(self) -> "Subscriber":
        return self

    async def __anext__(self) -> Notice | Lost:
        while not self._queue:
            self._more.clear()
            await self._more.wait()
        if self._lost:
            lost, self._lost = Lost(self._lost), 0
            return lost
        return self._queue.popleft()


class Bus:
    """A service's notices; usually nobody subscribes, and then most are not even made."""

    def __init__(self) -> None:
        self.subscribers: tuple[Subscriber, ...] = ()
        self.recent: deque[Answered] = deque(maxlen=MOST_RECENT)
        """What was answered last, kept for `status` and for a page that is opened now."""

    def publish(self, notice: Notice) -> None:
        """Tells every subscriber; safe in any thread, and nobody is waited for."""
        for subscriber in self.subscribers:
            subscriber.take(notice)

    def answered(self, notice: Answered) -> None:
        self.recent.append(notice)
        self.publish(notice)

    @contextmanager
    def subscribe(self, most: int = MOST_QUEUED) -> Iterator[Subscriber]:
        """A subscription that ends with the `with` block, however that is left."""
        subscriber = Subscriber(most)
        # A new tuple each time: a thread that publishes goes through the one it has.
        self.subscribers = (*self.subscribers, subscriber)
        try:
            yield subscriber
        finally:
            self.subscribers = tuple(each for each in self.subscribers if each is not subscriber)
