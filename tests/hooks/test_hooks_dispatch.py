"""Built-in hooks, in the daemon's own process: their answers, their failures, and the gate's policy."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hooks_world import builtin, hook, limits, running

from hookd.config import Config, FailurePolicy, Limits
from hookd.events.outcome import (
    NOTHING,
    Decision,
    Outcome,
    allow,
    ask,
    block,
    context,
    defer,
    notify,
)
from hookd.events.types import Event, PreToolUse, Stop
from hookd.hooks.api import Context, Handler
from hookd.hooks.dispatch import Dispatched, Dispatcher, verdict_of
from hookd.hooks.failure_policy import failure_outcome

pytestmark = pytest.mark.anyio
BASH = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})


async def dispatch(event: Event, *handlers: tuple[str, Handler], config: Config | None = None) -> Dispatched:
    builtins = [builtin(name, handler, f"b{number}") for number, (name, handler) in enumerate(handlers)]
    return await Dispatcher(builtins, None, config or Config(), "/p").dispatch(event, Context())


def answers(outcome: Any) -> Handler:
    return lambda _event, _ctx: outcome


def raises(error: BaseException) -> Handler:
    def handler(_event: Any, _ctx: Context) -> None:
        raise error

    return handler


async def hangs(_event: Any, _ctx: Context) -> None:
    await asyncio.Event().wait()


async def answers_later(_event: Any, _ctx: Context) -> Outcome:
    await asyncio.sleep(0)
    return context("later")


async def test_built_in_hooks_answer_in_their_order_and_are_named() -> None:
    dispatched = await dispatch(
        Stop(),
        ("Stop", answers(context("one"))),
        ("Stop", answers_later),
        ("Stop", answers([context("two"), block("no")])),
        ("Stop", answers(None)),
    )
    assert dispatched.outcome == Outcome(
        decision=Decision.DENY, reason="no", context=("one", "later", "two"), source="b2.own"
    )
    assert [run.subscription.hook for run in dispatched.runs] == ["b0.own", "b1.own", "b2.own", "b3.own"]


async def test_an_event_that_nobody_listens_to_is_answered_with_nothing() -> None:
    dispatched = await dispatch(Stop(), ("PreToolUse", answers(block("no"))))
    assert (dispatched.outcome, dispatched.runs) == (NOTHING, ())


@pytest.mark.parametrize(
    ("policy", "decision", "said"),
    [
        ("ask", Decision.ASK, "hookd cannot judge this call: b0.own failed: ValueError"),
        (
            "deny",
            Decision.DENY,
            "hookd cannot judge this call, and the policy is to deny: b0.own failed: ValueError",
        ),
        ("allow", None, "hookd let a call pass unjudged: b0.own failed: ValueError"),
    ],
)
async def test_a_built_in_gate_that_fails_follows_the_policy(
    policy: Any, decision: Decision | None, said: str
) -> None:
    config = Config(sections=(FailurePolicy(on_failure=policy),))
    failing = ("tool_call", raises(ValueError("hunter2")))
    outcome = (await dispatch(BASH, failing, ("PreToolUse", answers(allow())), config=config)).outcome
    assert outcome.decision == (decision or Decision.ALLOW)
    assert (outcome.reason or "".join(outcome.messages)) == said


async def test_a_built_in_hook_that_fails_elsewhere_has_no_effect() -> None:
    dispatched = await dispatch(Stop(), ("Stop", raises(ValueError())), ("Stop", answers(context("fine"))))
    assert dispatched.outcome == context("fine")
    assert [run.fault for run in dispatched.runs] == ["ValueError", None]


async def test_a_built_in_hook_that_hangs_is_given_up() -> None:
    config = Config(limits=Limits(gate_seconds=0.05, hook_seconds=0.05))
    gate = await dispatch(BASH, ("tool_call", hangs), config=config)
    assert gate.outcome.decision is Decision.ASK
    assert "did not finish within 0.05 s" in gate.outcome.reason
    other = await dispatch(Stop(), ("Stop", hangs), ("Stop", answers(context("fine"))), config=config)
    assert other.outcome == context("fine")


async def test_an_event_that_is_cancelled_is_not_swallowed() -> None:
    task = asyncio.create_task(dispatch(BASH, ("tool_call", hangs)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_users_and_built_in_verdicts_are_folded_together(tmp_path: Path) -> None:
    files = {"a.py": hook("tool_call", "return ask('sure?')")}
    for verdict, wanted in [(allow("fine"), Decision.ASK), (block("no"), Decision.DENY)]:
        async with running(tmp_path, files, builtins=[builtin("tool_call", answers(verdict))]) as hooks:
            assert (await hooks.bash("ls")).outcome.decision is wanted


async def test_a_users_early_hook_that_hangs_does_not_keep_the_built_in_ones_from_judging(
    tmp_path: Path,
) -> None:
    files = {"a.py": hook("tool_call", "while True: pass", options="order='before'")}
    ours = [builtin("tool_call", answers(ask("sure?")))]
    async with running(tmp_path, files, builtins=ours, config=limits(tool_call_seconds=0.3)) as hooks:
        dispatched = await hooks.bash("ls")
        assert dispatched.outcome.decision is Decision.DENY
        assert dispatched.outcome.source == "a.check"
        assert (await hooks.bash("ls")).outcome.decision is Decision.ASK


@pytest.mark.parametrize("why", ["it is broken", ""])
def test_what_a_gate_answers_that_cannot_judge(why: str) -> None:
    assert failure_outcome("deny", why).decision is Decision.DENY
    assert failure_outcome("ask", why).decision is Decision.ASK
    passed = failure_outcome("allow", why)
    assert passed.decision is None
    assert passed.messages  # it never passes in silence


@pytest.mark.parametrize(
    ("outcome", "name"),
    [
        (allow(), "allow"),
        (ask("?"), "ask"),
        (defer(), "defer"),
        (block("no"), "deny"),
        (notify("x"), None),
        (NOTHING, None),
    ],
)
def test_the_verdicts_name_for_the_record(outcome: Outcome, name: str | None) -> None:
    assert verdict_of(outcome) == name
