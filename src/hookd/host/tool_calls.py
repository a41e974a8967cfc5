"""One tool call on its way through the hooks; what `wrap_tool` and the bridges share."""

import asyncio
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from hookd.events.outcome import Decision
from hookd.host.call import encoded
from hookd.host.engine import HookEngine
from hookd.host.fired import NOBODY, Fired

SHOWN = 1000
"""How much of its input a person sees of a tool call, in characters."""


class ToolOutput(NamedTuple):
    """What the agent is to take for the tool's result."""

    value: Any
    is_error: bool = False
    changed: bool = False
    """Whether a hook had a hand in it."""

    @property
    def text(self) -> str:
        """The value as a model reads it."""
        return self.value if isinstance(self.value, str) else encoded({"": self.value})[4:-1].decode()


class ToolCall:
    """`before` the tool runs, and `after` it has or has `failed`; with these the hooks have seen the call.

    What hooks have for the model beside the result waits in the engine for the next turn.
    """

    def __init__(
        self,
        engine: HookEngine,
        name: str,
        arguments: dict[str, Any],
        call_id: str | None = None,
        **fields: Any,
    ) -> None:
        self.engine = engine
        self.name = name
        self.input = arguments
        """What the tool is to be called with: after `before`, what the hooks have made of it."""
        self.id = call_id or f"call_{uuid4().hex}"
        self._fields = fields
        self._began = perf_counter()

    async def before(self) -> str | None:
        """Why the tool does not run, in the words for the model; nothing if it does."""
        fired = await self._fire("PreToolUse")
        refusal = fired.refusal if fired.blocked else None
        if refusal is None and fired.halted:
            refusal = f"a hook ended the turn here: {fired.outcome.halt}".rstrip(": ")
        if refusal is None and fired.updated_input is not None:
            self.input = self._rewritten(fired.updated_input)
        if refusal is None and fired.decision in (Decision.ASK, Decision.DEFER):
            refusal = await self._asked(fired)
        if refusal is not None:
            await self.never_ran(refusal)
            return refusal
        self._began = perf_counter()
        return None

    async def never_ran(self, why: str) -> None:
        """The call was refused, or failed before its tool ran; only hooks under an older name hear of it."""
        self._note(why)
        if self.engine.compat and self.engine.handles("PreToolUseFailure"):
            await self._fire("PreToolUseFailure", error=why)

    async def after(self, result: Any) -> ToolOutput:
        """The result as the hooks want it."""
        self._note(result)
        fired = await self._fire("PostToolUse", tool_response=result, duration_ms=self._milliseconds)
        return _as_wanted(fired, result, failed=False)

    async def failed(self, error: BaseException | str) -> ToolOutput:
        """The failure as the hooks want it: other words for it, or a result in its place."""
        text = error if isinstance(error, str) else str(error) or type(error).__name__
        self._note(text)
        fired = await self._fire(
            "PostToolUseFailure",
            error=text,
            is_interrupt=isinstance(error, asyncio.CancelledError | KeyboardInterrupt),
            duration_ms=self._milliseconds,
        )
        return _as_wanted(fired, text, failed=True)

    @property
    def _milliseconds(self) -> float:
        return round((perf_counter() - self._began) * 1000, 3)

    async def _fire(self, event: str, **fields: Any) -> Fired:
        fired = await self.engine.fire(
            event, tool_name=self.name, tool_input=self.input, tool_use_id=self.id, **self._fields, **fields
        )
        for text in fired.for_model:
            self.engine.tell_later(event, fired.hook_name, text)
        if fired.halted:
            self.engine.session.halt(fired.outcome.halt or "")
        return fired

    async def _asked(self, fired: Fired) -> str | None:
        """A person decides; without one the answer is no."""
        reason = fired.reason or "a hook wants a person to decide"
        if fired.decision is Decision.ASK and self.engine.ui.has_ui:
            shown = encoded(self.input).decode()
            shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
            if await self.engine.ui.confirm(f"Allow {self.name}?", f"{reason}\n{shown}"):
                return None
            return f"{fired.hook_name}: the user said no: {reason}"
        return f"{fired.hook_name}: {reason}{NOBODY}"

    def _rewritten(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """The input that a hook wants; what it left as it saw it stays the very object that was given."""
        seen = msgspec.json.decode(encoded(self.input))
        return {
            key: self.input[key] if key in seen and seen[key] == value and key in self.input else value
            for key, value in wanted.items()
        }

    def _note(self, response: Any) -> None:
        self.engine.session.note_call(
            tool_name=self.name, tool_input=self.input, tool_use_id=self.id, tool_response=response
        )


def _as_wanted(fired: Fired, given: Any, *, failed: bool) -> ToolOutput:
    """What the tool gave, or what a hook has put in its place."""
    found = fired.replacement
    if found is None:
        return ToolOutput(given, is_error=failed)
    # A text goes into the shape of a structured result; of anything else it takes the place.
    shaped = failed or isinstance(given, dict)
    parts = (found.details, found.content) if shaped else (found.content, found.details)
    value = next((part for part in parts if part is not None), given)
    return ToolOutput(value, failed if found.is_error is None else found.is_error, changed=True)
