"""What an idle daemon costs: memory, and processor time while nothing happens."""

import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from hookd.daemon.server import UPKEEP_QUIET_SECONDS
from world import EVENT, world

SECONDS = 10.0
# By then the record is in the store, and the store has had the care that it gets after a pause.
SETTLED_SECONDS = UPKEEP_QUIET_SECONDS + 2.0


class Idle(NamedTuple):
    megabytes: float
    settling: float
    """Milliseconds of processor time between the last event and the time measured."""
    cpu_milliseconds: float
    seconds: float


def measure(seconds: float = SECONDS) -> Idle:
    """After a hundred events, with the port open and nobody at the page."""
    with world() as at:
        at.hookd("daemon", "start")
        at.wait_for(at.files.port)
        for _ in range(100):
            subprocess.run(at.client(), input=EVENT, env=at.env, stdout=subprocess.DEVNULL, check=True)
        pid = int(Path(at.files.pid).read_text())
        answered = _cpu(pid)
        time.sleep(SETTLED_SECONDS)
        settled = _cpu(pid)
        time.sleep(seconds)
        return Idle(_resident(pid), settled - answered, _cpu(pid) - settled, seconds)


def _cpu(pid: int) -> float:
    """A process's time in milliseconds, by the clock that Linux has for it: its files count in hundredths."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1e6


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(pid)
