"""The judge: one question at a time per call, within a budget, and with a memory of what was answered."""

import asyncio
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from hookd import config
from hookd.errors import ModelError
from hookd.llm.answer import ModelAnswer, read_answer
from hookd.llm.breaker import Breaker
from hookd.llm.ledger import Ledger
from hookd.llm.narrative import Retelling
from hookd.llm.prompt import Prompt, Question
from hookd.llm.provider import Asked, Completion, NotServedError, Price, Provider, price_of
from hookd.llm.providers import provider_for
from hookd.redact.redactor import Redactor
from hookd.store.engine import Store

__all__ = ["Evaluator", "Judgement", "Question"]

Said = TypeVar("Said")

# An agent may make many calls at once; so many programs or connections are enough.
MOST_AT_ONCE = 8
SHOWN = 500


class Judgement(NamedTuple):
    """What the model says about a call."""

    verdict: str
    confidence: float
    reason: str
    cached: bool
    """Whether no request was made for it."""
    model: str
    cost_usd: float | None
    """Nothing if the model's price or the answer's size is not known."""


class Paid(NamedTuple):
    """What a call took, as far as the provider says, and what that costs, if a price is known."""

    session: str
    model: str
    input: int | None
    output: int | None
    usd: float | None


class Evaluator:
    """Asks the configured model; whatever goes wrong is a ModelError, and then the caller asks the person."""

    def __init__(
        self,
        settings: config.Model,
        redactor: Redactor,
        store: Store | None,
        *,
        clock: Callable[[], float] = time.time,
        paid: Callable[[Paid], object] = lambda _paid: None,
    ) -> None:
        """`paid` is told of each call that was answered."""
        self._settings = settings
        self._tell_paid = paid
        self._redactor = redactor
        self._clock = clock
        self._ledger = Ledger(settings, store if self.configured else None, clock)
        self._breaker = Breaker()
        self._provider: Provider | None = None
        self._running: dict[str, asyncio.Task[Judgement]] = {}
        self._counts = {"calls": 0, "cached": 0, "failures": 0}
        self._last_success: float | None = None
        self._last_error: dict[str, Any] | None = None

    @property
    def configured(self) -> bool:
        return bool(self._settings.provider)

    async def judge(self, question: Question, *, session: str, timeout: float) -> Judgement:
        """The model's judgement; raises ModelError if there is none within the time."""
        provider = self._made_provider()
        prompt = Prompt(question, self._redactor)
        key = self._key(prompt, provider)
        if (known := self._ledger.known(key)) is not None:
            return self._remembered(known, provider)
        running = self._running.get(key)
        task = running or self._start(provider, prompt, key, session)
        limit = min(timeout, self._settings.timeout_seconds)
        try:
            async with asyncio.timeout(limit):
                # Whoever stops waiting does not stop the others, and the answer is kept for the next.
                judgement = await asyncio.shield(task)
        except TimeoutError:
            raise ModelError(f"{provider.name} did not answer within {limit:g} s") from None
        if running is None:
            return judgement
        self._counts["cached"] += 1
        return judgement._replace(cached=True, cost_usd=0.0)

    async def retell(self, facts: Retelling, *, session: str) -> str:
        """The model's paragraph, counted like any question; raises ModelError if there is none."""
        provider = self._made_provider()
        found = await self._ask(provider, facts, self._key(facts, provider), facts.read, session)
        if isinstance(found, ModelAnswer):
            raise ModelError("the answer that is kept for these facts is a verdict")
        return self._redactor.text(found[0])

    def _key(self, asked: Prompt | Retelling, provider: Provider) -> str:
        settings = self._settings
        return asked.key(settings.provider, settings.base_url, *settings.command, provider.name)

    def _made_provider(self) -> Provider:
        if self._provider is None:
            try:
                self._provider = provider_for(self._settings)
            except ModelError as error:
                self._last_error = {"at": self._clock(), "what": str(error)}
                raise
        return self._provider

    def _start(self, provider: Provider, prompt: Prompt, key: str, session: str) -> asyncio.Task[Judgement]:
        if len(self._running) >= MOST_AT_ONCE:
            raise ModelError(f"{provider.name} is being asked {MOST_AT_ONCE} questions already")
        task = asyncio.create_task(self._evaluate(provider, prompt, key, session))
        self._running[key] = task

        def ended(done: asyncio.Task[Judgement]) -> None:
            del self._running[key]
            if not done.cancelled():
                done.exception()  # the caller that waited has it; if nobody did any more, it is in `health`

        task.add_done_callback(ended)
        return task

    async def _evaluate(self, provider: Provider, prompt: Prompt, key: str, session: str) -> Judgement:
        found = await self._ask(provider, prompt, key, read_answer, session)
        if isinstance(found, ModelAnswer):
            return self._remembered(found, provider)
        answer, cost = found
        answer = answer._replace(reason=self._redactor.text(answer.reason))
        self._ledger.keep(key, answer, provider.name)
        return Judgement(*answer, cached=False, model=provider.name, cost_usd=cost)

    async def _ask(
        self, provider: Provider, prompt: Asked, key: str, read: Callable[[str], Said], session: str
    ) -> ModelAnswer | tuple[Said, float | None]:
        """What the model said, and what that has cost, or what another process was told; failures count."""
        self._breaker.check()
        price = self._price()
        booking = await self._ledger.claim(key, session, price.at_most(prompt) if price else 0.0)
        if isinstance(booking, ModelAnswer):
            return booking
        self._counts["calls"] += 1
        try:
            completion = await self._completion(provider, prompt)
            cost = price.of(completion.usage) if price and completion.usage else None
            if cost is not None:  # if nobody says, the most it can have cost stays booked
                self._ledger.settle(booking, cost)
            took = completion.usage or (None, None)
            self._tell_paid(Paid(session, provider.name, took[0], took[1], cost))
            said = read(completion.text)
        except ModelError as error:
            if isinstance(error, NotServedError):
                self._ledger.release(booking)
            raise self._failure(error) from None
        self._breaker.succeeded()
        self._last_success = self._clock()
        return said, cost

    async def _completion(self, provider: Provider, prompt: Asked) -> Completion:
        limit = self._settings.timeout_seconds
        try:
            async with asyncio.timeout(limit):
                return await provider.complete(prompt, timeout=limit)
        except TimeoutError:
            raise ModelError(f"{provider.name} did not answer within {limit:g} s") from None
        except ModelError:
            raise
        except Exception as error:  # whatever an endpoint can break is no answer, and is said
            raise ModelError(f"asking {provider.name} failed: {type(error).__name__}: {error}") from error

    def _price(self) -> Price | None:
        """A program says nothing about tokens, whatever model it asks."""
        return price_of(self._settings.model) if self._settings.provider != "command" else None

    def _failure(self, error: ModelError) -> ModelError:
        """The error as it may be shown; the endpoint may have repeated what it was sent."""
        what = self._redactor.text(str(error))[:SHOWN]
        self._breaker.failed()
        self._counts["failures"] += 1
        self._last_error = {"at": self._clock(), "what": what}
        return ModelError(what, hint=error.hint)

    def _remembered(self, answer: ModelAnswer, provider: Provider) -> Judgement:
        self._counts["cached"] += 1
        return Judgement(*answer, cached=True, model=provider.name, cost_usd=0.0)

    def health(self) -> dict[str, Any]:
        """What `/health` shows of the model."""
        if not self.configured:
            return {"configured": False}
        return {
            "configured": True,
            "provider": self._settings.provider,
            "model": self._settings.model,
            **self._counts,
            "running": len(self._running),
            "spent_usd": round(self._ledger.spent_usd, 6),
            "last_success": self._last_success,
            "last_error": self._last_error,
            "resting_s": round(self._breaker.resting),
            "notes": self._notes(),
        }

    def _notes(self) -> list[str]:
        notes = []
        if self._settings.max_usd_per_session and self._price() is None:
            name = self._settings.model or "the program"
            notes.append(f"no price is known for {name}: a session's calls are limited, its cost is not")
        if self._ledger.trouble:
            notes.append(f"{self._ledger.trouble}: budgets and answers are kept in memory")
        return notes
