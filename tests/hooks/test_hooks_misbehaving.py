"""Hooks that fail, hang, shout or fall over: each is named, and costs its own event only."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hooks_world import HEAD, all_gone, hook, idle_pids, limits, open_files, running

from hookd.config import Config, FailurePolicy, Limits
from hookd.events.outcome import NOTHING, Decision
from hookd.hooks import worker_pool as pool_module
from hookd.hooks.messages import MAX_ANSWER
from hookd.hooks.worker_pool import WorkerGoneError

pytestmark = pytest.mark.anyio

FAILING = {
    "raises": ("raise ValueError('hunter2')", "ValueError (line 6)"),
    "raises something of its own": ("class Odd(Exception): pass\nraise Odd('hunter2')", "Odd (line 7)"),
    "raises what the interpreter raises": ("raise TypeError('hunter2')", "TypeError (line 6)"),
    "uses what is not there": ("event.no_such", "AttributeError"),
    "takes too few arguments": ("(lambda: None)(event)", "TypeError"),
    "sys.exit": ("sys.exit(0)", "SystemExit (line 6)"),
    "os._exit": ("os._exit(0)", "ended its process"),
    "kills itself": ("os.kill(os.getpid(), 9)", "ended its process"),
    "is interrupted": ("raise KeyboardInterrupt", "KeyboardInterrupt (line 6)"),
    "crashes the interpreter": ("import ctypes\nctypes.string_at(0)", "ended its process"),
    "exhausts the stack": ("def f(): f()\nf()", "RecursionError (line 6)"),
    "answers with a string": ("return 'hunter2'", "outcome or None"),
    "answers with a truth": ("return True", "bool"),
    "answers with a list of strings": ("return [block('x'), 'hunter2']", "str"),
    "answers with a generator": ("return (block(str(n)) for n in range(2))", "generator"),
    "puts a number where a text belongs": (
        "return block(5)",
        "Expected `str`, got `int`",
    ),
    "puts a text where an object belongs": (
        "return rewrite('hunter2')",
        "Expected `object | null`, got `str`",
    ),
    "puts an object nobody can send": ("return respond(x=object())", "object"),
    "puts half a character": ("return block('\\ud83d')", "UnicodeEncodeError"),
    "puts a huge number": ("return respond(x=10**40)", "OverflowError"),
    "gives a reason of 100 MB": ("return block('x' * 100_000_000)", "answered with 100,000,0"),
}


@pytest.mark.parametrize("case", FAILING)
@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_hook_that_fails_at_the_gate_blocks_and_is_named(
    tmp_path: Path, case: str, kind: str
) -> None:
    body, fault = FAILING[case]
    files = {
        "bad.py": hook("tool_call", body, kind=kind, name="gate"),
        "fine.py": hook("tool_call", "return context('fine')"),
    }
    async with running(tmp_path, files) as hooks:
        dispatched = await hooks.bash("ls")
        bad, fine = dispatched.runs
        assert fault in str(bad.fault)
        assert "hunter2" not in str(bad.fault)  # what an error says may quote a secret
        assert not bad.stuck
        outcome = dispatched.outcome
        assert (outcome.decision, outcome.source) == (Decision.DENY, "bad.gate")
        assert outcome.reason.startswith(
            f"hookd blocked this call because the hook bad.gate failed: {bad.fault}"
        )
        assert f"{tmp_path}/bad.py" in outcome.reason
        # The one after it ran all the same, and so does the next event.
        assert (fine.fault, outcome.context) == (None, ("fine",))
        assert (await hooks.bash("ls")).outcome.context == ("fine",)
        assert hooks.pool.quarantined == {}


@pytest.mark.parametrize("case", FAILING)
async def test_a_hook_that_fails_elsewhere_has_no_effect(tmp_path: Path, case: str) -> None:
    files = {
        "bad.py": hook("PostToolUse", FAILING[case][0]),
        "fine.py": hook("PostToolUse", "return context('fine')"),
    }
    async with running(tmp_path, files) as hooks:
        dispatched = await hooks.fire("PostToolUse", tool_name="Bash")
        bad, fine = dispatched.runs
        assert bad.fault and not fine.fault
        assert dispatched.outcome.decision is None
        assert dispatched.outcome.context == ("fine",)


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest", "tool_call"])
async def test_these_are_the_gates(tmp_path: Path, event: str) -> None:
    async with running(tmp_path, {"bad.py": hook(event, "raise ValueError")}) as hooks:
        origin = event if event != "tool_call" else "PreToolUse"
        assert (await hooks.fire(origin, tool_name="Bash")).outcome.decision is Decision.DENY


async def test_a_failure_beats_another_hooks_allow(tmp_path: Path) -> None:
    files = {"yes.py": hook("tool_call", "return allow()"), "bad.py": hook("tool_call", "raise ValueError")}
    async with running(tmp_path, files) as hooks:
        outcome = (await hooks.bash("ls")).outcome
        assert (outcome.decision, outcome.source) == (Decision.DENY, "bad.check")


LOOPING = {
    "def": "while True: pass",
    "async def": "while True: pass",
    "async def, asleep": "await asyncio.sleep(9999)",
    "def, asleep": "time.sleep(9999)",
    "def, holding on": "while True:\n    try:\n        time.sleep(9999)\n    except BaseException: pass",
    "async def, holding on": (
        "while True:\n    try:\n        await asyncio.sleep(9999)\n    except BaseException: pass"
    ),
    "def, deaf to signals": (
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass"
    ),
    "def, in C code": "re.match('(a+)+$', 'a' * 60 + 'b')",
    "def, with a child": "subprocess.run(['sleep', '9999'])",
}


@pytest.mark.parametrize("case", LOOPING)
async def test_a_hook_that_hangs_at_the_gate_is_stopped_named_and_quarantined(
    tmp_path: Path, case: str
) -> None:
    marker = tmp_path / "pid"
    body = f"pathlib.Path({str(marker)!r}).write_text(str(os.getpid()))\n{LOOPING[case]}"
    files = {
        "stuck.py": hook("tool_call", body, kind=case.partition(",")[0], options="deadline=0.4"),
        "fine.py": hook("tool_call", "return context('fine')"),
    }
    async with running(tmp_path, files) as hooks:
        dispatched = await hooks.bash("ls")
        stuck, _ = dispatched.runs
        fault = "did not finish within 0.4 s and was stopped"
        assert (stuck.fault, stuck.stuck) == (fault, True)
        assert dispatched.outcome.decision is Decision.DENY
        assert f"the hook stuck.check failed: {fault}" in dispatched.outcome.reason
        assert dispatched.outcome.context == ("fine",)
        assert hooks.pool.quarantined == {"stuck.check": fault}
        all_gone(int(marker.read_text()))
        marker.unlink()
        # From now on it is not run, and the call that it should have judged is not let through unseen.
        again = (await hooks.bash("ls")).outcome
        assert again.context == ("fine",)
        assert (again.decision, again.source) == (Decision.ASK, "stuck.check")
        assert f"the hook stuck.check ({tmp_path}/stuck.py) hung before and is quarantined" in again.reason
        assert not marker.exists()


async def test_a_hook_that_hangs_elsewhere_has_no_effect_and_is_quarantined(tmp_path: Path) -> None:
    async with running(
        tmp_path, {"stuck.py": hook("Stop", "while True: pass")}, config=limits(hook_seconds=0.4)
    ) as hooks:
        dispatched = await hooks.fire("Stop")
        assert dispatched.outcome == NOTHING
        assert dispatched.runs[0].stuck
        assert "stuck.check" in hooks.pool.quarantined
        assert (await hooks.fire("Stop")).runs == ()


@pytest.mark.parametrize(
    ("policy", "decision"), [("ask", Decision.ASK), ("deny", Decision.DENY), ("allow", None)]
)
async def test_a_quarantined_gate_follows_the_policy(
    tmp_path: Path, policy: Any, decision: Decision | None
) -> None:
    config = Config(sections=(FailurePolicy(on_failure=policy),), limits=Limits(tool_call_seconds=0.3))
    files = {"stuck.py": hook("tool_call", "while True: pass", options="tool='Bash'")}
    async with running(tmp_path, files, config=config) as hooks:
        assert (await hooks.bash("ls")).outcome.decision is Decision.DENY
        again = (await hooks.bash("ls")).outcome
        assert again.decision is decision
        assert "stuck.check" in again.reason + "".join(again.messages)
        # What it would not have looked at does not concern it.
        assert (await hooks.fire("PreToolUse", tool_name="Read")).outcome == NOTHING


async def test_hooks_that_are_left_no_time_are_not_blamed_for_it(tmp_path: Path) -> None:
    config = Config(limits=Limits(gate_seconds=0.3, tool_call_seconds=5))
    files = {
        "slow.py": hook("tool_call", "while True: pass", options="deadline=0.7"),
        "next.py": hook("tool_call", "while True: pass", options="deadline=5"),
    }
    async with running(tmp_path, files, config=config) as hooks:
        dispatched = await hooks.bash("ls")
        assert [run.fault for run in dispatched.runs] == [
            "did not finish within 0.7 s and was stopped",
            "had no time left after the hooks before it",
        ]
        assert dispatched.outcome.decision is Decision.DENY
        assert list(hooks.pool.quarantined) == ["slow.check"]


@pytest.mark.parametrize(
    ("event", "option", "tool_call_seconds", "hook_seconds", "wanted"),
    [
        ("tool_call", "", 0.3, 9, "0.3"),
        ("PreToolUse", "", 0.3, 9, "0.3"),
        ("Stop", "", 9, 0.3, "0.3"),
        ("tool_call", "deadline=0.2", 9, 9, "0.2"),
        ("tool_call", "deadline=100", 0.3, 9, "0.3"),
    ],
)
async def test_a_deadline_can_only_shorten_the_configured_limit(
    tmp_path: Path, event: str, option: str, tool_call_seconds: float, hook_seconds: float, wanted: str
) -> None:
    config = limits(tool_call_seconds=tool_call_seconds, hook_seconds=hook_seconds)
    files = {"stuck.py": hook(event, "while True: pass", options=option)}
    async with running(tmp_path, files, config=config) as hooks:
        origin = event if event != "tool_call" else "PreToolUse"
        run = await hooks.run(origin, tool_name="Bash")
        assert run.fault == f"did not finish within {wanted} s and was stopped"


async def test_everybody_elses_events_are_answered_while_a_hook_hangs(tmp_path: Path) -> None:
    files = {
        "stuck.py": hook("Stop", "while event.session_id == 'hang': pass", options="deadline=9"),
        "fine.py": hook("tool_call", "return context('fine')"),
    }
    async with running(tmp_path, files) as hooks:
        hanging = asyncio.create_task(hooks.fire("Stop", session_id="hang"))
        for number in range(10):
            assert (await hooks.bash(str(number))).outcome.context == ("fine",)
            # The same hook, for somebody whom it answers.
            assert (await hooks.fire("Stop")).runs[0].fault is None
        assert not hanging.done()
        hanging.cancel()


async def test_a_hook_of_the_same_name_in_another_file_is_not_quarantined(tmp_path: Path) -> None:
    files = {
        "project/guard.py": hook("tool_call", "while True: pass", options="deadline=0.3"),
        "user/guard.py": hook("tool_call", "return block('no')"),
    }
    async with running(tmp_path, files) as hooks:
        await hooks.bash("ls")
        outcome = (await hooks.bash("ls")).outcome
        assert (outcome.decision, outcome.reason) == (Decision.DENY, "no")


SHOUTING = """
for stream in (sys.stdout, sys.stderr):
    for _ in range(512):
        stream.write("x" * 1024 * 1024)
os.write(1, b"R\\0\\0\\0")
os.write(2, b"R\\0\\0\\0")
print(input("?") if sys.stdin.readable() and sys.stdin.read() else "")
return context("still here")
"""


async def test_a_gigabyte_of_output_disturbs_nobody(tmp_path: Path) -> None:
    async with running(tmp_path, {"loud.py": hook("Stop", SHOUTING)}) as hooks:
        assert await hooks.said() == ("still here",)


BABBLING = {
    "a message that is too long": r"b'\xff\xff\xff\x7f' + b'x' * 1000",
    "a message that is none": r"b'\x05\0\0\0hello'",
    "a message of the wrong kind": r"b'\x01\0\0\0\x05'",
    "a message that nobody waits for": "messages.pack(messages.Loading('x'))",
}


@pytest.mark.parametrize("case", BABBLING)
async def test_a_hook_that_writes_into_the_conversation_costs_its_own_event(
    tmp_path: Path, case: str
) -> None:
    body = (
        "from hookd.hooks import messages\nimport socket\n"
        "channel = next(f for f in range(3, 4000) if os.path.exists(f'/proc/self/fd/{f}') and "
        "os.readlink(f'/proc/self/fd/{f}').startswith('socket'))\n"
        f"os.write(channel, {BABBLING[case]})\nreturn context('said')"
    )
    files = {
        "babble.py": hook("tool_call", body),
        "fine.py": hook("tool_call", "return context('fine')"),
    }
    async with running(tmp_path, files) as hooks:
        for _ in range(2):
            outcome = (await hooks.bash("ls")).outcome
            assert "fine" in outcome.context
            assert (outcome.decision is Decision.DENY) == (case != "a message that nobody waits for")
        assert hooks.pool.quarantined == {}


async def test_an_answer_just_below_the_limit_arrives(tmp_path: Path) -> None:
    body = f"for _ in range(500): ctx.log('y' * 2000)\nreturn context('x' * {MAX_ANSWER - 200})"
    async with running(tmp_path, {"big.py": hook("Stop", body)}) as hooks:
        run = await hooks.run("Stop")
        assert (run.fault, len(run.outcomes[0].context[0]), len(run.lines)) == (None, MAX_ANSWER - 200, 500)


GOOD = hook("Stop", "return context('good')")
UNLOADABLE = {
    "a syntax error": ("def register(hookd:\n", "SyntaxError: '(' was never closed (line 1)"),
    "no register": ("x = 1\n", "TypeError: the file has no function register(hookd)"),
    "a missing import": ("import no_such_module\n", "No module named 'no_such_module' (line 1)"),
    "an exception": (f"{HEAD}raise ValueError('hunter2')\n", "ValueError (line 3)"),
    "sys.exit": (f"{HEAD}sys.exit(0)\n", "SystemExit (line 3)"),
    "os._exit": (f"{HEAD}os._exit(0)\n", "ended its process while loading"),
    "an endless loop": ("while True: pass\n", "did not finish loading within 1 s"),
    "an endless loop in register": (
        "def register(hookd):\n    while True: pass\n",
        "did not finish loading within 1 s",
    ),
    "a bad registration": (
        "def register(hookd):\n    hookd.on('tool_cal', print)\n",
        "bad.print: there is no stable event 'tool_cal'",
    ),
    "an async register": ("async def register(hookd): pass\n", "register is async"),
    "no text at all": ("\0", "null bytes"),
}


@pytest.mark.parametrize("with_last_good", [False, True])
@pytest.mark.parametrize("case", UNLOADABLE)
async def test_a_file_that_cannot_be_loaded_is_named_and_the_others_work(
    tmp_path: Path, case: str, with_last_good: bool
) -> None:
    code, problem = UNLOADABLE[case]
    files = {
        "a.py": hook("Stop", "return context('a')"),
        "bad.py": code,
        "z.py": hook("Stop", "return context('z')"),
    }
    good = {"bad.py": GOOD} if with_last_good else {}
    async with running(tmp_path, files, good=good, config=limits(load_seconds=1)) as hooks:
        [fault] = hooks.pool.faults
        assert fault.path == f"{tmp_path}/bad.py"
        assert problem in fault.problem
        assert "hunter2" not in fault.problem
        assert fault.kept_last_good == with_last_good
        assert await hooks.said() == (("a", "good", "z") if with_last_good else ("a", "z"))


async def test_half_a_registration_counts_for_nothing(tmp_path: Path) -> None:
    code = GOOD + "    raise ValueError\n"
    async with running(tmp_path, {"bad.py": code}) as hooks:
        assert hooks.pool.subscriptions == []


async def test_a_last_good_version_that_has_gone_bad_too_is_said(tmp_path: Path) -> None:
    async with running(tmp_path, {"bad.py": "(", "a.py": GOOD}, good={"bad.py": ")"}) as hooks:
        [fault] = hooks.pool.faults
        assert not fault.kept_last_good
        assert await hooks.said() == ("good",)


async def test_several_bad_files_are_all_named(tmp_path: Path) -> None:
    files = {"a.py": "os", "b.py": "import os\nos._exit(1)", "c.py": GOOD, "d.py": "import os\nos._exit(1)"}
    async with running(tmp_path, files) as hooks:
        assert {Path(fault.path).name for fault in hooks.pool.faults} == {"a.py", "b.py", "d.py"}
        assert await hooks.said() == ("good",)


async def test_a_file_that_lies_about_who_is_loading_does_not_keep_hookd_busy_for_ever(
    tmp_path: Path,
) -> None:
    code = (
        f"{HEAD}from hookd.hooks import messages\n"
        "os.write(int(sys.argv[1]), messages.pack(messages.Loading('/somebody/else.py')))\nos._exit(0)\n"
    )
    with pytest.raises(WorkerGoneError, match="no file of theirs is to blame"):
        async with running(tmp_path, {"liar.py": code}):
            pass


ONCE = """
import pathlib
marker = pathlib.Path(__file__).with_name("loaded-before")
if marker.exists():
    {then}
marker.touch()
def register(hookd):
    hookd.on("Stop", lambda event, ctx: print(), name="first")
"""


@pytest.mark.parametrize("then", ["raise ValueError", "import os; os._exit(1)", "while True: pass"])
async def test_a_file_that_loads_only_once_is_not_mixed_up_with_the_others(tmp_path: Path, then: str) -> None:
    """In the second process the handlers that are left must not answer to each other's numbers."""
    files = {
        "a.py": ONCE.format(then=then),
        "b.py": hook("Stop", "return context('b')"),
        "c.py": hook("tool_call", "if event.command == 'die': os._exit(0)\nreturn block('c')"),
    }
    async with running(tmp_path, files, config=limits(load_seconds=1)) as hooks:
        assert await hooks.said() == ("b",)
        await hooks.bash("die")
        dispatched = await hooks.fire("Stop")
        assert dispatched.outcome.context == ("b",)
        assert [(run.subscription.hook, run.fault) for run in dispatched.runs] == [
            ("a.first", "could not be loaded again"),
            ("b.check", None),
        ]
        outcome = (await hooks.bash("ls")).outcome
        assert (outcome.decision, outcome.reason) == (Decision.DENY, "c")


async def test_nothing_is_left_open_by_processes_that_came_and_went(tmp_path: Path) -> None:
    files = {"dies.py": hook("Stop", "os._exit(0)")}
    async with running(tmp_path, files) as hooks:
        await hooks.fire("Stop")
        await asyncio.sleep(0)
        before = open_files()
        for _ in range(5):
            await hooks.fire("Stop")
        await asyncio.sleep(0)
        assert open_files() <= before


async def test_a_hook_that_waits_its_turn_is_not_taken_for_a_stuck_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MAX_WORKERS", 1)
    gate = tmp_path / "open"
    body = f"while not os.path.exists({str(gate)!r}): time.sleep(0.002)\nreturn context('done')"
    async with running(tmp_path, {"slow.py": hook("Stop", body)}) as hooks:
        events = [asyncio.create_task(hooks.fire("Stop")) for _ in range(4)]
        await asyncio.sleep(0)
        gate.touch()
        assert [(await event).outcome.context for event in events] == [("done",)] * 4
        assert len(idle_pids(hooks.pool)) == 1
