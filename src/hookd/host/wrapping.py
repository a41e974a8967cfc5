"""Plain functions as tools with hooks around them: `wrap_tool` and `wrap_tools`."""

import functools
import inspect
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, ParamSpec, TypeVar, overload

from hookd.errors import ToolBlockedError, ToolFailedError
from hookd.host.engine import HookEngine
from hookd.host.tool_calls import ToolCall, ToolOutput

P = ParamSpec("P")
R = TypeVar("R")
OnBlock = Literal["raise", "return"]


def wrap_tool(
    engine: HookEngine,
    function: Callable[P, R],
    *,
    name: str | None = None,
    on_block: OnBlock = "raise",
) -> Callable[P, R]:
    """The same function with the engine's hooks in front of each call and behind it.

    The hooks know it by `name`, or its own. They see the arguments by name, may refuse the call, change them,
    and change the result. A refused call raises `ToolBlockedError`, and a result that a hook made a failure
    `ToolFailedError`; with `on_block="return"` both come back as text. A generator's items come out after the
    hooks have seen all of them.
    """
    own_name: str = getattr(function, "__name__", type(function).__name__)
    tool = _Tool(engine, function, name or own_name, on_block)
    wrapped: Any
    if inspect.isasyncgenfunction(function):

        async def wrapped(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            for item in _items(await tool.awaited(_collected, args, kwargs)):
                yield item

    elif inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(_call_of(function)):

        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            return await tool.awaited(_unchanged, args, kwargs)

    elif inspect.isgeneratorfunction(function):

        def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
            yield from _items(tool.called(list, args, kwargs))

    else:

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return tool.called(_same, args, kwargs)

    found: Callable[P, R] = functools.wraps(function)(wrapped)
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


class _Tool:
    """One wrapped function."""

    def __init__(
        self, engine: HookEngine, function: Callable[..., Any], name: str, on_block: OnBlock
    ) -> None:
        self._engine = engine
        self._function = function
        self._name = name
        self._on_block = on_block
        self._signature = inspect.signature(function)

    def called(self, complete: Callable[[Any], Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The function called through the hooks; `complete` makes a result of what it returns."""
        call, run = self._call(args, kwargs), self._engine.run_sync
        if (refusal := run(call.before())) is not None:
            return self._refused(refusal)
        bound = self._bound(call)
        try:
            result = complete(self._function(*bound.args, **bound.kwargs))
        except BaseException as error:  # noqa: BLE001 - interrupted or not, the hooks hear of it
            return self._recovered(run(call.failed(error)), error)
        if inspect.isawaitable(result):
            return self._finished(call, result)
        return self._given(run(call.after(result)))

    async def awaited(
        self, complete: Callable[[Any], Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The same for a function whose result has to be waited for."""
        call = self._call(args, kwargs)
        if (refusal := await call.before()) is not None:
            return self._refused(refusal)
        bound = self._bound(call)
        return await self._finished(call, complete(self._function(*bound.args, **bound.kwargs)))

    async def _finished(self, call: ToolCall, result: Awaitable[Any]) -> Any:
        try:
            value = await result
        except BaseException as error:  # noqa: BLE001 - see above
            return self._recovered(await call.failed(error), error)
        return self._given(await call.after(value))

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
        bound = self._signature.bind(*args, **kwargs)
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                arguments |= value
            else:
                arguments[name] = value
        return ToolCall(self._engine, self._name, arguments)

    def _bound(self, call: ToolCall) -> inspect.BoundArguments:
        """The arguments for the function; an input that a hook rewrote may not fit it."""
        left = dict(call.input)
        values: dict[str, Any] = {}
        for name, parameter in self._signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                values[name], left = left, {}
            elif name in left:
                values[name] = left.pop(name)
        try:
            bound = inspect.BoundArguments(self._signature, OrderedDict(values))
            return self._signature.bind(*bound.args, **bound.kwargs, **left)
        except TypeError as error:
            raise ToolBlockedError(
                f"{self._name}: a hook rewrote the input so that it does not fit the tool: {error}",
                hint="rewrite() replaces the whole input: keep the arguments that stay",
            ) from None

    def _refused(self, refusal: str) -> Any:
        if self._on_block == "return":
            return refusal
        raise ToolBlockedError(refusal)

    def _given(self, output: ToolOutput) -> Any:
        if output.is_error and self._on_block == "raise":
            raise ToolFailedError(output.text)
        return output.value

    def _recovered(self, output: ToolOutput, error: BaseException) -> Any:
        """A result that a hook puts in place of a failure; an interruption stays one."""
        if not isinstance(error, Exception) or not output.changed:
            raise error
        if output.is_error and self._on_block == "raise":
            raise ToolFailedError(output.text) from error
        return output.value


def _items(result: Any) -> list[Any]:
    return result if isinstance(result, list) else [result]


async def _collected(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]


async def _unchanged(result: Awaitable[Any]) -> Any:
    return await result


def _same(result: Any) -> Any:
    return result


def _call_of(function: Any) -> Any:
    return getattr(function, "__call__", None)  # noqa: B004 - an object whose call is async is an async tool
