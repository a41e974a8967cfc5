"""What the host engine adds: to a function that is called, and to a command that is started."""

import asyncio
import json
import statistics
import subprocess
import time
from typing import Any, NamedTuple

from hookd.host import HookEngine

ROUNDS = 200
CALLS = 500
MANY = 20
SLEEP = 0.2
EVENT: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
LINE = "cat > /dev/null; exit 0"


class Found(NamedTuple):
    coroutine_us: float
    function_us: float
    bare_ms: float
    hook_ms: float
    parallel: float

    @property
    def overhead(self) -> float:
        return self.hook_ms / self.bare_ms - 1


def measure() -> Found:
    return asyncio.run(_measure())


async def _measure() -> Found:
    bare, hook = await _commands()
    return Found(
        coroutine_us=await _calls(_coroutine),
        function_us=await _calls(_function),
        bare_ms=bare,
        hook_ms=hook,
        parallel=await _many(),
    )


async def _coroutine(_event: Any) -> None:
    return None


def _function(_event: Any) -> None:
    return None


async def _calls(function: Any) -> float:
    """Microseconds per event, the best of several rounds."""
    engine = HookEngine()
    engine.on("PreToolUse", function, matcher="Bash")
    times = []
    for _ in range(10):
        began = time.perf_counter()
        for _ in range(CALLS):
            await engine.fire("PreToolUse", **EVENT)
        times.append((time.perf_counter() - began) / CALLS * 1e6)
    return min(times)


def _settings(*lines: str) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line} for line in lines]}]}}


async def _commands() -> tuple[float, float]:
    """Median milliseconds of the bare command and of the hook, in turn."""
    engine = HookEngine.load(settings=[_settings(LINE)])
    data = json.dumps(engine.session.payload("PreToolUse", EVENT)).encode()
    bare, hook = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(
            ["/bin/sh", "-c", LINE], input=data, capture_output=True, check=True, start_new_session=True
        )
        middle = time.perf_counter()
        await engine.fire("PreToolUse", **EVENT)
        bare.append(middle - began)
        hook.append(time.perf_counter() - middle)
    return statistics.median(bare) * 1e3, statistics.median(hook) * 1e3


async def _many() -> float:
    """The time of all, in units of the slowest one's."""
    engine = HookEngine.load(settings=[_settings(*(f"sleep {SLEEP}; : {number}" for number in range(MANY)))])
    ratios = []
    for _ in range(5):
        began = time.perf_counter()
        fired = await engine.fire("PreToolUse", **EVENT)
        whole = (time.perf_counter() - began) * 1e3
        ratios.append(whole / max(run.duration_ms for run in fired.handlers))
    return min(ratios)


if __name__ == "__main__":
    print(measure())
