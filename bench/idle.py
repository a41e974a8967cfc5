"""What an idle daemon costs: memory, and processor time while nothing happens."""

import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from world import EVENT, world

SECONDS = 10.0


class Idle(NamedTuple):
    megabytes: float
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
        time.sleep(2)  # let the record be written; what is measured comes after
        before = _cpu(pid)
        time.sleep(seconds)
        return Idle(_resident(pid), _cpu(pid) - before, seconds)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(pid)
