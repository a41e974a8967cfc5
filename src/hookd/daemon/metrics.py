"""Counts and latencies by event, and problems, kept in memory; what each hook did is on record."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from typing import Any

_SAMPLES = 512
MOST_PROBLEMS = 200
ANY_EVENT = "an event"
"""What works whenever an event was answered and recorded, whichever it was."""
# The kinds of problems whose words begin with what has to work again: an event, a hook.
_NAMES_IT_FIRST = frozenset({"bad input", "hook", "hooks", "timeout"})
_ENDS_A_TURN = frozenset({"UserPromptSubmit", "Stop", "SessionEnd"})


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

    def works(self, names: Collection[str]) -> None:
        """Forgets what went wrong with events, hooks and more that have worked since, or are others now."""
        for each in list(self.problems):
            kind, _, what = each.partition(": ")
            if not subjects(kind, what).isdisjoint(names):
                del self.problems[each]

    def forget(self, kind: str) -> None:
        """Forgets the problems of a kind: a look has found that they are over."""
        for each in [each for each in self.problems if each.startswith(f"{kind}: ")]:
            del self.problems[each]

    def event(self, name: str, milliseconds: float, *, error: bool = False) -> None:
        self.events[name].add(milliseconds, error=error)

    def report_events(self) -> dict[str, Any]:
        return {name: meter.report() for name, meter in self.events.items()}


def subjects(kind: str, what: str) -> frozenset[str]:
    """What such a problem is about: if any of it has worked since, the problem is over.

    A problem that names nothing that could work, such as a bug, is about itself alone.
    """
    if kind == "handover":
        return _ENDS_A_TURN
    if kind == "runs" or (kind == "hooks" and what.startswith("loading ")):
        return frozenset({ANY_EVENT})
    if kind not in _NAMES_IT_FIRST:
        return frozenset({kind})
    name = what.removeprefix("the input for ").partition(" ")[0]
    return frozenset({name.partition(".")[0].rstrip(":") if kind == "bad input" else name})
