"""The fixture that comes with hookd: a hook's author sees what the agent would."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookd import HookAPI, allow, block, context, halt, notify, replace, rewrite
from hookd.errors import UsageError
from hookd.testing import Asked, HookFailedError, HookRunner, NoAnswerError

Runner = Callable[..., HookRunner]


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    def guard(event: Any, ctx: Any) -> Any:
        match event.command:
            case "bad":
                return block("bad is bad")
            case "fine":
                return [allow("fine is fine"), notify("look")]
            case "other":
                return rewrite({"command": "another"})
            case "crash":
                return 1 / 0
            case "nonsense":
                return "yes"
            case "ask":
                return None if ctx.wait(ctx.ui.confirm("Sure?", "Really?")) else block("no")
            case "choose":
                colour = ctx.wait(ctx.ui.select("Colour?", ["red", "green"]))
                name = ctx.wait(ctx.ui.input("Name?"))
                ctx.ui.notify("thanks", "warning")
                return block(f"{colour} {name} {ctx.has_ui}")
        return None

    @hookd.on("tool_result")
    async def shorten(event: Any, ctx: Any) -> Any:
        done = await ctx.exec("printf", ["%s", event.content[:3]])
        return replace(done.stdout)

    @hookd.on("UserPromptSubmit")
    def count(event: Any, ctx: Any) -> Any:
        ctx.log(f"prompt {event.prompt}")
        ctx.send(f"you were asked: {event.prompt}")
        if event.prompt == "stop":
            return halt("enough")
        return context(f"prompt {ctx.store.update('prompts', lambda n: n + 1, 0)}")


def test_what_an_author_asserts_on(hook_runner: Runner) -> None:
    hooks = hook_runner(register)
    denied = hooks.bash("bad")
    assert denied.blocked and denied.reason == "bad is bad" and denied.decision == "deny"
    assert denied.handlers == ["test_testing_runner.guard"]
    specific = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "bad is bad",
    }
    assert denied.wire == {"hookSpecificOutput": specific}
    assert denied.exit_code == 0 and denied.stderr == ""
    allowed = hooks.bash("fine")
    assert allowed.allowed and allowed.messages == ["look"] and not allowed.blocked
    assert hooks.bash("other").tool_input == {"command": "another"}
    silent = hooks.bash("ls")
    assert silent.silent and silent.wire == {} and silent.handlers == ["test_testing_runner.guard"]
    assert hooks.tool_call("Read", file_path="a").handlers == []
    result = hooks.fire("PostToolUse", tool_name="Bash", tool_response={"stdout": "abcdef", "stderr": ""})
    assert result.result is not None and result.result.content == "abc"
    assert result.wire["hookSpecificOutput"]["updatedToolOutput"] == {"stdout": "abc", "stderr": ""}


def test_what_is_kept_and_sent_goes_the_real_way(hook_runner: Runner) -> None:
    hooks = hook_runner(register)
    first = hooks.prompt("one")
    assert (first.context, first.sent, first.log) == ("prompt 1", ["you were asked: one"], ["prompt one"])
    assert hooks.prompt("two").context == "you were asked: one\n\nprompt 2"
    stopped = hooks.prompt("stop")
    assert stopped.halted == "enough" and stopped.context == "", "what is sent waits where a turn ends"
    assert hooks.prompt("go on").context == "you were asked: two\n\nyou were asked: stop\n\nprompt 3"


def test_questions_as_under_an_agent(hook_runner: Runner) -> None:
    asked = hook_runner(register).bash("ask")
    assert asked.asks and asked.reason == "Sure?\nReally?"
    refused = hook_runner(register, attended=False).bash("ask")
    assert refused.blocked and "nobody is watching" in refused.reason
    assert "continuous integration" in hook_runner(register, ci=True).bash("ask").reason
    assert hook_runner(register).bash("choose").reason == "None None False"


def test_questions_that_the_test_answers(hook_runner: Runner) -> None:
    hooks = hook_runner(register, answers=[True, False, "green", "Ada"])
    assert hooks.bash("ask").silent
    assert hooks.bash("ask").reason == "no"
    assert hooks.bash("choose").reason == "green Ada True"
    assert hooks.asked[0] == Asked("confirm", "Sure?", "Really?")
    assert hooks.asked[2] == Asked("select", "Colour?", "red\ngreen")
    assert hooks.notified == ["warning: thanks"]


@pytest.mark.parametrize(
    ("answers", "command", "says"),
    [
        ([], "ask", "no answer is left"),
        (["yes"], "ask", "'yes' is no answer to 'Sure"),
        (["blue"], "choose", "'blue' is not among the options"),
    ],
)
def test_a_question_without_a_fitting_answer_fails_the_test(
    hook_runner: Runner, answers: list[Any], command: str, says: str
) -> None:
    with pytest.raises(NoAnswerError, match=says):
        hook_runner(register, answers=answers).bash(command, keep_faults=True)


def test_a_handler_that_fails_fails_the_test_and_shows_where(hook_runner: Runner) -> None:
    hooks = hook_runner(register)
    with pytest.raises(
        HookFailedError, match=r"test_testing_runner.guard: ZeroDivisionError.*at PreToolUse"
    ) as error:
        hooks.bash("crash")
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    with pytest.raises(HookFailedError, match="returns an outcome or None, not str"):
        hooks.bash("nonsense")
    kept = hooks.bash("crash", keep_faults=True)
    assert kept.blocked and "ZeroDivisionError (line" in kept.faults[0]


def test_a_file_beside_the_test_and_one_that_is_not_there(hook_runner: Runner, tmp_path: Path) -> None:
    path = tmp_path / "guard.py"
    path.write_text(
        "from hookd import block\ndef register(h):\n    h.on('Stop', lambda e, c: block('go on'), name='s')\n"
    )
    assert hook_runner(path).fire("Stop").wire == {"decision": "block", "reason": "go on"}
    with pytest.raises(UsageError, match=r"there is no hook file .*nowhere.py"):
        hook_runner("nowhere.py")


def test_the_gate_answers_too_when_asked_for(hook_runner: Runner) -> None:
    assert hook_runner(register).bash("rm -rf /").silent
    assert hook_runner(register, builtins=True).bash("rm -rf /").blocked


def test_what_an_event_cannot_carry_is_named(hook_runner: Runner) -> None:
    def lost(hookd: HookAPI) -> None:
        hookd.on("SessionEnd", lambda _e, _c: context("too late"), name="late")

    assert hook_runner(lost).fire("SessionEnd").dropped == ["context"]


def test_in_a_test_that_runs_on_a_loop(hook_runner: Runner) -> None:
    async def body() -> bool:
        return hook_runner(register).bash("bad").blocked

    assert asyncio.run(body())


def test_the_turn_goes_on(hook_runner: Runner) -> None:
    def turns(hookd: HookAPI) -> None:
        hookd.on("turn_start", lambda event, _ctx: notify(str(event.turn_index)), name="turn")

    hooks = hook_runner(turns)
    assert hooks.prompt("a").messages == ["0"]
    assert hooks.fire("PostToolBatch").messages == ["1"]
    assert hooks.fire("PostToolBatch").messages == ["2"]


def outside(hookd: HookAPI) -> None:
    @hookd.every(60)
    def tick(event: Any, ctx: Any) -> None:
        ctx.send(f"{event.seconds:g} s are over")

    @hookd.watch("build.log")
    async def built(event: Any, ctx: Any) -> None:
        if event.change == "deleted":
            raise LookupError
        ctx.send(f"{event.path} was {event.change}")


def test_timers_and_watched_files_are_called_by_the_test(hook_runner: Any) -> None:
    hooks = hook_runner(outside)
    assert hooks.tick().sent == ["60 s are over"]
    log = f"{hooks.project}/build.log"
    assert hooks.file_changed("build.log", "created").sent == [f"{log} was created"]
    assert hooks.prompt("go on").context == f"60 s are over\n\n{log} was created"
    with pytest.raises(HookFailedError, match="built: LookupError"):
        hooks.file_changed(log, "deleted")
    with pytest.raises(UsageError, match=r"no hook waits for other\.log"):
        hooks.file_changed("other.log")
