"""An agent's life as events, in order and each thing closed once: session, prompts, turns.

    async with lifecycle(engine) as session:
        async with session.prompt("mend the tests") as work:
            async for turn in work:
                messages += turn.for_model
                reply = await ask_model(messages)
                results = [await tool(**call) for call in reply.calls]
                if not results:
                    turn.done(reply.text)

Everything also works without `async`, for an agent that has no event loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Self

from hookd.host.engine import HookEngine
from hookd.host.fired import Fired

CLOSING_SECONDS = 5.0
"""How long handlers of an end are waited for once the agent has been cancelled."""


async def _to_its_end(closing: Coroutine[Any, Any, Fired]) -> None:
    """Lets an end be told although the agent is cancelled meanwhile; not for ever, and not a second time."""
    task = asyncio.ensure_future(closing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        try:
            await asyncio.wait({task}, timeout=CLOSING_SECONDS)
        finally:
            task.cancel()
        raise


class _Entered:
    """Something that begins when it is entered and ends when it is left, with `async` and without."""

    engine: HookEngine

    async def enter(self) -> None:
        """Begins; whatever keeps it from that also ends it."""
        try:
            await self.begin()
        except BaseException as error:
            await self.leave(error)
            raise

    async def begin(self) -> Fired:
        raise NotImplementedError

    async def leave(self, error: BaseException | None) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        await self.enter()
        return self

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        await self.leave(error)

    def __enter__(self) -> Self:
        self.engine.run_sync(self.enter())
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self.engine.run_sync(self.leave(error))


class Turn:
    """One request to the model and the tools it calls."""

    def __init__(self, index: int, for_model: tuple[str, ...]) -> None:
        self.index = index
        """Counts from 0 in each session."""
        self.for_model = for_model
        """What hooks put in front of the model, in the agent's words; each text once."""
        self.is_last = False
        self.text: str | None = None

    def done(self, text: str | None = None) -> None:
        """The model is done and this is its last word; a hook may still want it to go on."""
        self.is_last = True
        self.text = text


class Work(_Entered):
    """One prompt from its submission to the agent's end; iterate over it to get the turns.

    The bridges use its methods one by one: `enter`, `asks_model`, `stop`, `fail`.
    """

    def __init__(self, engine: HookEngine, prompt: str, told: tuple[str, ...] = ()) -> None:
        self.engine = engine
        self.prompt = prompt
        self.refusal: str | None = None
        """Why the prompt is not worked on, if a hook refused it."""
        self.stopped: str | None = None
        """Why a hook ended the work early, if one did."""
        self.is_open = False
        self._told = list(told)
        self._turn: Turn | None = None
        self._in_turn = False

    async def begin(self) -> Fired:
        """Submits the prompt."""
        self.engine.session.begin_prompt()
        self.is_open = True
        fired = await self._fire("UserPromptSubmit", prompt=self.prompt)
        if fired.blocked or fired.halted:
            self.is_open = False
            self.refusal = fired.refusal or fired.outcome.halt or fired.reason
        return fired

    async def next_turn(self) -> Fired:
        """The model has answered, its tools have run, and it is about to be asked again."""
        fired = await self._fire("PostToolBatch", tool_calls=self.engine.session.take_batch())
        if fired.blocked or fired.halted:
            self.engine.session.halt(fired.outcome.halt or fired.reason)
        return fired

    async def asks_model(self) -> None:
        """The model is about to be asked: a new turn, unless the prompt or a hook's wish began this one."""
        if self._in_turn and self.is_open:
            await self.next_turn()
        self._in_turn = True

    async def stop(self, text: str | None = None) -> Fired:
        """The agent wants to stop; if `goes_on`, it has to go on with what is in `take_for_model`."""
        fired = await self._fire("Stop", last_assistant_message=text)
        self.is_open = fired.goes_on
        self._in_turn = False
        return fired

    async def fail(self, error: BaseException | str) -> None:
        """The agent ends otherwise: an error, a cancellation, a hook's wish. Closes what is open, once."""
        if not self.is_open:
            return
        self.is_open = False
        name = error if isinstance(error, str) else type(error).__name__
        details = None if isinstance(error, str) else str(error) or None
        await _to_its_end(self.engine.fire("StopFailure", error=name, error_details=details))

    def take_for_model(self) -> tuple[str, ...]:
        """What hooks have for the model's next request; each text once."""
        late = [found.text for found in self.engine.take_late()]
        told, self._told = self._told, []
        return (*told, *late)

    async def _fire(self, event: str, **fields: Any) -> Fired:
        fired = await self.engine.fire(event, **fields)
        self._told += fired.for_model
        return fired

    async def _next(self) -> Turn | None:
        """The next turn, if there is one."""
        turn, session = self._turn, self.engine.session
        if not self.is_open:
            return None
        if session.halted is None:
            if turn is not None and turn.is_last and not (await self.stop(turn.text)).goes_on:
                return None
            await self.asks_model()
        if session.halted is not None:
            self.stopped = session.halted
            await self.fail("halted")
            return None
        self._turn = Turn(session.turn, self.take_for_model())
        return self._turn

    async def leave(self, error: BaseException | None) -> None:
        """Closes what is open; work that was left in the middle has not been done."""
        if error is None and self._turn is not None and self._turn.is_last and self.is_open:
            await self.stop(self._turn.text)
        await self.fail(error if error is not None else "left")

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Turn:
        if (turn := await self._next()) is None:
            raise StopAsyncIteration
        return turn

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Turn:
        if (turn := self.engine.run_sync(self._next())) is None:
            raise StopIteration
        return turn


class Lifecycle(_Entered):
    """A session of an agent, around its prompts: `SessionStart` when it is entered, `SessionEnd` when left.

    `source` is `startup`, `resume`, `clear` or `fork`; with `close=True` the engine is closed as well.
    """

    def __init__(
        self, engine: HookEngine, *, source: str = "startup", model: str | None = None, close: bool = False
    ) -> None:
        self.engine = engine
        self.is_open = False
        self._source = source
        self._model = model
        self._close = close
        self._told: tuple[str, ...] = ()

    def prompt(self, text: str) -> Work:
        """What a person, or another program, wants done."""
        told, self._told = self._told, ()
        return Work(self.engine, text, told)

    async def begin(self) -> Fired:
        """The session starts."""
        self.is_open = True
        more = {"model": self._model} if self._model is not None else {}
        fired = await self.engine.fire("SessionStart", source=self._source, **more)
        self._told = fired.for_model
        return fired

    async def end(self, reason: str = "other") -> None:
        """The session ends; once."""
        if not self.is_open:
            return
        self.is_open = False
        try:
            await _to_its_end(self.engine.fire("SessionEnd", reason=reason))
        finally:
            if self._close:
                await self.engine.close()

    async def leave(self, _error: BaseException | None) -> None:
        await self.end()


lifecycle = Lifecycle
