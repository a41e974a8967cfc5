"""Hooks that behave, in their own process: what reaches them, what they answer, and in which order."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hooks_world import HEAD, Running, builtin, disabled, hook, running

from hookd.events.outcome import Decision, Outcome, Result, context
from hookd.events.types import SessionStart
from hookd.hooks import start_worker
from hookd.hooks.api import Context
from hookd.wire import DAEMON_VARIABLES

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_plain_and_an_async_handler_answer(tmp_path: Path, kind: str) -> None:
    body = "if 'push --force' in event.command:\n    return block('use --force-with-lease')"
    async with running(tmp_path, {"guard.py": hook("tool_call", body, kind=kind)}) as hooks:
        assert (await hooks.bash("git push")).outcome == Outcome()
        outcome = (await hooks.bash("git push --force")).outcome
        assert outcome == Outcome(
            decision=Decision.DENY, reason="use --force-with-lease", source="guard.check"
        )


async def test_an_async_handler_may_await_and_leave_tasks_behind(tmp_path: Path) -> None:
    body = "asyncio.create_task(asyncio.sleep(9999))\nawait asyncio.sleep(0)\nreturn context('done')"
    async with running(tmp_path, {"a.py": hook("Stop", body, kind="async def")}) as hooks:
        assert [await hooks.said() for _ in range(3)] == [("done",)] * 3


EVERY_WORD = """
return [
    allow("fine"), ask("sure?"), context("fact"), notify("line"), rewrite({"command": "ls"}),
    replace("text", details={"a": [1, None]}, is_error=True), halt("stop"), respond(sessionTitle="t"),
]
"""


async def test_every_kind_of_answer_arrives(tmp_path: Path) -> None:
    async with running(tmp_path, {"a.py": hook("tool_call", EVERY_WORD)}) as hooks:
        assert (await hooks.bash("x")).outcome == Outcome(
            decision=Decision.ASK,
            reason="sure?",
            context=("fact",),
            messages=("line",),
            updated_input={"command": "ls"},
            result=Result(content="text", details={"a": [1, None]}, is_error=True),
            halt="stop",
            fields={"sessionTitle": "t"},
            source="a.check",
        )


@pytest.mark.parametrize("answer", ["None", "[]", "()", "Outcome()", "[Outcome(), Outcome()]"])
async def test_no_answer_is_no_opinion(tmp_path: Path, answer: str) -> None:
    async with running(tmp_path, {"a.py": hook("tool_call", f"return {answer}")}) as hooks:
        dispatched = await hooks.bash("x")
        assert dispatched.outcome == Outcome()
        assert [run.fault for run in dispatched.runs] == [None]


def says(event: str, text: str, options: str = "") -> str:
    return hook(event, f"return context({text!r})", options=options)


async def test_hooks_run_before_and_after_the_built_in_ones(tmp_path: Path) -> None:
    files = {
        "a.py": says("Stop", "a late"),
        "b.py": says("Stop", "b early", "order='before'"),
        "c.py": says("Stop", "c late", "order='after'"),
        "d.py": says("Stop", "d early", "order='before'"),
    }
    ours = [builtin("Stop", lambda _event, _ctx: context("built in"))]
    async with running(tmp_path, files, builtins=ours) as hooks:
        assert await hooks.said() == ("b early", "d early", "built in", "a late", "c late")


async def test_the_protocols_own_event_comes_before_the_stable_ones(tmp_path: Path) -> None:
    files = {
        "a.py": says("agent_end", "agent_end"),
        "b.py": says("turn_end", "turn_end"),
        "c.py": says("Stop", "Stop"),
    }
    async with running(tmp_path, files) as hooks:
        assert await hooks.said() == ("Stop", "turn_end", "agent_end")


async def test_handlers_of_one_file_run_in_the_order_of_their_registration(tmp_path: Path) -> None:
    code = (
        HEAD
        + "def register(hookd):\n"
        + "".join(f"    hookd.on('Stop', lambda event, ctx: context('{n}'), name='n{n}')\n" for n in range(5))
    )
    async with running(tmp_path, {"many.py": code}) as hooks:
        assert await hooks.said() == ("0", "1", "2", "3", "4")


async def test_only_hooks_whose_filters_fit_are_run(tmp_path: Path) -> None:
    files = {
        "bash.py": says("tool_call", "bash", "tool='Bash'"),
        "python.py": says("tool_call", "python", "path='*.py'"),
        "result.py": says("tool_result", "result"),
    }
    async with running(tmp_path, files) as hooks:
        assert await hooks.said("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}) == ("bash",)
        edit = {"tool_name": "Edit", "tool_input": {"file_path": f"{tmp_path}/a.py"}}
        assert await hooks.said("PreToolUse", **edit) == ("python",)
        assert await hooks.said("PostToolUse", **edit) == ("result",)
        dispatched = await hooks.fire("Stop")
        assert (dispatched.outcome, dispatched.runs) == (Outcome(), ())


@pytest.mark.parametrize(
    ("names", "left"),
    [
        ([], ("own", "one", "two")),
        (["a"], ("own", "two")),
        (["a.check"], ("own", "two")),
        (["a.other"], ("own", "one", "two")),
        (["builtin"], ("one", "two")),
        (["builtin.own", "b"], ("one",)),
    ],
)
async def test_a_hook_can_be_turned_off_by_its_name(
    tmp_path: Path, names: list[str], left: tuple[str, ...]
) -> None:
    files = {"a.py": says("Stop", "one"), "b.py": says("Stop", "two")}
    ours = [builtin("Stop", lambda _event, _ctx: context("own"))]
    async with running(tmp_path, files, builtins=ours, config=disabled(*names)) as hooks:
        assert await hooks.said() == left


async def test_the_names_that_somebody_listens_to(tmp_path: Path) -> None:
    ours = [builtin("PreCompact", lambda _event, _ctx: None)]
    files = {"a.py": says("tool_call", "x"), "b.py": says("Stop", "x"), "c.py": says("Setup", "x")}
    async with running(tmp_path, files, builtins=ours, config=disabled("c")) as hooks:
        assert hooks.dispatcher.events == {"PreCompact", "tool_call", "Stop"}


SEES = """
import json
seen = [type(event).__name__, event.session_id, ctx.agent, ctx.project, ctx.cwd, ctx.session_id]
return context(json.dumps(seen + [ctx.session_path, ctx.turn_index, ctx.attended, ctx.has_ui]))
"""


async def test_a_handler_is_told_where_it_is(tmp_path: Path) -> None:
    where = Context(
        agent="claude-code",
        project="/p",
        cwd="/p/src",
        session_id="s1",
        session_path="/t.jsonl",
        turn_index=3,
        attended=False,
    )
    async with running(tmp_path, {"a.py": hook("Stop", SEES)}) as hooks:
        [text] = (await hooks.fire("Stop", context=where)).outcome.context
        assert json.loads(text) == [
            *("Stop", "s1", "claude-code", "/p", "/p/src", "s1", "/t.jsonl"),
            *(3, False, False),
        ]


async def test_a_handler_sees_everything_the_agent_sent(tmp_path: Path) -> None:
    files = {
        "a.py": hook("PreToolUse", "return context(f'{event.command} {event.extra}')"),
        "b.py": hook("EventOfNextYear", "return context(f'{event.name} {event.extra}')"),
        "c.py": hook("turn_start", "return context(f'{event.turn_index} {event.origin.prompt}')"),
        "d.py": hook("tool_result", "return context(f'{event.content} {event.is_error} {event.tool_name}')"),
    }
    async with running(tmp_path, files) as hooks:
        bash: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
        assert await hooks.said("PreToolUse", **bash, news=[1]) == ("ls {'news': [1]}",)
        assert await hooks.said("EventOfNextYear", x="y") == ("EventOfNextYear {'x': 'y'}",)
        assert await hooks.said("UserPromptSubmit", prompt="go") == ("0 go",)
        assert await hooks.said("PostToolUseFailure", **bash, error="exit 1") == ("exit 1 True Bash",)


async def test_a_session_hook_is_told_of_the_session_before(tmp_path: Path) -> None:
    body = "return context(f'{event.reason} {event.path} {event.previous_path}')"
    async with running(tmp_path, {"a.py": hook("session", body)}) as hooks:
        event = SessionStart(source="resume", transcript_path="/new.jsonl")
        dispatched = await hooks.dispatcher.dispatch(event, Context(), "/old.jsonl")
        assert dispatched.outcome.context == ("switch /new.jsonl /old.jsonl",)


async def test_what_one_handler_does_to_its_event_is_hidden_from_the_next(tmp_path: Path) -> None:
    files = {
        "a.py": hook("tool_call", "event.tool_input['command'] = 'ls'"),
        "b.py": hook("tool_call", "return context(event.command)"),
    }
    async with running(tmp_path, files) as hooks:
        assert (await hooks.bash("rm -rf /")).outcome.context == ("rm -rf /",)


async def test_what_a_hook_logs_comes_back_under_its_name(tmp_path: Path) -> None:
    files = {
        "a.py": hook("Stop", "ctx.log('one')\nctx.log({'two': 2})"),
        "b.py": hook("Stop", "ctx.log('before it fails')\nraise ValueError"),
        "c.py": hook("Stop", "ctx.log('half \\ud83d')"),
    }
    async with running(tmp_path, files) as hooks:
        runs = (await hooks.fire("Stop")).runs
        assert {run.subscription.hook: list(run.lines) for run in runs} == {
            "a.check": ["one", "{'two': 2}"],
            "b.check": ["before it fails"],
            "c.check": ["half ?"],
        }


async def test_a_hook_keeps_what_it_remembers_between_events(tmp_path: Path) -> None:
    code = HEAD + "seen = []\n" + hook("Stop", "seen.append(1)\nreturn context(str(len(seen)))")
    async with running(tmp_path, {"a.py": code}) as hooks:
        assert [await hooks.said() for _ in range(3)] == [("1",), ("2",), ("3",)]


async def test_two_hook_files_of_one_name_do_not_share_anything(tmp_path: Path) -> None:
    code = "value = {!r}\n" + hook("Stop", "return context(value)")
    files = {"user/guard.py": code.format("user's"), "project/guard.py": code.format("project's")}
    async with running(tmp_path, files) as hooks:
        assert await hooks.said() == ("user's", "project's")


async def test_a_hooks_process_has_a_clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "ANTHROPIC_API_KEY": "sk-secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "CLAUDE_PROJECT_DIR": "/p",
        "PYTHONPATH": str(tmp_path / "injected"),
        "LD_PRELOAD": "",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TZ", "UTC")
    body = (
        "import json\nreturn context(json.dumps([dict(os.environ), os.getcwd(), sys.path, sys.stdin.read()]))"
    )
    async with running(tmp_path, {"a.py": hook("Stop", body)}) as hooks:
        env, cwd, path, stdin = json.loads((await hooks.said())[0])
        # LC_CTYPE is Python's own: it sets it where there is no locale.
        assert set(env) - {"LC_CTYPE"} <= set(DAEMON_VARIABLES)
        assert env["TZ"] == "UTC"
        assert (cwd, stdin) == (os.path.realpath(tmp_path), "")
        assert str(tmp_path / "injected") not in path
        assert not {"", ".", str(tmp_path)} & set(path)


async def test_a_module_in_the_project_cannot_take_the_place_of_hookds_own(tmp_path: Path) -> None:
    for name in ("msgspec.py", "hookd.py", "asyncio.py"):
        (tmp_path / name).write_text("raise SystemExit")
    async with running(tmp_path, {"a.py": says("Stop", "fine")}) as hooks:
        assert await hooks.said() == ("fine",)


async def test_a_project_folder_that_is_gone_is_no_reason_to_fail(tmp_path: Path) -> None:
    async with running(tmp_path / "gone", {"a.py": says("Stop", "fine")}) as hooks:
        assert await hooks.said() == ("fine",)


async def test_folders_and_files_whose_names_are_no_text_do_no_harm(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"od\xff")
    odd.mkdir()
    where = Context(project=str(odd), cwd=str(odd / "src"), session_path=str(odd / "t.jsonl"))
    body = "return context(f'{ctx.cwd} {hookd.project} {os.fsencode(os.getcwd())}')"
    async with running(odd, {"a.py": hook("Stop", body)}) as hooks:
        [said] = (await hooks.fire("Stop", context=where)).outcome.context
        shown = f"{tmp_path}/od?"
        assert said == f"{shown}/src {shown} {os.fsencode(os.path.realpath(odd))!r}"


def fake_package(base: Path, monkeypatch: pytest.MonkeyPatch, points: dict[str, str], **modules: str) -> None:
    """An installed package with hooks, on the path of the hooks' process only."""
    site = base / "site"
    info = site / "some_hooks-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-hooks\nVersion: 1.0\n")
    listed = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[hookd.hooks]\n{listed}")
    for name, code in modules.items():
        (site / f"{name}.py").write_text(code)
    start = f"import sys; sys.path.append({str(site)!r}); from hookd.hooks.worker import main; main()"
    monkeypatch.setattr(
        start_worker,
        "command",
        lambda channel, lifeline: [sys.executable, "-I", "-c", start, str(channel), str(lifeline)],
    )


async def test_an_installed_package_brings_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_package(
        tmp_path,
        monkeypatch,
        {"lint": "lint_hooks:register", "lost": "no_such_module:register"},
        lint_hooks=says("Stop", "from a package"),
    )
    async with running(tmp_path, {"a.py": says("Stop", "from a file")}, entry_points=True) as hooks:
        assert await hooks.said() == ("from a file", "from a package")
        assert [subscription.hook for subscription in hooks.pool.subscriptions] == ["a.check", "lint.check"]
        [fault] = hooks.pool.faults
        assert fault.path == "no_such_module:register"
        assert "ModuleNotFoundError" in fault.problem


async def test_a_packages_hook_at_the_gate_fails_closed_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = hook("tool_call", "raise ValueError")
    fake_package(tmp_path, monkeypatch, {"lint": "lint_hooks:register"}, lint_hooks=code)
    async with running(tmp_path, {}, entry_points=True) as hooks:
        outcome = (await hooks.bash("ls")).outcome
        assert outcome.decision is Decision.DENY
        assert "lint.check" in outcome.reason


async def test_every_call_is_told_with_its_time_and_its_error(tmp_path: Path) -> None:
    files = {"a.py": says("Stop", "x"), "b.py": hook("Stop", "raise ValueError")}
    async with running(tmp_path, files) as hooks:
        for _ in range(3):
            runs = (await hooks.fire("Stop")).runs
            assert [(run.subscription.hook, run.fault is None) for run in runs] == [
                ("a.check", True),
                ("b.check", False),
            ]
            assert all(run.milliseconds > 0 for run in runs)


async def test_a_conflict_of_two_rewrites_is_reported_by_name(tmp_path: Path) -> None:
    files = {
        "a.py": hook("tool_call", "return rewrite({'command': 'a'})"),
        "b.py": hook("tool_call", "return rewrite({'command': 'b'})"),
    }
    async with running(tmp_path, files) as hooks:
        outcome = (await hooks.bash("x")).outcome
        assert outcome.updated_input == {"command": "b"}
        assert outcome.conflicts == ("b.check replaced the tool input that a.check had rewritten",)


async def test_hooks_that_never_started_are_no_obstacle(tmp_path: Path) -> None:
    async with running(tmp_path, {}) as hooks:
        assert isinstance(hooks, Running)
        assert (await hooks.bash("ls")).outcome == Outcome()
