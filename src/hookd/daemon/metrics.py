"""Counts and latencies by event, and problems, kept in memory; what each hook did is on record."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from typing import Any

_SAMPLES = 512
MOST_PROBLEMS = 200
HOOK_PROBLEM = "hook: "
"""What a problem begins with that a user's hook has, before its name."""


class Meter:
    """How often something ran, how often it failed, and how long it took lately."""

    __slots__ = ("calls", "errors", "last", "samples")

    def __init__(self) -> None:
        self.calls = 0
        self.errors = 0
        self.last = 0.0
        self.samples: deque[float] = deque(maxlen=_SAMPLES)

    def add(self, milliseconds: float, *, error: bool) -> None:
        self.calls += 1
        self.errors += error
        self.last = time.time()
        self.samples.append(milliseconds)

    def report(self) -> dict[str, Any]:
        ordered = sorted(self.samples)
        return {
            "calls": self.calls,
            "errors": self.errors,
            **{f"p{share}_ms": percentile(ordered, share / 100) for share in (50, 95, 99)},
            "last": self.last or None,
        }


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The value below which this share of them is; of none there is none."""
    if not ordered:
        return None
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 4)


class Metrics:
    """All meters of one process, and the problems a person should know of."""

    def __init__(self) -> None:
        self.events: defaultdict[str, Meter] = defaultdict(Meter)
        self.problems: Counter[str] = Counter()
        self.stood_down = 0
        """Events left to another agent that runs the same settings file."""

    def problem(self, what: str) -> None:
        """Counts a problem; a flood of different ones does not fill the memory."""
        if what in self.problems or len(self.problems) < MOST_PROBLEMS:
            self.problems[what] += 1
        else:
            self.problems["more of other kinds"] += 1

    def mended(self, hooks: Collection[str]) -> None:
        """Forgets what went wrong with hooks whose files are others now."""
        for what in [each for each in self.problems if each.startswith(HOOK_PROBLEM)]:
            if what.removeprefix(HOOK_PROBLEM).partition(" on ")[0] in hooks:
                del self.problems[what]

    def event(self, name: str, milliseconds: float, *, error: bool = False) -> None:
        self.events[name].add(milliseconds, error=error)

    def report_events(self) -> dict[str, Any]:
        return {name: meter.report() for name, meter in self.events.items()}
