"""`ctx.exec`: programs that hooks run, in the real process for users' hooks and in this one."""

import asyncio
import sys
from pathlib import Path

import pytest
from hooks_world import all_gone, hook, limits, running, wait_until

from hookd import Context
from hookd.errors import ExecError, UsageError
from hookd.events.outcome import Decision
from hookd.hooks.api import Subscription
from hookd.hooks.kit.parts import Kit
from hookd.hooks.kit.run_program import Finished

pytestmark = pytest.mark.anyio


def here(tmp_path: Path) -> Context:
    return Context(
        cwd=str(tmp_path), project=str(tmp_path), kit=Kit(Subscription(hook="guard.check", event="Stop"))
    )


async def python(tmp_path: Path, code: str, **options: object) -> Finished:
    return await here(tmp_path).exec(sys.executable, ["-c", code], **options)  # type: ignore[arg-type]


async def test_a_program_runs_where_the_agent_works_and_without_a_shell(tmp_path: Path) -> None:
    done = await here(tmp_path).exec("printf", ["%s|", "a b", "$HOME", "; touch made"])
    assert done == Finished(code=0, stdout="a b|$HOME|; touch made|", stderr="")
    assert done.ok
    assert not (tmp_path / "made").exists()
    assert (await here(tmp_path).exec("pwd")).stdout == f"{tmp_path}\n"


async def test_a_line_goes_to_the_shell_when_asked(tmp_path: Path) -> None:
    done = await here(tmp_path).exec('echo "$1" | tr a-z A-Z >&2; exit 3', ["x; y"], shell=True)
    assert (done.code, done.stdout, done.stderr, done.ok) == (3, "", "X; Y\n", False)


async def test_input_variables_and_folder(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['COLOR'], os.getcwd(), sys.stdin.read())"
    done = await python(tmp_path, code, input="typed ä", env={"COLOR": "red"}, cwd="/")
    assert done.stdout == "red / typed ä\n"


async def test_output_is_bounded_and_the_program_is_not_kept_waiting(tmp_path: Path) -> None:
    done = await python(tmp_path, "print('x' * 5_000_000)", max_output=1000)
    assert (len(done.stdout), done.truncated, done.code) == (1000, True, 0)
    assert len((await python(tmp_path, "print('x' * 5_000_000)")).stdout) == 1024 * 1024


FAMILY = """
import os, pathlib, subprocess, sys, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "1000"])
pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}")
print("begun", flush=True)
child.wait()
"""


def family(tmp_path: Path) -> list[int]:
    pids = tmp_path / "pids"
    return [int(pid) for pid in wait_until(lambda: pids.exists() and pids.read_text(), "it runs").split()]


async def test_its_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    done = await python(tmp_path, FAMILY, timeout=1)
    assert (done.timed_out, done.killed, done.stdout) == (True, True, "begun\n")
    assert done.code < 0
    all_gone(*family(tmp_path))


async def test_a_signal_ends_the_whole_group(tmp_path: Path) -> None:
    stop = asyncio.Event()
    running_now = asyncio.ensure_future(python(tmp_path, FAMILY, signal=stop))
    pids = await asyncio.to_thread(family, tmp_path)
    stop.set()
    done = await running_now
    assert (done.timed_out, done.killed) == (False, True)
    all_gone(*pids)


async def test_cancelling_ends_the_whole_group(tmp_path: Path) -> None:
    running_now = asyncio.ensure_future(python(tmp_path, FAMILY))
    pids = await asyncio.to_thread(family, tmp_path)
    running_now.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running_now
    all_gone(*pids)


async def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    line = "sleep 1000 >/dev/null 2>&1 & echo $!"
    done = await here(tmp_path).exec(line, shell=True)
    all_gone(int(done.stdout))


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        (("no-such-program",), {}, "guard.check: there is no program 'no-such-program' on the PATH"),
        (("git status",), {}, "a whole line needs shell=True"),
        (("/nowhere/tool",), {}, "guard.check: cannot run /nowhere/tool: No such file or directory"),
        (("/etc/passwd",), {}, "guard.check: cannot run /etc/passwd: Permission denied"),
        (("ls",), {"cwd": "/nowhere"}, "guard.check: cannot run .*: there is no folder /nowhere"),
    ],
)
async def test_what_cannot_be_started_is_an_error_that_names_the_hook(
    tmp_path: Path, words: tuple[str, ...], options: dict[str, str], says: str
) -> None:
    with pytest.raises(ExecError, match=says):
        await here(tmp_path).exec(*words, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        (("git", "status"), {}, "the arguments as a list, not str"),
        (("git", [1]), {}, "text and paths as arguments, not int"),
        ((None,), {}, "not NoneType"),
        (("",), {}, "needs the name of a program"),
        (("ls", ["a\0b"]), {}, "NUL character"),
        (("ls",), {"timeout": 0}, "a number of seconds above 0, not 0"),
        (("ls",), {"signal": 15}, "signal is an asyncio.Event, not int"),
        (("ls",), {"max_output": -1}, "max_output is a number of bytes"),
    ],
)
async def test_a_wrong_call_is_an_error_that_names_the_hook(
    tmp_path: Path, words: tuple[object, ...], options: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError, match=f"guard.check: .*{says}"):
        await here(tmp_path).exec(*words, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_handlers_of_both_kinds_run_programs(tmp_path: Path, kind: str) -> None:
    call = "ctx.exec('printf', ['%s', event.command])"
    call = f"await {call}" if kind == "async def" else f"ctx.wait({call})"
    code = hook("tool_call", f"done = {call}\nreturn block(f'{{done.code}} {{done.stdout}}')", kind=kind)
    async with running(tmp_path, {"guard.py": code}) as hooks:
        outcome = (await hooks.bash("ls -l")).outcome
    assert (outcome.decision, outcome.reason) == (Decision.DENY, "0 ls -l")


async def test_a_program_is_ended_before_its_hook_would_be(tmp_path: Path) -> None:
    code = hook(
        "tool_call", "done = ctx.wait(ctx.exec('sleep', ['1000']))\nreturn block(str(done.timed_out))"
    )
    async with running(tmp_path, {"guard.py": code}, config=limits(tool_call_seconds=1)) as hooks:
        [run] = (await hooks.bash("ls")).runs
    assert (run.fault, [o.reason for o in run.outcomes]) == (None, ["True"])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a group with a process that was killed")
async def test_a_stuck_hook_takes_its_programs_along(tmp_path: Path) -> None:
    code = hook(
        "Stop",
        "async def go():\n"
        "    task = asyncio.ensure_future(ctx.exec('echo $$ > pid; sleep 1000', shell=True))\n"
        "    while not (os.path.exists('pid') and open('pid').read()): await asyncio.sleep(0.01)\n"
        "    while True: pass\n"
        "ctx.wait(go())",
        options="deadline=5",
    )
    async with running(tmp_path, {"stuck.py": code}) as hooks:
        [run] = (await hooks.fire("Stop", context=Context(cwd=str(tmp_path), project=str(tmp_path)))).runs
        assert run.stuck
        all_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("ctx.exec('no-such-program')", "guard.check: there is no program 'no-such-program' on the PATH"),
        ("ctx.ui.select('which?', [])", "guard.check: ui.select needs at least one option"),
        ("ctx.ui.confirm('x' * 20_000)", "guard.check: ui.confirm takes up to 10,000 characters, not 20,000"),
        ("ctx.ui.input('')", "guard.check: ui.input needs a text that says something"),
    ],
)
async def test_in_front_of_a_tool_call_a_mistake_blocks_and_says_whose_it_is(
    tmp_path: Path, call: str, fault: str
) -> None:
    async with running(tmp_path, {"guard.py": hook("tool_call", f"ctx.wait({call})")}) as hooks:
        outcome = (await hooks.bash("ls")).outcome
    assert outcome.decision is Decision.DENY
    assert fault in outcome.reason


async def test_waiting_in_an_async_handler_is_told_to_await(tmp_path: Path) -> None:
    code = hook("Stop", "ctx.wait(ctx.exec('true'))\nawait asyncio.sleep(0)", kind="async def")
    async with running(tmp_path, {"guard.py": code}) as hooks:
        run = await hooks.run("Stop")
    assert run.fault is not None and "use await here" in run.fault
