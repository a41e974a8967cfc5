"""Hook files in the agent's own process: the same events, the same failure policy, a person in reach."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from host_settings import BASH, command, settings

from hookd import HookAPI, allow, ask, block, context, notify, replace, rewrite
from hookd.errors import HookFileError
from hookd.events.outcome import Decision
from hookd.hooks.api import Subscription
from hookd.hooks.invoke import HookRun
from hookd.host import HookEngine


class Person:
    """A UI that answers as it is told, and knows in which thread it was asked."""

    has_ui = True

    def __init__(self, answer: bool = True) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.told: list[str] = []
        self.threads: set[int] = set()
        self.open = asyncio.Event()
        self.hold: asyncio.Event | None = None

    async def confirm(self, title: str, message: str = "") -> bool:
        self.asked.append(f"{title}|{message}")
        self.threads.add(threading.get_ident())
        self.open.set()
        if self.hold is not None:
            await self.hold.wait()
        return self.answer

    async def select(self, title: str, options: Sequence[str]) -> str | None:
        self.asked.append(title)
        return options[0]

    async def input(self, title: str, placeholder: str = "") -> str | None:  # noqa: ARG002
        return "typed"

    def notify(self, message: str, level: str = "info") -> None:
        self.threads.add(threading.get_ident())
        self.told.append(f"{level}: {message}")


class Unheard(BaseException):
    """Nothing that anybody would expect."""


GUARD = """
from hookd import HookAPI, block

def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def no_force_push(event, ctx):
        ctx.log(f"turn {ctx.turn_index} in {ctx.project}")
        if "push --force" in event.command:
            return block("force push: use --force-with-lease")
"""
PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}


def test_a_hook_file_runs_unchanged(tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(GUARD)
    engine = HookEngine.load(tmp_path, settings=[], hooks=[tmp_path / "guard.py"])
    engine.use(str(tmp_path / "." / "guard.py"))
    fired = engine.fire_sync("PreToolUse", **PUSH)
    assert fired.blocked
    assert fired.refusal == "PreToolUse:Bash hook error: force push: use --force-with-lease"
    (run,) = fired.handlers
    assert (run.name, run.type, run.outcome) == ("guard.no_force_push", "hook", "success")
    assert run.stdout == f"turn 0 in {tmp_path}"
    assert not engine.fire_sync("PreToolUse", tool_name="Read", tool_input={}).handlers


def test_hook_files_and_settings_are_one_answer() -> None:
    engine = HookEngine.load(settings=[settings("PreToolUse", command("echo no >&2; exit 2"))])

    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda _event, _ctx: [allow(), context("from the file")])

    engine.use(register)
    fired = engine.fire_sync("PreToolUse", **BASH)
    assert fired.decision is Decision.DENY
    assert fired.context == ("from the file",)
    assert {run.type for run in fired.handlers} == {"hook", "command"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("def register(hookd:\n", "SyntaxError"),
        ("x = 1\n", "no function register"),
        ("def register(hookd):\n    hookd.on('tool_cal', print)\n", "no stable event 'tool_cal'"),
        ("def register(hookd):\n    raise RuntimeError\n", "register failed: RuntimeError"),
        ("async def register(hookd):\n    pass\n", "register is async"),
    ],
)
def test_a_file_that_cannot_be_used_says_so_at_once(tmp_path: Path, text: str | None, says: str) -> None:
    file = tmp_path / "hook.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(HookFileError, match=says) as raised:
        HookEngine(hooks=[file])
    assert str(file) in str(raised.value)


def test_a_gate_that_crashes_blocks_and_others_only_tell_the_person() -> None:
    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call")
        def gate(event: Any, ctx: Any) -> None:  # noqa: ARG001
            raise ValueError("the password is 1234")

        @hookd.on("tool_result")
        async def result(event: Any, ctx: Any) -> None:  # noqa: ARG001
            raise ValueError("the password is 1234")

        @hookd.on("turn_start")
        def wrong(event: Any, ctx: Any) -> str:  # noqa: ARG001
            return "text is no outcome"

        @hookd.on("agent_start")
        def leaves(event: Any, ctx: Any) -> None:  # noqa: ARG001
            raise SystemExit(3)

        @hookd.on("UserPromptSubmit")
        async def leaves_too(event: Any, ctx: Any) -> None:  # noqa: ARG001
            raise Unheard

        @hookd.on("agent_start", name="gives_up")
        async def gives_up(event: Any, ctx: Any) -> None:  # noqa: ARG001
            raise asyncio.CancelledError

    engine = HookEngine(hooks=[register])
    fired = engine.fire_sync("PreToolUse", **BASH)
    assert fired.blocked
    assert "gate failed: ValueError" in fired.reason
    assert __file__ in fired.reason
    later = engine.fire_sync("PostToolUse", **BASH, tool_response="ok")
    assert not later.blocked
    assert not later.for_model
    assert "result failed: ValueError" in later.for_person[0]
    assert "1234" not in repr(fired) + repr(later), "what a handler raises may quote a secret"
    submitted = engine.fire_sync("UserPromptSubmit", prompt="go")
    assert not submitted.blocked
    assert [run.outcome for run in submitted.handlers] == ["error", "error", "cancelled", "error"]
    assert any("not str" in note for note in submitted.notes)


@pytest.mark.parametrize(
    ("tool", "again"), [("Wait", "did not finish"), ("Block", "still busy"), ("Thread", "still busy")]
)
def test_a_gate_that_hangs_blocks_and_the_agent_goes_on(tool: str, again: str) -> None:
    release = threading.Event()

    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call", tool="Wait")
        async def waits(event: Any, ctx: Any) -> None:  # noqa: ARG001
            await asyncio.Event().wait()

        @hookd.on("tool_call", tool="Block")
        async def blocks_its_loop(event: Any, ctx: Any) -> None:  # noqa: ARG001
            release.wait()

        @hookd.on("tool_call", tool="Thread")
        def blocks_its_thread(event: Any, ctx: Any) -> None:  # noqa: ARG001
            release.wait()

    async def session() -> list[str]:
        beats = 0

        async def heart() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0)
                beats += 1

        async with HookEngine(hooks=[register], hook_seconds=0.05) as engine:
            beating = asyncio.create_task(heart())
            fired = [await engine.fire("PreToolUse", tool_name=tool, tool_input={}) for _ in range(2)]
            assert all(found.blocked for found in fired)
            assert beats > 10, "the agent's own loop was not held up"
            beating.cancel()
            release.set()
        return [found.reason for found in fired]

    first, second = asyncio.run(session())
    assert "did not finish within 0.05 s" in first
    assert again in second


def test_only_what_a_person_takes_is_free_of_the_limit() -> None:
    async def session() -> tuple[bool, bool]:
        person = Person()
        person.hold = asyncio.Event()

        def register(hookd: HookAPI) -> None:
            @hookd.on("tool_call", tool="Async")
            async def asks(event: Any, ctx: Any) -> Any:  # noqa: ARG001
                return None if await ctx.ui.confirm("Go on?") else block("no")

            @hookd.on("tool_call", tool="Sync")
            def asks_too(event: Any, ctx: Any) -> Any:  # noqa: ARG001
                return None if ctx.wait(ctx.ui.confirm("Go on?")) else block("no")

        async with HookEngine(hooks=[register], hook_seconds=0.1, ui=person) as engine:
            blocked = []
            for tool in ("Async", "Sync"):
                person.hold.clear()
                person.open.clear()
                firing = asyncio.create_task(engine.fire("PreToolUse", tool_name=tool, tool_input={}))
                await person.open.wait()
                done, _ = await asyncio.wait({firing}, timeout=0.3)  # three times the limit
                assert not done
                person.hold.set()
                blocked.append((await firing).blocked)
            assert person.threads == {threading.get_ident()}, "a UI is only used where it belongs"
        return blocked[0], blocked[1]

    assert asyncio.run(session()) == (False, False)


def test_without_a_person() -> None:
    seen: list[Any] = []

    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call")
        async def asks(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            seen.append((ctx.has_ui, await ctx.ui.select("Which?", ["a", "b"]), await ctx.ui.input("What?")))
            ctx.ui.notify("nobody reads this")
            return None if await ctx.ui.confirm("Really?") else block("not confirmed")

    fired = HookEngine(hooks=[register]).fire_sync("PreToolUse", **BASH)
    assert fired.reason == "not confirmed"
    assert seen == [(False, None, None)]


def test_messages_for_the_next_turn_and_the_person() -> None:
    person = Person()

    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_result")
        async def tells(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            ctx.send("remember the tests")
            hookd.send("and the docs")
            ctx.ui.notify("told the model", "warning")
            return notify("said")

    async def session() -> list[str]:
        async with HookEngine(hooks=[register], ui=person) as engine:
            fired = await engine.fire("PostToolUse", **BASH, tool_response="ok")
            assert fired.for_person == ("PostToolUse:Bash says: said",)
            late = [found.text for found in engine.take_late()]
            assert engine.take_late() == []
            return late

    assert asyncio.run(session()) == ["remember the tests", "and the docs"]
    assert person.told == ["warning: told the model"]


def test_inputs_and_results_are_changed_in_the_tools_own_shape() -> None:
    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda event, _ctx: rewrite({**event.tool_input, "command": "pwd"}), name="a")
        hookd.on("tool_result", lambda _event, _ctx: replace("hidden"), name="b")

    engine = HookEngine(hooks=[register])
    assert engine.fire_sync("PreToolUse", **BASH).updated_input == {"command": "pwd"}
    fired = engine.fire_sync("PostToolUse", **BASH, tool_response={"stdout": "key", "stderr": "", "code": 0})
    assert fired.updated_output == {"stdout": "hidden", "stderr": "", "code": 0}
    assert fired.output["hookSpecificOutput"]["updatedToolOutput"]["stdout"] == "hidden"
    plain = engine.fire_sync("PostToolUse", **BASH, tool_response="key")
    assert plain.updated_output == "hidden"


def test_early_hooks_and_stable_events_come_in_order() -> None:
    seen: list[str] = []

    def register(hookd: HookAPI) -> None:
        def note(name: str) -> Any:
            async def see(event: Any, ctx: Any) -> None:  # noqa: ARG001
                await asyncio.sleep(0.01 if name == "turn_end" else 0)
                seen.append(name)

            return see

        hookd.on("turn_start", note("turn_start"), name="1")
        hookd.on("turn_end", note("turn_end"), name="2")
        hookd.on("turn_end", note("early turn_end"), order="before", name="3")
        hookd.on("PostToolBatch", note("PostToolBatch"), name="4")

    HookEngine(hooks=[register]).fire_sync("PostToolBatch", tool_calls=[])
    assert seen == ["PostToolBatch", "early turn_end", "turn_end", "turn_start"]


def test_sessions_know_where_they_were_before() -> None:
    seen: list[tuple[str, str | None, str | None]] = []

    def register(hookd: HookAPI) -> None:
        hookd.on("session", lambda e, _ctx: seen.append((e.reason, e.path, e.previous_path)), name="s")

    engine = HookEngine(hooks=[register])
    engine.fire_sync("SessionStart", source="startup", transcript_path="/one")
    engine.fire_sync("SessionStart", source="clear", transcript_path="/two")
    assert seen == [("start", "/one", None), ("clear", "/two", "/one")]


def test_what_is_asked_of_nobody_is_no() -> None:
    def register(hookd: HookAPI) -> None:
        hookd.on("tool_call", lambda _event, _ctx: ask("is that wise?"), name="asks")

    fired = HookEngine(hooks=[register]).fire_sync("PreToolUse", **BASH)
    assert fired.decision is Decision.ASK
    assert not fired.blocked  # the agent's own dialog asks; `wrap_tool` and the bridges do it through the UI


@pytest.mark.parametrize("tool", ["Async", "Sync"])
def test_under_an_agent_with_a_dialog_a_question_is_its_own(tool: str) -> None:
    def register(hookd: HookAPI) -> None:
        @hookd.on("tool_call", tool="Async")
        async def asks(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            ctx.send("asked")
            return None if await ctx.ui.confirm("Is that wise?") else block("no")

        @hookd.on("tool_call", tool="Sync")
        def asks_too(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            ctx.send("asked")
            return None if ctx.wait(ctx.ui.confirm("Is that wise?")) else block("no")

    engine = HookEngine(hooks=[register])
    engine.let_agent_ask()
    fired = engine.fire_sync("PreToolUse", tool_name=tool, tool_input={})
    assert (fired.decision, fired.reason) == (Decision.ASK, "Is that wise?")
    assert [late.text for late in engine.take_late()] == ["asked"]


def test_a_question_in_place_of_a_dialog_is_no_permission() -> None:
    def register(hookd: HookAPI) -> None:
        @hookd.on("PermissionRequest")
        async def asks(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            return allow() if await ctx.ui.confirm("Is that wise?") else block("no")

    engine = HookEngine(hooks=[register])
    engine.let_agent_ask()
    fired = engine.fire_sync("PermissionRequest", **BASH)
    assert fired.decision is Decision.ASK
    assert fired.output == {"systemMessage": "Is that wise?"}, "silence leaves it to the person"


def test_allowing_a_form_does_not_decline_it() -> None:
    engine = HookEngine()
    engine.on("Elicitation", lambda _event: allow())
    assert engine.fire_sync("Elicitation", mcp_server_name="s").output == {}


def own(*subscriptions: tuple[str, Any]) -> list[tuple[Subscription, Any]]:
    """Hooks as hookd registers its own: no file, and a name to be turned off by."""
    api = HookAPI(name="gate")
    for number, (event, handler) in enumerate(subscriptions):
        api.on(event, handler, name=f"n{number}")
    return api.handlers


def with_own(*subscriptions: tuple[str, Any], **options: Any) -> HookEngine:
    engine = HookEngine(**options)
    engine.use(lambda _hookd: None)
    assert engine._hooks is not None
    engine._hooks.own = Own(own(*subscriptions))  # type: ignore[assignment]
    return engine


class Own:
    """Hooks of hookd's own that nobody holds to a budget."""

    def __init__(self, handlers: list[tuple[Subscription, Any]]) -> None:
        self.handlers = handlers

    def tokens_left(self, _event: Any) -> int:
        return 0

    def settled(self, _event: Any, run: HookRun, *, attended: bool) -> HookRun:  # noqa: ARG002
        return run


def test_hookds_own_hooks_run_between_users_early_and_late_ones_on_the_agents_loop() -> None:
    threads: list[bool] = []

    def says(text: str) -> Any:
        def handler(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            threads.append(threading.current_thread() is threading.main_thread())
            ctx.log(text)
            return context(text)

        return handler

    def register(hookd: HookAPI) -> None:
        hookd.on("PreToolUse", says("late"), name="late")
        hookd.on("PreToolUse", says("early"), order="before", name="early")

    engine = with_own(("PreToolUse", says("own")), hooks=[register])
    fired = engine.fire_sync("PreToolUse", **BASH)
    assert fired.context == ("early", "own", "late")
    assert [(run.name.rpartition(".")[2], run.stdout) for run in fired.handlers] == [
        ("early", "early"),
        ("n0", "own"),
        ("late", "late"),
    ]
    assert threads == [False, True, False]


def test_a_gate_of_hookds_own_fails_closed_and_asks_through_the_agent() -> None:
    async def hangs(event: Any, ctx: Any) -> None:  # noqa: ARG001
        await asyncio.Event().wait()

    async def asks(event: Any, ctx: Any) -> Any:  # noqa: ARG001
        return allow() if await ctx.ui.confirm("Sure?") else block("no")

    hung = with_own(("tool_call", hangs), hook_seconds=0.05).fire_sync("PreToolUse", **BASH)
    assert hung.blocked
    assert "gate.n0 failed: did not finish within 0.05 s" in hung.reason
    assert with_own(("tool_call", asks), ui=Person(False)).fire_sync("PreToolUse", **BASH).reason == "no"
    agents = with_own(("tool_call", asks))
    agents.let_agent_ask()
    assert agents.fire_sync("PreToolUse", **BASH).decision is Decision.ASK


def test_a_hook_that_is_passive_does_not_have_an_event_sent() -> None:
    def register(hookd: HookAPI) -> None:
        hookd.on("PermissionRequest", lambda _event, _ctx: None, passive=True, name="sees")
        hookd.on("Stop", lambda _event, _ctx: None, name="wants")

    engine = HookEngine(hooks=[register])
    assert (engine.handles("PermissionRequest"), engine.handles("Stop")) == (False, True)


def test_subagents_have_a_life_of_their_own() -> None:
    seen: list[str] = []

    def register(hookd: HookAPI) -> None:
        for name in ("agent_start", "agent_end", "turn_end"):
            hookd.on(
                name,
                lambda event, _ctx, name=name: seen.append(f"{name} {event.agent_id or 'main'}"),
                name=name,
            )

    engine = HookEngine(hooks=[register])
    engine.fire_sync("UserPromptSubmit", prompt="go")
    engine.fire_sync("SubagentStart", agent_id="sub", agent_type="helper")
    engine.fire_sync("PostToolBatch", agent_id="sub", tool_calls=[])
    engine.fire_sync("SubagentStop", agent_id="sub", agent_type="helper")
    assert engine.session.turn == 0
    engine.fire_sync("Stop")
    assert seen == ["agent_start main", "agent_start sub", "agent_end sub", "turn_end main", "agent_end main"]


def test_importing_the_engine_imports_no_hook_kit() -> None:
    import subprocess
    import sys

    code = "import sys, hookd.host.engine; print([m for m in sys.modules if m.startswith('hookd.hooks')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_timers_and_watched_files_are_the_daemons_and_that_is_said(tmp_path: Path) -> None:
    def register(hookd: HookAPI) -> None:
        hookd.every(60, print, name="tick")

    engine = HookEngine.load(tmp_path, settings=[], hooks=[register])
    [problem] = engine.problems
    assert problem.endswith(".tick: every 60 s is the daemon's to call; nobody does here")
