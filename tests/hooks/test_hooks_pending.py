"""A question or a program that nobody awaits is a handler's failure, never its answer."""

import asyncio
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hooks_world import hook, running

from hookd import Context, HookAPI, block
from hookd.errors import UsageError
from hookd.events.outcome import Decision
from hookd.host import HookEngine
from hookd.testing import HookProblemsError, check_hook

pytestmark = pytest.mark.anyio

FORGOTTEN = [
    ("if not ctx.ui.confirm('Deploy?'): return block('no')", "ctx.ui.confirm"),
    ("ctx.ui.confirm('Deploy?')", "ctx.ui.confirm"),
    ("if ctx.ui.select('Where?', ['here', 'there']) == 'there': return block('no')", "ctx.ui.select"),
    ("if ctx.ui.input('Why?') is None: return block('no')", "ctx.ui.input"),
    ("if ctx.exec('false').code: return block('no')", "ctx.exec"),
    ("ctx.exec('false')\nreturn allow()", "ctx.exec"),
]
ADVICE = "was never awaited: await it, or use ctx.wait in a handler that is not async"


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(("body", "call"), FORGOTTEN)
async def test_a_gate_that_forgets_to_await_blocks(tmp_path: Path, body: str, call: str, kind: str) -> None:
    text = hook("tool_call", body, kind=kind)
    async with running(tmp_path, {"guard.py": text}) as hooks:
        done = await hooks.fire("PreToolUse", context=Context(attended=True, dialog=True), tool_name="Bash")
    assert done.outcome.decision is Decision.DENY
    assert f"{call} (guard.py, line 6) {ADVICE}" in (done.runs[0].fault or "")

    (tmp_path / "same.py").write_text(text)
    fired = await HookEngine(hooks=[tmp_path / "same.py"]).fire("PreToolUse", tool_name="Bash", tool_input={})
    assert fired.blocked
    assert f"{call} (same.py, line 6) {ADVICE}" in fired.reason


@pytest.mark.parametrize(("body", "call"), FORGOTTEN)
def test_the_check_of_a_hook_finds_it(tmp_path: Path, body: str, call: str) -> None:
    path = tmp_path / "guard.py"
    path.write_text(hook("tool_call", body))
    with pytest.raises(HookProblemsError) as raised:
        check_hook(path)
    assert all(f"{call} (guard.py, line 6) {ADVICE}" in problem for problem in raised.value.problems)

    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda _e, ctx: None if ctx.ui.confirm("Deploy?") else block("no"), name="a")

    with pytest.raises(HookProblemsError, match=r"ctx\.ui\.confirm \(test_hooks_pending.py, line \d+\) was"):
        check_hook(register)


WAYS: list[tuple[str, Callable[[Context], Any]]] = [
    ("await", lambda ctx: _awaited(ctx)),
    ("task", lambda ctx: asyncio.create_task(ctx.exec("echo", ["a"]))),
    ("future", lambda ctx: asyncio.ensure_future(ctx.exec("echo", ["a"]))),
    ("wait_for", lambda ctx: asyncio.wait_for(ctx.exec("echo", ["a"]), 30)),
]


async def _awaited(ctx: Context) -> Any:
    return await ctx.exec("echo", ["a"])


@pytest.mark.parametrize("way", [way for _, way in WAYS], ids=[name for name, _ in WAYS])
async def test_it_is_awaited_like_any_coroutine(way: Callable[[Context], Any]) -> None:
    context = Context(cwd="/")
    assert (await way(context)).stdout == "a\n"
    context.kit.check_awaited()


def test_a_handler_that_is_not_async_waits_for_it() -> None:
    context = Context(cwd="/")
    assert context.wait(context.exec("echo", ["a"])).stdout == "a\n"
    assert context.wait(context.ui.confirm("Sure?")) is False
    context.kit.check_awaited()


async def test_what_the_wrong_wait_was_given_counts_as_never_awaited() -> None:
    context = Context(cwd="/")
    with pytest.raises(UsageError, match="use await here"):
        context.wait(context.ui.confirm("Sure?"))
    with pytest.raises(UsageError, match="was never awaited"):
        context.kit.check_awaited()


async def test_one_that_is_returned_is_awaited(tmp_path: Path) -> None:
    async with running(tmp_path, {"a.py": hook("tool_call", "return ctx.ui.input('Why?')")}) as hooks:
        done = await hooks.bash("ls")
    assert done.runs[0].fault is None
    assert done.outcome.decision is None


async def test_nothing_else_complains_about_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context = Context(cwd="/")
        pending = context.exec("echo")
        assert not hasattr(pending, "ok")
        assert "Pending" in repr(pending)
        pending.close()
