"""The hooks' processes: how many there are, and that none outlives the daemon, its pool or its event."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hooks_world import (
    PATIENCE,
    Running,
    all_gone,
    hook,
    idle_pids,
    is_alive,
    open_files,
    running,
    sources,
    wait_until,
)

from hookd.config import Config
from hookd.events.outcome import Decision
from hookd.events.types import Stop
from hookd.hooks import start_worker
from hookd.hooks import worker_pool as pool_module
from hookd.hooks.api import Context
from hookd.hooks.dispatch import Dispatcher
from hookd.hooks.worker_pool import HookPool, WorkerGoneError

pytestmark = pytest.mark.anyio

PID = hook("Stop", "return context(str(os.getpid()))")


async def pid_of(hooks: Running) -> int:
    return int((await hooks.said())[0])


def waits_for(path: Path) -> str:
    """A hook that says its process's number once the file is there."""
    return hook(
        "Stop",
        f"pathlib.Path({str(path)!r} + '.' + str(os.getpid())).touch()\n"
        f"while not os.path.exists({str(path)!r}): time.sleep(0.002)\n"
        "return context(str(os.getpid()))",
        options="deadline=60",
    )


def waiting(path: Path) -> set[int]:
    return {int(found.suffix[1:]) for found in path.parent.glob(f"{path.name}.*")}


async def soon(condition: object, what: str) -> None:
    """As `wait_until`, while the event loop goes on."""
    assert callable(condition)
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)
    assert condition(), what


async def test_quiet_hooks_share_one_process(tmp_path: Path) -> None:
    async with running(tmp_path, {"a.py": PID}) as hooks:
        assert {await pid_of(hooks) for _ in range(5)} == set(idle_pids(hooks.pool))
        assert len(idle_pids(hooks.pool)) == 1


async def test_an_event_that_finds_everybody_busy_gets_a_process_of_its_own(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with running(tmp_path, {"slow.py": waits_for(gate)}) as hooks:
        events = [asyncio.create_task(hooks.said()) for _ in range(3)]
        await soon(lambda: len(waiting(gate)) == 3, "three processes run")
        gate.touch()
        assert {int((await event)[0]) for event in events} == waiting(gate)
        assert set(idle_pids(hooks.pool)) == waiting(gate)
        hooks.pool.trim()
        [left] = idle_pids(hooks.pool)
        all_gone(*waiting(gate) - {left})
        assert is_alive(left)
        assert await pid_of(hooks) == left


async def test_there_are_never_more_processes_than_the_limit_and_one_is_kept_for_gates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MAX_WORKERS", 3)
    gate = tmp_path / "gate"
    files = {"slow.py": waits_for(gate), "fine.py": hook("tool_call", "return context(str(os.getpid()))")}
    async with running(tmp_path, files) as hooks:
        events = [asyncio.create_task(hooks.said()) for _ in range(6)]
        await soon(lambda: len(waiting(gate)) == 2, "two processes run")
        [kept] = (await hooks.bash("ls")).outcome.context
        assert int(kept) not in waiting(gate)
        assert not any(event.done() for event in events)
        gate.touch()
        answered = {int((await event)[0]) for event in events}
        assert answered == waiting(gate)
        assert answered <= set(idle_pids(hooks.pool))
        assert len(idle_pids(hooks.pool)) == 3


# What matters in the next two lies between two steps of the event loop, out of an event's own reach.
async def test_an_event_that_gives_up_waiting_leaves_its_turn_to_the_next(tmp_path: Path) -> None:
    async with running(tmp_path, {"a.py": PID}) as hooks:
        worker = await hooks.pool._acquire(1)
        given_up, patient = (asyncio.create_task(hooks.pool._acquire(1)) for _ in range(2))
        await asyncio.sleep(0)
        hooks.pool._release(worker)
        given_up.cancel()
        async with asyncio.timeout(PATIENCE):
            assert await patient is worker
        assert given_up.cancelled()
        hooks.pool._release(worker)


async def test_a_gate_takes_the_place_of_a_process_that_ended_although_others_waited_longer(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, {"a.py": PID}) as hooks:
        first, second = await hooks.pool._acquire(2), await hooks.pool._acquire(2)
        other, gate = (asyncio.create_task(hooks.pool._acquire(most)) for most in (1, 2))
        await asyncio.sleep(0)
        hooks.pool._discard(first)
        async with asyncio.timeout(PATIENCE):
            third = await gate
        assert not other.done()
        hooks.pool._release(third)
        assert await other is third
        for worker in (second, third):
            hooks.pool._release(worker)


async def test_closing_ends_the_processes_and_their_children(tmp_path: Path) -> None:
    body = "child = subprocess.Popen(['sleep', '9999'])\nreturn context(f'{os.getpid()} {child.pid}')"
    async with running(tmp_path, {"a.py": hook("Stop", body)}) as hooks:
        worker, child = map(int, (await hooks.said())[0].split())
        assert is_alive(worker) and is_alive(child)
        hooks.pool.close()
        all_gone(worker, child)
        assert idle_pids(hooks.pool) == []


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "while True: pass"])
async def test_a_process_that_ends_takes_its_children_along(tmp_path: Path, end: str) -> None:
    note = tmp_path / "child"
    body = f"pathlib.Path({str(note)!r}).write_text(str(subprocess.Popen(['sleep', '9999']).pid))\n{end}"
    async with running(tmp_path, {"a.py": hook("Stop", body, options="deadline=0.5")}) as hooks:
        assert (await hooks.run("Stop")).fault
        all_gone(int(note.read_text()))


async def test_a_closed_pool_finishes_the_event_that_is_under_way(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with running(tmp_path, {"slow.py": waits_for(gate)}) as hooks:
        event = asyncio.create_task(hooks.said())
        await soon(lambda: waiting(gate), "the event is with its hook")
        hooks.pool.close()
        [worker] = waiting(gate)
        assert is_alive(worker)
        gate.touch()
        assert await event == (str(worker),)
        all_gone(worker)


async def test_an_event_that_is_cancelled_ends_its_process(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with running(tmp_path, {"slow.py": waits_for(gate)}) as hooks:
        event = asyncio.create_task(hooks.said())
        await soon(lambda: waiting(gate), "the event is with its hook")
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await event
        [worker] = waiting(gate)
        all_gone(worker)
        gate.touch()
        assert await pid_of(hooks) != worker


async def test_an_idle_process_that_was_killed_is_replaced(tmp_path: Path) -> None:
    async with running(tmp_path, {"a.py": PID}) as hooks:
        [worker] = idle_pids(hooks.pool)
        os.kill(worker, signal.SIGKILL)
        all_gone(worker)
        run = await hooks.run("Stop")
        if run.fault:  # the news of its end had not arrived yet; that costs one event
            assert run.fault == "ended its process"
        assert await pid_of(hooks) != worker


async def test_a_process_that_was_started_early_is_used(tmp_path: Path) -> None:
    started = start_worker.start(str(tmp_path))
    pool = HookPool(
        str(tmp_path),
        sources(tmp_path, {"a.py": PID}),
        entry_points=False,
        load_seconds=2,
        head_start=started,
    )
    await pool.start()
    assert idle_pids(pool) == [started.process.pid]
    pool.close()
    all_gone(started.process.pid)


def test_a_process_that_was_started_in_vain_can_be_ended(tmp_path: Path) -> None:
    before = open_files()
    started = start_worker.start(str(tmp_path))
    start_worker.end(started)
    start_worker.end(started)
    all_gone(started.process.pid)
    assert open_files() == before


def faulty_pool(base: Path) -> HookPool:
    return HookPool(
        str(base),
        sources(base, {"a.py": hook("tool_call", "return None")}),
        entry_points=False,
        load_seconds=1,
    )


async def test_a_process_that_cannot_start_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_files()
    for command in (["/bin/false"], ["/no/such/python"]):
        monkeypatch.setattr(start_worker, "command", lambda _channel, _lifeline, command=command: command)
        with pytest.raises(WorkerGoneError, match="the process for users' hooks cannot start"):
            await faulty_pool(tmp_path).start()
    await asyncio.sleep(0)
    assert open_files() == before


async def test_hooks_whose_process_cannot_be_started_again_fail_closed_at_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "dies.py": hook("tool_call", "os._exit(0)"),
        "fine.py": hook("tool_call", "return allow()"),
    }
    async with running(tmp_path, files) as hooks:
        monkeypatch.setattr(start_worker, "command", lambda _channel, _lifeline: ["/no/such/python"])
        outcome = (await hooks.bash("ls")).outcome
        assert (outcome.decision, outcome.source) == (Decision.DENY, "dies.check, fine.check")
        assert "cannot start" in outcome.reason
        monkeypatch.undo()
        assert (await hooks.bash("ls")).runs[1].fault is None


DAEMON = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from hooks_world import *

async def main():
    base = Path({base!r})
    code = (base / "stuck.py").read_text()
    async with running(base, {{"stuck.py": code}}) as hooks:
        if {fires}:
            await hooks.fire("Stop")
        print(idle_pids(hooks.pool)[0] if idle_pids(hooks.pool) else 0, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""

STUCK = {
    "while it loops": "while True: pass",
    "while it holds on": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "while it sleeps": "time.sleep(9999)",
    "while it awaits": "asyncio.run(asyncio.sleep(9999))",
    "while it is deep in C code": "re.match('(a+)+$', 'a' * 60 + 'b')",
}


def start_daemon(base: Path, body: str, *, fires: bool) -> subprocess.Popen[bytes]:
    (base / "stuck.py").write_text(hook("Stop", body))
    code = DAEMON.format(folder=str(Path(__file__).parent), base=str(base), fires=fires)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


@pytest.mark.parametrize("moment", STUCK)
def test_a_killed_daemon_leaves_no_process_behind(tmp_path: Path, moment: str) -> None:
    note = tmp_path / "pids"
    body = (
        "child = subprocess.Popen(['sleep', '9999'])\n"
        f"pathlib.Path({str(note)!r} + '.new').write_text(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(note)!r} + '.new', {str(note)!r})\n{STUCK[moment]}"
    )
    with start_daemon(tmp_path, body, fires=True) as daemon:
        wait_until(note.exists, "the hook is under way")
        worker, child = map(int, note.read_text().split())
        assert is_alive(worker) and is_alive(child)
        daemon.kill()
        all_gone(worker, child)


def test_a_killed_daemon_leaves_no_idle_process_behind(tmp_path: Path) -> None:
    with start_daemon(tmp_path, "return None", fires=False) as daemon:
        assert daemon.stdout is not None
        worker = int(daemon.stdout.readline())
        assert is_alive(worker)
        daemon.kill()
        all_gone(worker)


async def test_no_hooks_at_all_need_no_process(tmp_path: Path) -> None:
    dispatcher = Dispatcher([], None, Config(), str(tmp_path))
    assert dispatcher.events == set()
    assert (await dispatcher.dispatch(Stop(), Context())).runs == ()
