"""One call of one handler comes to the same wherever it runs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookd.config import Config
from hookd.events.outcome import Decision, Outcome, allow, block, context, notify, sourced
from hookd.events.types import PreToolUse, Stop
from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.dispatch import Dispatched, Dispatcher
from hookd.hooks.in_process import on_loop
from hookd.hooks.invoke import HookRun, Place, invoke
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.kit.parts import AgentKit, Kit, LoopWait
from hookd.hooks.messages import facts_of
from hookd.hooks.worker import Worker
from hookd.host.hook_runner import Runner

pytestmark = pytest.mark.anyio

CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
GATE = Subscription(hook="guard.check", event="PreToolUse", file=__file__)

Places = dict[str, Callable[[], Place | None]]
PLACES: Places = {
    "hookd's own": lambda: None,
    "on the loop": lambda: on_loop,
    "threads of a file": lambda: Runner("guard"),
    "a process of their own": lambda: Worker(lambda _message: None)._answer,
}


async def call(place: str, handler: Handler, *, dialog: bool = True, seconds: float = 5) -> HookRun:
    """The handler under an agent that asks for it, where it is to run."""
    with LoopWait(asyncio.get_running_loop()) as wait:
        kit = AgentKit(GATE, patience=Patience(seconds), wait=wait)
        own = Context(project="/p", cwd="/", dialog=dialog, kit=kit)
        return await invoke(GATE, handler, CALL, own, PLACES[place]())


def plain(body: Callable[[Any, Context], Any]) -> Handler:
    return body


def later(body: Callable[[Any, Context], Any]) -> Handler:
    async def handler(event: Any, ctx: Context) -> Any:
        return body(event, ctx)

    return handler


def logs_and_sends(_event: Any, ctx: Context) -> Outcome:
    ctx.log("seen")
    ctx.send("remember")
    ctx.ui.notify("look")
    return block("no")


def divides(_event: Any, ctx: Context) -> float:
    ctx.log("before")
    return 1 / 0


def forgets_to_wait(_event: Any, ctx: Context) -> None:
    ctx.exec("true")


def named(*outcomes: Outcome) -> list[Outcome]:
    return sourced(outcomes, "guard.check")


@pytest.mark.parametrize("kind", [plain, later])
@pytest.mark.parametrize("place", PLACES)
class TestEverywhere:
    async def test_no_answer_is_no_opinion(self, place: str, kind: Callable[[Any], Handler]) -> None:
        run = await call(place, kind(lambda _event, _ctx: None))
        assert (list(run.outcomes), run.fault, run.error) == ([], None, None)

    async def test_answers_messages_lines_and_what_is_sent(
        self, place: str, kind: Callable[[Any], Handler]
    ) -> None:
        run = await call(place, kind(logs_and_sends))
        assert list(run.outcomes) == named(block("no"), notify("look"))
        assert (list(run.lines), list(run.sent)) == (["seen"], [Sent("remember", "guard.check")])

    async def test_several_answers(self, place: str, kind: Callable[[Any], Handler]) -> None:
        run = await call(place, kind(lambda _event, _ctx: [allow(), context("fact")]))
        assert list(run.outcomes) == named(allow(), context("fact"))

    async def test_a_failure_is_told_by_its_kind_and_line_and_keeps_what_was_logged(
        self, place: str, kind: Callable[[Any], Handler]
    ) -> None:
        run = await call(place, kind(divides))
        assert (run.fault or "").startswith("ZeroDivisionError (line ")
        assert isinstance(run.error, ZeroDivisionError)
        assert (list(run.outcomes), list(run.lines), run.stuck) == ([], ["before"], False)

    async def test_the_end_of_an_iterator_is_no_end_of_anything_else(
        self, place: str, kind: Callable[[Any], Handler]
    ) -> None:
        run = await call(place, kind(lambda _event, _ctx: next(iter(()))), seconds=60)
        assert (run.fault or "").startswith(("StopIteration", "RuntimeError"))
        assert not run.stuck

    async def test_what_was_to_be_awaited_and_was_not_is_a_mistake(
        self, place: str, kind: Callable[[Any], Handler]
    ) -> None:
        run = await call(place, kind(forgets_to_wait))
        assert "ctx.exec (test_hooks_invoke.py, line" in (run.fault or "")
        assert "was never awaited" in (run.fault or "")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("dialog", "decision"), [(True, Decision.ASK), (False, Decision.DENY)])
async def test_a_question_is_the_answer_whatever_the_handler_makes_of_it(
    place: str, dialog: bool, decision: Decision
) -> None:
    async def asks(_event: Any, ctx: Context) -> Outcome:
        try:
            await ctx.ui.confirm("Sure?")
        except BaseException:  # noqa: BLE001 - as a handler may, which does not know what ends it
            raise ValueError("swallowed") from None
        return allow()

    run = await call(place, asks, dialog=dialog)
    assert (run.fault, run.error) == (None, None)
    assert [outcome.decision for outcome in run.outcomes] == [decision]
    assert "Sure?" in run.outcomes[0].reason


@pytest.mark.parametrize("place", ["hookd's own", "on the loop", "threads of a file"])
async def test_a_handler_that_does_not_come_back_is_stuck_and_one_whose_own_wait_ends_is_not(
    place: str,
) -> None:
    async def hangs(_event: Any, _ctx: Context) -> None:
        await asyncio.Event().wait()

    async def gives_up(_event: Any, _ctx: Context) -> None:
        raise TimeoutError("the server of 1234")

    stuck = await call(place, hangs, seconds=0.05)
    assert (stuck.fault, stuck.stuck) == ("did not finish within 0.05 s", True)
    ended = await call(place, gives_up)
    assert ended.fault is not None and ended.fault.startswith("TimeoutError")
    assert not ended.stuck and "1234" not in ended.fault


@pytest.mark.parametrize("place", ["on the loop", "threads of a file", "a process of their own"])
@pytest.mark.parametrize("answer", ["text", 3, [allow(), "text"], Outcome(context=(3,))])  # type: ignore[arg-type]
async def test_nonsense_is_a_failure_with_a_name(place: str, answer: Any) -> None:
    run = await call(place, lambda _event, _ctx: answer)
    assert run.fault is not None and ("returns an outcome" in run.fault or "wrong types" in run.fault)
    assert list(run.outcomes) == []


async def test_a_function_of_the_event_alone_answers_as_it_likes() -> None:
    async def answers(event: PreToolUse) -> dict[str, Any]:
        return {"command": event.command}

    def raises(_event: PreToolUse) -> None:
        raise ValueError

    for function in (answers, lambda event: {"command": event.command}):
        run = await invoke(GATE, function, CALL, None, on_loop)
        assert (run.answer, list(run.outcomes), run.fault) == ({"command": "ls"}, [], None)
    assert isinstance((await invoke(GATE, raises, CALL, None, on_loop)).error, ValueError)


async def dispatch(*handlers: Handler) -> Dispatched:
    api = HookAPI(name="own")
    for number, handler in enumerate(handlers):
        api.on("Stop", handler, name=f"n{number}")
    return await Dispatcher(api.handlers, None, Config(), "/").dispatch(Stop(), Context())


async def test_hookds_own_hooks_log_and_send_under_their_own_names() -> None:
    def says(text: str) -> Handler:
        def handler(_event: Any, ctx: Context) -> None:
            assert ctx.lines == []
            ctx.log(text)
            ctx.send(text)

        return handler

    done = await dispatch(says("one"), lambda _event, _ctx: None, says("two"))
    assert [list(run.lines) for run in done.runs] == [["one"], [], ["two"]]
    assert [list(run.sent) for run in done.runs] == [[Sent("one", "own.n0")], [], [Sent("two", "own.n2")]]


async def test_a_mistake_of_one_of_hookds_own_hooks_is_not_the_next_ones() -> None:
    def nonsense(_event: Any, _ctx: Context) -> str:
        return "text"

    def forgets_and_fails(event: Any, ctx: Context) -> float:
        forgets_to_wait(event, ctx)
        return divides(event, ctx)

    def fine(_event: Any, _ctx: Context) -> Outcome:
        return context("fine")

    done = await dispatch(forgets_to_wait, nonsense, forgets_and_fails, fine)
    assert [run.fault is None for run in done.runs] == [False, False, False, True]
    assert isinstance(done.runs[2].error, ZeroDivisionError)
    assert done.outcome == context("fine")


async def test_an_answer_of_hookds_own_is_not_copied() -> None:
    details = {"stdout": "clean"}
    done = await dispatch(lambda _event, _ctx: Outcome(fields={"kept": details}))
    assert done.outcome.fields["kept"] is details


def test_a_context_has_no_room_for_anything_but_its_fields() -> None:
    made = Context()
    assert not hasattr(made, "__dict__")
    with pytest.raises(AttributeError):
        made.kit = Kit()  # type: ignore[misc]
    assert "kit" not in facts_of(made)
    assert Context(**facts_of(Context(cwd="/a", turn_index=3)), kit=made.kit) == Context(
        cwd="/a", turn_index=3, kit=made.kit
    )
