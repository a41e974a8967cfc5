"""Handlers that misbehave cost nobody but themselves."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from host_settings import BASH, Fire, command, settings

from hookd.errors import UsageError
from hookd.host import Fired, HookEngine

GOOD = command("cat > /dev/null; echo no >&2; exit 2")


def deny_beside(fire: Fire, bad: dict[str, Any], **options: Any) -> Fired:
    """The bad handler beside a good one, whose refusal counts whatever the other does."""
    fired = fire(settings("PreToolUse", bad, GOOD), **options)
    assert fired.blocked
    assert fired.reason == "no"
    return fired


def bad_run(fired: Fired) -> Any:
    return next(run for run in fired.handlers if run.name != GOOD["command"])


def test_100_megabytes_of_output_are_read_and_dropped(fire: Fire) -> None:
    fired = deny_beside(fire, command("head -c 100000000 /dev/zero | tr '\\0' x"))
    run = bad_run(fired)
    assert run.outcome == "error"
    assert run.problem == "it wrote more than 16 MiB"
    assert len(run.stdout) == 16 * 1024 * 1024


def test_input_that_is_never_read_holds_up_nobody(fire: Fire) -> None:
    large = {**BASH, "tool_input": {"command": "x" * 5_000_000}}
    fired = deny_beside(fire, command("exit 0"), fields=large)
    assert bad_run(fired).outcome == "success"


def test_input_that_is_read_late_arrives_whole(fire: Fire) -> None:
    large = {**BASH, "tool_input": {"command": "x" * 5_000_000}}
    fired = fire(settings("PreToolUse", command("wc -c >&2; exit 2")), fields=large)
    assert int(fired.reason) > 5_000_000


def test_a_daemon_that_keeps_the_output_open_is_not_waited_for(fire: Fire, tmp_path: Path) -> None:
    started = time.monotonic()
    fired = deny_beside(fire, command(f"sleep 60 & echo $! > {tmp_path}/pid; echo said"))
    assert bad_run(fired).stdout == "said\n"
    assert time.monotonic() - started < 30
    os.kill(int((tmp_path / "pid").read_text()), 9)


def test_a_deaf_handler_is_killed_with_its_children(fire: Fire, tmp_path: Path) -> None:
    line = f"trap '' TERM; sleep 60 & echo $! > {tmp_path}/pid; wait; sleep 60"
    fired = deny_beside(fire, command(line, timeout=0.2))
    run = bad_run(fired)
    assert run.outcome == "cancelled"
    with pytest.raises(ProcessLookupError):
        _wait_gone(int((tmp_path / "pid").read_text()))


def _wait_gone(pid: int) -> None:
    """A killed child is its new parent's to reap, which takes a moment."""
    for _ in range(200):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().split()[2] == "Z":
            raise ProcessLookupError
        time.sleep(0.01)


def test_a_handler_that_cannot_start_is_said(fire: Fire) -> None:
    fired = deny_beside(fire, command("/missing/program", args=[]))
    assert bad_run(fired).outcome == "error"
    assert "ENOENT: no such file or directory, posix_spawn '/missing/program'" in bad_run(fired).stderr
    assert fired.notes


def test_output_that_is_no_text_is_read_as_far_as_possible(fire: Fire) -> None:
    fired = deny_beside(fire, command("printf '\\377\\376\\000x'"))
    assert bad_run(fired).outcome == "success"


def test_a_handler_killed_by_a_signal_counts_as_failed(fire: Fire) -> None:
    run = bad_run(deny_beside(fire, command("kill -9 $$")))
    assert (run.outcome, run.exit_code) == ("error", 1)


def test_a_function_that_raises_or_blocks_is_alone_with_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    async def run() -> Fired:
        async with HookEngine.load(
            tmp_path, settings=[settings("PreToolUse", GOOD)], env=environment
        ) as engine:

            @engine.on("PreToolUse", on_failure="allow")
            def raises(event: Any) -> None:
                raise SystemExit(f"{event.tool_name} is not for me")

            @engine.on("PreToolUse", timeout=0.1, on_failure="allow")
            def blocks(_event: Any) -> None:
                time.sleep(3)

            @engine.on("PreToolUse", timeout=0.1, on_failure="allow")
            async def waits(_event: Any) -> None:
                await asyncio.sleep(60)

            @engine.on("PreToolUse", on_failure="allow")
            def odd(_event: Any) -> int:
                return 5

            return await engine.fire("PreToolUse", **BASH)

    fired = asyncio.run(run())
    assert fired.reason == "no"
    outcomes = {run.name.rpartition(".")[2]: run.outcome for run in fired.handlers if run.type == "python"}
    assert outcomes == {"raises": "error", "blocks": "cancelled", "waits": "cancelled", "odd": "error"}


async def raises(_event: Any) -> None:
    raise RuntimeError("the check is broken")


async def hangs(_event: Any) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("function", [raises, hangs])
@pytest.mark.parametrize(
    ("event", "on_failure", "blocked"),
    [
        ("PreToolUse", None, True),
        ("PermissionRequest", None, True),
        ("UserPromptSubmit", None, False),
        ("PreToolUse", "allow", False),
        ("UserPromptSubmit", "block", True),
    ],
)
def test_what_a_function_that_fails_means(
    function: Any, event: str, on_failure: Literal["block", "allow"] | None, blocked: bool
) -> None:
    engine = HookEngine()
    engine.on(event, function, timeout=0.05, on_failure=on_failure)
    engine.on(event, timeout=0.05, on_failure=on_failure)(function)
    fired = engine.fire_sync(event, **BASH, prompt="x")
    assert fired.blocked is blocked
    assert ('because on_failure is "block"' in fired.reason) is blocked
    assert fired.notes


def test_what_a_failure_cannot_mean() -> None:
    with pytest.raises(UsageError):
        HookEngine().on("PreToolUse", raises, on_failure="deny")  # type: ignore[arg-type]


def test_cancelling_an_event_ends_its_handlers(tmp_path: Path, environment: dict[str, str]) -> None:
    async def run() -> int:
        found = settings("PreToolUse", command(f"echo $$ > {tmp_path}/pid; exec sleep 60"))
        async with HookEngine.load(tmp_path, settings=[found], env=environment) as engine:
            firing = asyncio.ensure_future(engine.fire("PreToolUse", **BASH))
            while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
                await asyncio.sleep(0.01)
            firing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await firing
        return int((tmp_path / "pid").read_text())

    pid = asyncio.run(run())
    with pytest.raises(ProcessLookupError):
        _wait_gone(pid)
