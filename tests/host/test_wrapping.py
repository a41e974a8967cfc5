"""Plain functions behind the hooks."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookd import HookAPI, ask, block, context, halt, replace, rewrite
from hookd.errors import UsageError
from hookd.events.outcome import Outcome
from hookd.host import HookEngine, ToolBlockedError, ToolFailedError, wrap_tool, wrap_tools


class Hooks:
    """Answers as a test says, and writes down what it sees."""

    def __init__(self, *, call: Outcome | None = None, result: Outcome | None = None) -> None:
        self.call = call
        self.result = result
        self.seen: list[tuple[Any, ...]] = []

    def register(self, hookd: HookAPI) -> None:
        @hookd.on("tool_call")
        def before(event: Any, ctx: Any) -> Outcome | None:  # noqa: ARG001
            self.seen.append(("call", event.tool_name, event.tool_input))
            return self.call

        @hookd.on("tool_result")
        def after(event: Any, ctx: Any) -> Outcome | None:  # noqa: ARG001
            self.seen.append(("result", event.content, event.is_error))
            return self.result

    @property
    def engine(self) -> HookEngine:
        return HookEngine(hooks=[self.register])


def read(path: str, /, lines: int = 10, *more: str, strict: bool = False, **rest: Any) -> str:
    """Reads a file."""
    return f"{path} {lines} {more} {strict} {rest}"


async def read_async(path: str, lines: int = 10) -> str:
    """Reads a file."""
    return f"{path} {lines}"


def read_items(path: str) -> Iterator[str]:
    """Reads a file line by line."""
    yield f"{path} one"
    yield f"{path} two"


async def read_items_async(path: str) -> AsyncIterator[str]:
    """Reads a file line by line."""
    yield f"{path} one"
    yield f"{path} two"


def called(engine: HookEngine, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The wrapped function's result, whatever kind of function it is; text for a generator's items."""
    wrapped = wrap_tool(engine, function)
    if inspect.isasyncgenfunction(wrapped):

        async def collect() -> list[Any]:
            return [item async for item in wrapped(*args, **kwargs)]

        return asyncio.run(collect())
    if inspect.iscoroutinefunction(wrapped):
        return asyncio.run(wrapped(*args, **kwargs))
    found = wrapped(*args, **kwargs)
    return list(found) if inspect.isgeneratorfunction(wrapped) else found


ALL = [read, read_async, read_items, read_items_async]
KINDS = ("isasyncgenfunction", "iscoroutinefunction", "isgeneratorfunction")


@pytest.mark.parametrize("function", ALL)
def test_it_looks_and_works_as_before(function: Any) -> None:
    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, function)
    assert (wrapped.__name__, wrapped.__doc__) == (function.__name__, function.__doc__)
    assert inspect.signature(wrapped) == inspect.signature(function)
    for kind in KINDS:
        assert getattr(inspect, kind)(wrapped) == getattr(inspect, kind)(function)
    plain = HookEngine()
    assert called(hooks.engine, function, "a.py") == called(plain, function, "a.py")
    assert hooks.seen[0][:2] == ("call", function.__name__)
    assert hooks.seen[0][2]["path"] == "a.py"
    assert hooks.seen[1][1].startswith("a.py")
    assert hooks.seen[1][2] is False


@pytest.mark.parametrize("function", ALL)
def test_a_refused_call_does_not_run(function: Any) -> None:
    hooks = Hooks(call=block("not that file"))
    with pytest.raises(ToolBlockedError, match="not that file"):
        called(hooks.engine, function, "a.py")
    assert len(hooks.seen) == 1
    wrapped = wrap_tool(hooks.engine, read, on_block="return")
    assert wrapped("a.py") == "PreToolUse:read hook error: not that file"


@pytest.mark.parametrize("function", ALL)
def test_input_and_result_are_changed(function: Any) -> None:
    hooks = Hooks(call=rewrite({"path": "b.py"}), result=replace("hidden"))
    found = called(hooks.engine, function, "a.py")
    assert found == (["hidden"] if "items" in function.__name__ else "hidden")
    assert "a.py" not in str(hooks.seen[1])


def test_arguments_of_every_kind_are_bound_again() -> None:
    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, read)
    assert wrapped("a", 5, "x", "y", strict=True, other=1) == "a 5 ('x', 'y') True {'other': 1}"
    assert hooks.seen[0][2] == {"path": "a", "lines": 5, "more": ["x", "y"], "strict": True, "other": 1}
    hooks.call = rewrite({"path": "b", "lines": 7, "more": ["z"], "new": 2})
    assert wrapped("a", 5, "x", strict=True) == "b 7 ('z',) False {'new': 2}"


@pytest.mark.parametrize("wanted", [{}, {"path": "a", "unknown": 1}, {"lines": 3}])
def test_an_input_that_does_not_fit_is_a_refusal(wanted: dict[str, Any]) -> None:
    engine = Hooks(call=rewrite(wanted)).engine
    with pytest.raises(ToolBlockedError, match="does not fit the tool") as raised:
        called(engine, read_async, "a.py")
    assert raised.value.hint
    text = asyncio.run(wrap_tool(engine, read_async, on_block="return")("a.py"))
    assert "a hook rewrote the input so that it does not fit the tool" in text


def test_what_a_hook_leaves_alone_stays_the_very_object() -> None:
    def tool(path: Path, handle: object, count: int) -> tuple[Any, ...]:
        return path, handle, count

    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda event, _ctx: rewrite({**event.tool_input, "count": 2}), name="more")

    handle = object()
    assert called(HookEngine(hooks=[register]), tool, Path("/a"), handle, 1) == (Path("/a"), handle, 2)


def test_a_tool_that_raises() -> None:
    def broken(path: str) -> str:
        raise OSError(f"no {path}")

    hooks = Hooks()
    with pytest.raises(OSError, match=r"no a\.py"):
        called(hooks.engine, broken, "a.py")
    assert hooks.seen[-1] == ("result", "no a.py", True)
    assert called(Hooks(result=replace("empty", is_error=False)).engine, broken, "a.py") == "empty"
    with pytest.raises(ToolFailedError, match="other words") as raised:
        called(Hooks(result=replace("other words")).engine, broken, "a.py")
    assert isinstance(raised.value.__cause__, OSError)


def test_a_result_that_a_hook_makes_a_failure() -> None:
    engine = Hooks(result=replace("that is no answer", is_error=True)).engine
    with pytest.raises(ToolFailedError, match="that is no answer"):
        called(engine, read, "a.py")
    assert wrap_tool(engine, read, on_block="return")("a.py") == "that is no answer"


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
def test_an_interruption_stays_one(error: type[BaseException]) -> None:
    def interrupted() -> str:
        raise error

    hooks = Hooks(result=replace("never mind", is_error=False))
    with pytest.raises(error):
        called(hooks.engine, interrupted)
    assert hooks.seen[-1] == ("result", error.__name__, True)


def test_a_cancelled_tool_is_told() -> None:
    hooks = Hooks()

    async def session() -> None:
        started = asyncio.Event()

        async def wait() -> None:
            started.set()
            await asyncio.Event().wait()

        async with hooks.engine as engine:
            task = asyncio.create_task(wrap_tool(engine, wait)())
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(session())
    assert hooks.seen[-1] == ("result", "CancelledError", True)


class Person:
    has_ui = True

    def __init__(self, answer: bool) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    async def confirm(self, title: str, message: str = "") -> bool:
        self.asked.append((title, message))
        return self.answer


def test_a_question_goes_to_the_person() -> None:
    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda _event, _ctx: ask("it deletes things"), name="asks")

    person: Any = Person(True)
    assert called(HookEngine(hooks=[register], ui=person), read_async, "a") == "a 10"
    assert person.asked == [("Allow read_async?", 'it deletes things\n{"path":"a","lines":10}')]
    person = Person(False)
    with pytest.raises(ToolBlockedError, match="the user said no: it deletes things"):
        called(HookEngine(hooks=[register], ui=person), read_async, "a")
    with pytest.raises(ToolBlockedError, match="nobody is here to ask"):
        called(HookEngine(hooks=[register]), read_async, "a")


def test_contexts_wait_for_the_next_turn() -> None:
    engine = Hooks(call=context("it is a big file")).engine
    called(engine, read, "a.py")
    assert [late.text for late in engine.take_late()] == [
        "PreToolUse:read hook additional context: it is a big file"
    ]


def test_a_hook_that_ends_the_turn_keeps_the_tool_from_running() -> None:
    engine = Hooks(call=halt("enough")).engine
    with pytest.raises(ToolBlockedError, match="enough"):
        called(engine, read, "a.py")
    assert engine.session.halted == "enough"


def test_other_things_that_can_be_called() -> None:
    class Reader:
        def method(self, path: str) -> str:
            return f"method {path}"

        async def __call__(self, path: str) -> str:
            return f"object {path}"

    hooks = Hooks()
    engine = hooks.engine
    assert wrap_tool(engine, Reader().method)("a") == "method a"
    assert asyncio.run(wrap_tool(engine, Reader())("a")) == "object a"
    assert asyncio.run(wrap_tool(engine, functools.partial(read_async, lines=3), name="part")("a")) == "a 3"
    assert asyncio.run(wrap_tool(engine, lambda path: read_async(path), name="late")("a")) == "a 10"
    assert [name for kind, name, _ in hooks.seen if kind == "call"] == ["method", "Reader", "part", "late"]
    assert hooks.seen[-1] == ("result", "a 10", False)


def test_a_plain_tool_inside_an_event_loop() -> None:
    hooks = Hooks(result=replace("seen"))

    async def session() -> str:
        return wrap_tool(hooks.engine, read)("a.py")

    assert asyncio.run(session()) == "seen"


def test_all_at_once() -> None:
    hooks = Hooks()
    assert [tool("a") for tool in wrap_tools(hooks.engine, [read])] == [read("a")]
    wrapped = wrap_tools(hooks.engine, {"Read": read}, on_block="return")
    wrapped["Read"]("a")
    assert hooks.seen[-2][1] == "Read"


def run(name: str, command: str, *more: str, timeout: int = 60, marker: object = object(), **kw: Any) -> str:
    """Runs a command."""
    return f"{name} {command} {more} {timeout} {type(marker).__name__} {kw}"


def test_a_partial_is_known_by_its_function_and_shows_what_it_binds() -> None:
    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, functools.partial(functools.partial(run, "ci"), timeout=5))
    assert (wrapped.__name__, wrapped.__doc__) == ("run", "Runs a command.")
    assert list(inspect.signature(wrapped).parameters) == ["command", "more", "timeout", "marker", "kw"]
    assert wrapped("ls") == "ci ls () 5 object {}"
    assert hooks.seen[0] == ("call", "run", {"name": "ci", "command": "ls", "timeout": 5})
    hooks.call = rewrite({"name": "local", "command": "ls -l", "timeout": 7})
    assert wrapped("ls") == "local ls -l () 7 object {}"


def test_defaults_are_seen_and_stay_left_out() -> None:
    given: list[dict[str, Any]] = []

    def tool(command: str, /, shell: str = "bash", *more: str, limit: int | None = None, **kw: Any) -> None:
        given.append({"command": command, "shell": shell, "more": more, "limit": limit, **kw})

    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, tool)
    wrapped("ls")
    assert hooks.seen[0][2] == {"command": "ls", "shell": "bash"}
    hooks.call = rewrite({"command": "ls", "shell": "sh", "limit": 3})
    wrapped("ls")
    hooks.call = rewrite({"command": "ls", "shell": "bash", "more": ["x"], "limit": 3})
    wrapped("ls")
    assert given[1:] == [
        {"command": "ls", "shell": "sh", "more": (), "limit": 3},
        {"command": "ls", "shell": "bash", "more": ("x",), "limit": 3},
    ]

    marks: list[bool] = []
    left_out = Path("left out")

    def marked(command: str, folder: Path = left_out) -> None:  # noqa: ARG001
        marks.append(folder is left_out)

    hooks.call = rewrite({"command": "pwd", "folder": "left out"})
    wrap_tool(hooks.engine, marked)("ls")
    assert marks == [True]


def test_an_argument_is_not_hidden_by_another_of_its_name() -> None:
    def tool(command: str, /, **kw: Any) -> tuple[str, dict[str, Any]]:
        return command, kw

    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, tool)
    assert wrapped("rm", command="ls") == ("rm", {"command": "ls"})
    assert hooks.seen[0][2] == {"command": "rm", "kw": {"command": "ls"}}
    hooks.call = rewrite({"command": "pwd", "kw": {"command": "id"}, "new": 1})
    assert wrapped("rm", command="ls") == ("pwd", {"command": "id", "new": 1})
    hooks.call = rewrite({"command": "pwd", "kw": 3})
    with pytest.raises(ToolBlockedError, match="kw holds arguments by name, not int"):
        wrapped("rm", command="ls")


class Shell:
    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, command: str) -> str:
        return f"{self.name} {command}"

    def __call__(self, path: str) -> Iterator[str]:
        yield f"{path} one"


class AsyncShell:
    async def __call__(self, path: str) -> AsyncIterator[str]:
        yield f"{path} one"


def test_a_method_of_a_class_does_not_show_its_owner() -> None:
    hooks = Hooks()
    wrapped = wrap_tool(hooks.engine, Shell.run)
    assert wrapped(Shell("one"), "ls") == "one ls"
    assert hooks.seen[0][2] == {"command": "ls"}
    hooks.call = rewrite({"command": "pwd"})
    assert wrapped(Shell("one"), "ls") == "one pwd"


@pytest.mark.parametrize("tool", [Shell("a"), AsyncShell(), functools.partial(Shell("a"))])
def test_the_items_of_an_object_that_generates_pass_the_hooks(tool: Any) -> None:
    hooks = Hooks(result=replace("hidden"))
    assert called(hooks.engine, tool, "a.py") == ["hidden"]
    assert hooks.seen[1] == ("result", "a.py one", False)
    assert wrap_tool(hooks.engine, tool).__name__ in ("Shell", "AsyncShell")


def test_what_has_no_signature_is_refused_with_advice() -> None:
    for tool in (str, 3):
        with pytest.raises(UsageError, match="does not say what arguments it takes") as raised:
            wrap_tool(HookEngine(), tool)  # type: ignore[arg-type]
        assert "name=" in (raised.value.hint or "")
