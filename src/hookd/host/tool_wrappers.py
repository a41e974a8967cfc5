"""Plain functions as tools with hooks around them: `wrap_tool` and `wrap_tools`."""

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, overload

from hookd.errors import ToolBlockedError, ToolFailedError
from hookd.host.engine import HookEngine
from hookd.host.tool_arguments import ToolArguments
from hookd.host.tool_calls import ToolCall, ToolOutput

P = ParamSpec("P")
R = TypeVar("R")
OnBlock = Literal["raise", "return"]


def wrap_tool(
    engine: HookEngine, function: Callable[P, R], *, name: str | None = None, on_block: OnBlock = "raise"
) -> Callable[P, R]:
    """The same function with the engine's hooks in front of each call and behind it.

    The hooks know it by `name`, or its own. They see the arguments by name, with the defaults and what a
    partial binds; they may refuse the call, change them, and change the result. A refused call raises
    `ToolBlockedError`, and a result that a hook made a failure `ToolFailedError`; with `on_block="return"`
    both come back as text. A generator's items come out after the hooks have seen all of them; a result that
    a hook puts in their place is one item.
    """
    arguments = ToolArguments(function)
    tool = _Tool(engine, function, arguments, name or arguments.name, on_block)
    wrapped: Any
    if _is(inspect.isasyncgenfunction, arguments.function):

        async def wrapped(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            for item in _items(await tool.awaited(args, kwargs, _collected)):
                yield item

    elif _is(inspect.iscoroutinefunction, arguments.function):

        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            return await tool.awaited(args, kwargs)

    elif _is(inspect.isgeneratorfunction, arguments.function):

        def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
            yield from _items(tool.called(args, kwargs, list))

    else:

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return tool.called(args, kwargs)

    # A partial and an object have no name of their own, and a partial's text is not the tool's.
    wrapped.__name__ = wrapped.__qualname__ = arguments.name
    functools.update_wrapper(wrapped, arguments.function)
    wrapped.__wrapped__ = function
    found: Callable[P, R] = wrapped
    return found


@overload
def wrap_tools(
    engine: HookEngine, tools: Mapping[str, Callable[..., Any]], *, on_block: OnBlock = "raise"
) -> dict[str, Callable[..., Any]]: ...


@overload
def wrap_tools(
    engine: HookEngine, tools: Iterable[Callable[..., Any]], *, on_block: OnBlock = "raise"
) -> list[Callable[..., Any]]: ...


def wrap_tools(
    engine: HookEngine,
    tools: Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]],
    *,
    on_block: OnBlock = "raise",
) -> dict[str, Callable[..., Any]] | list[Callable[..., Any]]:
    """All of them wrapped; those in a mapping are known to the hooks by their keys."""
    if isinstance(tools, Mapping):
        return {key: wrap_tool(engine, tool, name=key, on_block=on_block) for key, tool in tools.items()}
    return [wrap_tool(engine, tool, on_block=on_block) for tool in tools]


def _same(result: Any) -> Any:
    return result


class _Tool(NamedTuple):
    """One wrapped function."""

    engine: HookEngine
    function: Callable[..., Any]
    arguments: ToolArguments
    name: str
    on_block: OnBlock

    def called(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], complete: Callable[[Any], Any] = _same
    ) -> Any:
        """The function called through the hooks; `complete` makes a result of what it returns."""
        run = self.engine.run_sync
        try:
            call, function = run(self._ready(args, kwargs))
        except ToolBlockedError as refusal:
            return self._refused(refusal)
        try:
            result = complete(function())
        except BaseException as error:  # noqa: BLE001 - interrupted or not, the hooks hear of it
            return self._recovered(run(call.failed(error)), error)
        if inspect.isawaitable(result):
            return self._finished(call, result)
        return self._given(run(call.after(result)))

    async def awaited(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], complete: Callable[[Any], Any] = _same
    ) -> Any:
        """The same for a function whose result has to be waited for."""
        try:
            call, function = await self._ready(args, kwargs)
        except ToolBlockedError as refusal:
            return self._refused(refusal)
        return await self._finished(call, complete(function()))

    async def _finished(self, call: ToolCall, result: Awaitable[Any]) -> Any:
        try:
            value = await result
        except BaseException as error:  # noqa: BLE001 - see above
            return self._recovered(await call.failed(error), error)
        return self._given(await call.after(value))

    async def _ready(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ToolCall, Callable[[], Any]]:
        """The call that is to be made: the caller's own, unless a hook rewrote its input, or refused it."""
        seen = self.arguments.seen(args, kwargs)
        call = ToolCall(self.engine, self.name, seen.input)
        if (refusal := await call.before()) is not None:
            raise ToolBlockedError(refusal)
        if call.input is seen.input:
            return call, functools.partial(self.function, *args, **kwargs)
        try:
            args, kwargs = self.arguments.call(seen, call.input)
        except TypeError as error:
            why = f"{self.name}: a hook rewrote the input so that it does not fit the tool: {error}"
            await call.never_ran(why)
            raise ToolBlockedError(
                why,
                hint="rewrite() replaces the whole input: keep the arguments that stay",
            ) from None
        return call, functools.partial(self.arguments.function, *args, **kwargs)

    def _refused(self, refusal: ToolBlockedError) -> str:
        if self.on_block == "raise":
            raise refusal
        return str(refusal)

    def _given(self, output: ToolOutput) -> Any:
        if output.is_error and self.on_block == "raise":
            raise ToolFailedError(output.text)
        return output.value

    def _recovered(self, output: ToolOutput, error: BaseException) -> Any:
        """A result that a hook puts in place of a failure; an interruption stays one."""
        if not isinstance(error, Exception) or not output.changed:
            raise error
        if output.is_error and self.on_block == "raise":
            raise ToolFailedError(output.text) from error
        return output.value


def _items(result: Any) -> list[Any]:
    return result if isinstance(result, list) else [result]


async def _collected(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]


def _is(kind: Callable[[Any], bool], function: Any) -> bool:
    """Whether this is that kind of function, or an object whose call is."""
    return kind(function) or (not inspect.isclass(function) and kind(type(function).__call__))
