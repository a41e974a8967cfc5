"""The first event when no daemon runs, against an interpreter that does nothing."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from world import EVENT, World, percentile, world

ROUNDS = 15


class Ratio(NamedTuple):
    """Medians in milliseconds: an interpreter that does nothing, and an answered event."""

    name: str
    bare: float
    answer: float

    @property
    def ratio(self) -> float:
        return self.answer / self.bare


def measure(rounds: int = ROUNDS) -> list[Ratio]:
    return [
        _measure("built-in hook", rounds, user_hook=False),
        _measure("a user's hook", rounds, user_hook=True),
    ]


def _measure(name: str, rounds: int, *, user_hook: bool) -> Ratio:
    bare: list[float] = []
    first: list[float] = []
    with world(user_hook=user_hook) as at:
        one_event(at)
        at.hookd("daemon", "stop")
        for _ in range(rounds):
            bare.append(timed(bare_interpreter, at))
            first.append(timed(one_event, at))
            if not os.path.exists(at.files.socket):
                raise SystemExit("the first event was not answered by a daemon")
            at.hookd("daemon", "stop")
    return Ratio(name, percentile(bare, 0.5), percentile(first, 0.5))


def bare_interpreter(at: World) -> None:
    subprocess.run([sys.executable, "-c", "pass"], env=at.env, check=True)


def one_event(at: World) -> None:
    subprocess.run(at.client(), input=EVENT, env=at.env, cwd=at.project, capture_output=True, check=True)


def timed(action: Callable[[World], None], at: World) -> float:
    began = time.perf_counter()
    action(at)
    return (time.perf_counter() - began) * 1000
