"""What was asked and what it cost: answers that still hold, and budgets, for all processes and restarts."""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

from hookd import config
from hookd.errors import ModelError, StoreError
from hookd.llm.answer import ModelAnswer
from hookd.llm.repository import Kept, ModelAnswers, Spent, migrations
from hookd.store.database import Database
from hookd.store.engine import Store

Item = TypeVar("Item")

# A store that is busy for longer is done without: an agent waits.
STORE_SECONDS = 2.0
BUDGET_DAYS = 30
MOST_REMEMBERED = 1000


class BudgetError(ModelError):
    """The session's budget for the model is used up."""


class Booking(NamedTuple):
    """One call that a session's budget had room for, and the most that it can cost."""

    session: str
    usd: float


class Ledger:
    """Books calls and keeps answers; a store that cannot be used is replaced by this process's memory."""

    def __init__(
        self, settings: config.Model, store: Store | None, clock: Callable[[], float] = time.time
    ) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._answers: dict[str, Kept] = {}
        self._spent: dict[str, Spent] = {}
        self._owed: dict[str, Spent] = {}
        """What the store has not been told yet."""
        self._owed_lock = threading.Lock()
        self.spent_usd = 0.0
        """What this process's calls have cost; where that is not known, the most they can have cost."""
        self.trouble = ""
        """Why the store cannot be used at the moment."""
        if store is not None:
            store.adopt(list(migrations()))

    def known(self, key: str) -> ModelAnswer | None:
        """The answer that this process has."""
        kept, now = self._answers.get(key), self._clock()
        if kept is None or not now < kept.until <= now + self._settings.cache_hours * 3600:
            return None
        return kept.answer

    async def claim(self, key: str, session: str, usd: float) -> ModelAnswer | Booking:
        """An answer that another process has left, or else a call for at most so much; raises BudgetError."""
        session = self._hashed(session)
        found = await self._claimed(key, session, usd)
        if isinstance(found, Kept):
            _put(self._answers, key, found)
            return found.answer
        if found is None:
            found = self._booked(self._spent.get(session, Spent()), usd)
            self._owe(session, 1, usd)
        _put(self._spent, session, found)
        self.spent_usd += usd
        return Booking(session, usd)

    async def _claimed(self, key: str, session: str, usd: float) -> Spent | Kept | None:
        """What the store says; nothing if it cannot be asked."""
        if self._store is None:
            return None
        self._tell(session)
        # Who takes it books the call: the store, or the caller that has stopped waiting for it; never both.
        turn = threading.Lock()

        def claim(db: Database) -> Spent | Kept | None:
            return self._claim(db, key, session, usd) if turn.acquire(blocking=False) else None

        try:
            job = asyncio.wrap_future(self._store.submit(claim))
            try:
                found = await asyncio.wait_for(asyncio.shield(job), STORE_SECONDS)
            except TimeoutError:
                if turn.acquire(blocking=False):
                    raise
                found = await job  # it has just begun
        except (StoreError, OSError, TimeoutError) as error:
            self.trouble = f"the store cannot be used ({str(error) or type(error).__name__})"
            return None
        self.trouble = ""
        return found

    def _claim(self, db: Database, key: str, session: str, usd: float) -> Spent | Kept:
        answers, now = ModelAnswers(db), self._clock()
        since = now - self._settings.cache_hours * 3600
        if (kept := answers.answer(key, since=since, now=now)) is not None:
            return kept
        spent = self._booked(answers.spent(session), usd)
        answers.spend(session, 1, usd, now)
        return spent

    def _booked(self, spent: Spent, usd: float) -> Spent:
        calls, dollars = self._settings.max_calls_per_session, self._settings.max_usd_per_session
        if calls and spent.calls + 1 > calls:
            raise BudgetError(
                f"the model was asked {spent.calls} times in this session",
                hint="model.max_calls_per_session is the limit",
            )
        if dollars and usd and spent.usd + usd > dollars:
            raise BudgetError(
                f"this session's answers cost {spent.usd:.4f} US dollars, and one more could cost {usd:.4f}",
                hint="model.max_usd_per_session is the limit",
            )
        return spent.plus(1, usd)

    def settle(self, booking: Booking, usd: float) -> None:
        """The call has cost so much."""
        self._correct(booking, calls=0, usd=usd - booking.usd)

    def release(self, booking: Booking) -> None:
        """Nobody has worked on it."""
        self._correct(booking, calls=-1, usd=-booking.usd)

    def keep(self, key: str, answer: ModelAnswer, model: str) -> None:
        """The answer holds for a while."""
        now, hours = self._clock(), self._settings.cache_hours
        if not hours:
            return
        kept = Kept(now + hours * 3600, answer)
        _put(self._answers, key, kept)

        def write(answers: ModelAnswers) -> None:
            answers.keep(key, kept, model, now)
            answers.forget_old(now, BUDGET_DAYS)

        self._write(write)

    def _correct(self, booking: Booking, calls: int, usd: float) -> None:
        self.spent_usd += usd
        _put(self._spent, booking.session, self._spent.get(booking.session, Spent()).plus(calls, usd))
        self._owe(booking.session, calls, usd)
        self._tell(booking.session)

    def _owe(self, session: str, calls: int, usd: float) -> None:
        with self._owed_lock:
            _put(self._owed, session, self._owed.get(session, Spent()).plus(calls, usd))

    def _tell(self, session: str) -> None:
        """Tells the store what it does not know yet; if it cannot be told, that is owed again."""
        with self._owed_lock:
            owed = self._owed.pop(session, None)
        if owed is not None:
            now = self._clock()
            self._write(
                lambda answers: answers.spend(session, owed.calls, owed.usd, now),
                otherwise=lambda: self._owe(session, *owed),
            )

    def _write(
        self, write: Callable[[ModelAnswers], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """Nobody waits for it: a call was booked before it was made."""
        if self._store is None:
            return

        def ended(done: "Future[None]") -> None:
            if (error := done.exception()) is not None:
                self.trouble = f"the store cannot be used ({error})"
                if otherwise is not None:
                    otherwise()

        self._store.submit(lambda db: write(ModelAnswers(db))).add_done_callback(ended)

    def _hashed(self, session: str) -> str:
        # Calls outside of any session share a budget for the day.
        name = f"session {session}" if session else time.strftime("day %Y-%m-%d", time.gmtime(self._clock()))
        return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _put(memory: dict[str, Item], key: str, item: Item) -> None:
    """Remembers the item in place of the oldest."""
    memory.pop(key, None)
    memory[key] = item
    if len(memory) > MOST_REMEMBERED:
        del memory[next(iter(memory))]
