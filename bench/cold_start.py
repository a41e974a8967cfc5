"""The first event when no daemon runs, against an interpreter that does nothing."""

import os
import subprocess
import sys
import time
from typing import NamedTuple

from world import EVENT, World, percentile, world

ROUNDS = 15


class ColdStart(NamedTuple):
    """Medians in milliseconds."""

    name: str
    bare: float
    first_event: float

    @property
    def ratio(self) -> float:
        return self.first_event / self.bare


def measure(rounds: int = ROUNDS) -> list[ColdStart]:
    return [
        _measure("built-in hook", rounds, user_hook=False),
        _measure("a user's hook", rounds, user_hook=True),
    ]


def _measure(name: str, rounds: int, *, user_hook: bool) -> ColdStart:
    bare: list[float] = []
    first: list[float] = []
    with world(user_hook=user_hook) as at:
        _first_event(at)
        at.hookd("daemon", "stop")
        for _ in range(rounds):
            bare.append(
                _timed(lambda: subprocess.run([sys.executable, "-c", "pass"], env=at.env, check=True))
            )
            first.append(_timed(lambda: _first_event(at)))
            if not os.path.exists(at.files.socket):
                raise SystemExit("the first event was not answered by a daemon")
            at.hookd("daemon", "stop")
    return ColdStart(name, percentile(bare, 0.5), percentile(first, 0.5))


def _first_event(at: World) -> None:
    subprocess.run(
        at.client(), input=EVENT, env=at.env, cwd=at.project, stdout=subprocess.DEVNULL, check=True
    )


def _timed(action: object) -> float:
    began = time.perf_counter()
    action()  # type: ignore[operator]
    return (time.perf_counter() - began) * 1000
