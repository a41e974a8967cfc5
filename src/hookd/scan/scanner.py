"""Tells whether a text holds instructions aimed at a model, and how sure that is."""

from functools import cache
from typing import NamedTuple

from hookd.scan.engine import Engine, Hit

_WEIGHTS = {"tool_output": 0, "user_prompt": 1, "instruction_file": 2, "file": 0}
CHANNELS = tuple(_WEIGHTS)
_THRESHOLD = 0.5
_CLUSTER = 2000  # signals further apart than this do not support each other


@cache
def _engine() -> Engine:
    """One for all scanners of a process: it takes a tenth of a second and some megabytes."""
    return Engine()


class Finding(NamedTuple):
    """A signal and where it is, in code points of the text."""

    kind: str
    start: int
    end: int


class Scanned(NamedTuple):
    """The verdict on a text; the score is between 0 and 1."""

    injection: bool
    score: float
    findings: tuple[Finding, ...]


class Scanner:
    """Scans texts; patterns are compiled when the first one comes."""

    def scan(self, text: str, channel: str = "tool_output") -> Scanned:
        """What the text holds, judged as something that came through `channel`."""
        hits = _engine().hits(text, _WEIGHTS.get(channel, 0))
        if not hits:
            return Scanned(False, 0.0, ())
        score = round(_combined(hits), 3)
        return Scanned(score >= _THRESHOLD, score, _findings(hits))


def _findings(hits: list[Hit]) -> tuple[Finding, ...]:
    """In order, without those that lie inside another of their kind."""
    found: list[Finding] = []
    reached: dict[str, int] = {}
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.kind)):
        if hit.end > reached.get(hit.kind, -1):
            found.append(Finding(hit.kind, hit.start, hit.end))
            reached[hit.kind] = hit.end
    return tuple(found)


def _combined(hits: list[Hit]) -> float:
    """The likelihood that at least one signal of the densest stretch means it.

    Signals of one kind overlap in meaning, so every one after a kind's strongest counts by half.
    """
    hits = sorted(hits, key=lambda hit: hit.start)
    best = 0.0
    for i, first in enumerate(hits):
        strongest: dict[int, Hit] = {}
        for hit in hits[i:]:
            if hit.start > first.start + _CLUSTER:
                break
            if hit.signal not in strongest or strongest[hit.signal].weight < hit.weight:
                strongest[hit.signal] = hit
        doubt = 1.0
        seen = set()
        for hit in sorted(strongest.values(), key=lambda h: -h.weight):
            doubt *= 1 - hit.weight * (0.5 if hit.kind in seen else 1.0)
            seen.add(hit.kind)
        best = max(best, 1 - doubt)
    return best
