"""Users' hooks in real processes behind a real dispatcher."""

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from hookd.config import Config, Hooks, Limits
from hookd.events.codec import decode
from hookd.hooks.api import Context, Handler, HookAPI, Subscription
from hookd.hooks.dispatch import Dispatched, Dispatcher
from hookd.hooks.invoke import HookRun
from hookd.hooks.messages import Source
from hookd.hooks.worker_pool import HookPool

PATIENCE = 30.0
HEAD = "from hookd import *\nimport asyncio, os, pathlib, re, subprocess, sys, time\n"


def wait_until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """The condition's first true value; fails with `what` if it never comes."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:g} s in vain: {what}"
        time.sleep(0.005)
    return value


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_gone(*pids: int) -> None:
    for pid in pids:
        wait_until(lambda pid=pid: not is_alive(pid), f"process {pid} ends")  # type: ignore[misc]


def hook(event: str, body: str, *, options: str = "", name: str = "check", kind: str = "def") -> str:
    """A hook file with one handler."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        f"{HEAD}def register(hookd):\n"
        f"    @hookd.on({event!r}{', ' if options else ''}{options})\n"
        f"    {kind} {name}(event, ctx):\n{lines}\n"
    )


def limits(**seconds: float) -> Config:
    return Config(limits=Limits(**seconds))


def disabled(*names: str) -> Config:
    return Config(hooks=Hooks(disabled=list(names)))


def idle_pids(pool: HookPool) -> list[int]:
    return [worker.started.process.pid for worker in pool._idle]


class Running:
    """Loaded hooks that events can be fired at."""

    def __init__(self, base: Path, pool: HookPool, dispatcher: Dispatcher) -> None:
        self.base = base
        self.pool = pool
        self.dispatcher = dispatcher

    async def fire(self, event: str, *, context: Context | None = None, **fields: Any) -> Dispatched:
        wire = {"hook_event_name": event, "session_id": "s1", **fields}
        decoded, _ = decode(msgspec.json.encode(wire))
        return await self.dispatcher.dispatch(decoded, context or Context(project=str(self.base)))

    async def bash(self, command: str) -> Dispatched:
        return await self.fire("PreToolUse", tool_name="Bash", tool_input={"command": command})

    async def run(self, event: str, **fields: Any) -> HookRun:
        """Fires an event that exactly one handler takes."""
        [run] = (await self.fire(event, **fields)).runs
        return run

    async def said(self, event: str = "Stop", **fields: Any) -> tuple[str, ...]:
        """The contexts that the hooks answered with."""
        return (await self.fire(event, **fields)).outcome.context


def sources(base: Path, files: Mapping[str, str], good: Mapping[str, str] | None = None) -> list[Source]:
    last_good = {name: code.encode() for name, code in (good or {}).items()}
    return [Source(str(base / name), code.encode(), last_good.get(name)) for name, code in files.items()]


@asynccontextmanager
async def running(
    base: Path,
    files: Mapping[str, str],
    *,
    good: Mapping[str, str] | None = None,
    config: Config | None = None,
    builtins: Sequence[tuple[Subscription, Handler]] = (),
    entry_points: bool = False,
) -> AsyncIterator[Running]:
    """The hook files, loaded; their processes are gone afterwards."""
    settings = config or Config()
    pool = HookPool(
        str(base),
        sources(base, files, good),
        entry_points=entry_points,
        load_seconds=settings.limits.load_seconds,
        kept=str(base / "kept"),
    )
    await pool.start()
    try:
        yield Running(base, pool, Dispatcher(builtins, pool, settings, str(base)))
    finally:
        pool.close()


def builtin(event: str, handler: Handler, name: str = "builtin") -> tuple[Subscription, Handler]:
    api = HookAPI(name=name)
    api.on(event, handler, name="own")
    return api.handlers[0]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))
