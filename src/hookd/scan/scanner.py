"""Finds instructions aimed at a model in a text, and says how sure it is."""

from collections.abc import Iterator
from typing import NamedTuple

import re2

from hookd.scan.context import belief
from hookd.scan.folding import fold, letters, origins
from hookd.scan.hiding import Decoders
from hookd.scan.signals import Signal, load

_BLOCK = 4096
_OVERLAP = 1024  # longer than any signal, so that none is lost between two blocks
_MOST_HITS = 400
_CLUSTER = 2000  # signals further apart than this do not support each other

CHANNELS = ("tool_output", "user_prompt", "instruction_file", "file")
_WEIGHT_OF = {"user_prompt": 1, "instruction_file": 2}
_THRESHOLDS = {"tool_output": 0.5, "file": 0.5, "user_prompt": 0.5, "instruction_file": 0.5}


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


class _Hit(NamedTuple):
    signal: int
    kind: str
    start: int
    end: int
    weight: float


class Scanner:
    """Scans texts; patterns are compiled when the first one comes."""

    def __init__(self) -> None:
        self._engine: _Engine | None = None

    def scan(self, text: str, channel: str = "tool_output") -> Scanned:
        """What the text holds, judged as something that came through `channel`."""
        if self._engine is None:
            self._engine = _Engine()
        if channel not in _THRESHOLDS:
            channel = "tool_output"
        hits = self._engine.hits(text, channel)
        if not hits:
            return Scanned(False, 0.0, ())
        score = _combined(hits)
        findings = tuple(sorted({Finding(h.kind, h.start, h.end) for h in hits}, key=lambda f: f[1:]))
        return Scanned(score >= _THRESHOLDS[channel], round(score, 3), findings)


class _Matcher:
    """Many patterns at once: a cheap look at each block tells which of them are worth running on it."""

    def __init__(self, patterns: list[str]) -> None:
        self._filter = re2.Filter()
        options = re2.Options()
        options.log_errors = False
        for pattern in patterns:
            self._filter.Add(pattern, options)
        self._filter.Compile()

    def matches(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """The index of each pattern that matches, with the byte offsets."""
        for at in range(0, max(len(data), 1), _BLOCK):
            block = data[at : at + _BLOCK + _OVERLAP]
            for index in self._filter.Match(block, potential=True) or ():
                for match in self._filter.re(index).finditer(block):
                    if match.start() < _BLOCK:
                        yield index, at + match.start(), at + match.end()


class _Engine:
    def __init__(self) -> None:
        self._signals = load()
        self._plain = _Matcher([signal.plain for signal in self._signals])
        spelled = [(i, signal.compact) for i, signal in enumerate(self._signals) if signal.compact]
        self._spelled = [index for index, _ in spelled]
        self._compact = _Matcher([pattern for _, pattern in spelled])
        self._decoders = Decoders()

    def hits(self, text: str, channel: str) -> list[_Hit]:
        hits = self._open(text, channel)
        for passage in self._decoders.passages(text):
            inner = (
                self._in_letters(passage.text, channel)
                if passage.spelled_apart
                else self._open(passage.text, channel)
            )
            for hit in inner[:16]:
                weight = 1 - (1 - hit.weight) * 0.6  # nobody hides what may be said openly
                hits.append(hit._replace(start=passage.start, end=passage.end, weight=weight))
                hits.append(_Hit(-1, passage.kind, passage.start, passage.end, 0.0))
        return hits[:_MOST_HITS]

    def _open(self, text: str, channel: str) -> list[_Hit]:
        folded = fold(text)
        data = folded.encode("utf-8", "replace")
        found = [m for m, _ in zip(self._plain.matches(data), range(_MOST_HITS), strict=False)]
        if not found:
            return []
        back = None if text.isascii() else origins(text)
        hits = []
        for index, first, last in found:
            start, end = (first, last) if back is None else _characters(data, first, last)
            weight = _weight(self._signals[index], channel) * belief(folded, start, end)
            if back is not None:
                start, end = back[start], back[end - 1] + 1 if end > start else back[end]
            hits.append(_Hit(index, self._signals[index].kind, start, end, weight))
        return hits

    def _in_letters(self, text: str, channel: str) -> list[_Hit]:
        found = {self._spelled[i] for i, _, _ in self._compact.matches(letters(text).encode())}
        return [
            _Hit(index, self._signals[index].kind, 0, 0, _weight(self._signals[index], channel))
            for index in sorted(found)
        ]


def _weight(signal: Signal, channel: str) -> float:
    return signal.weights[_WEIGHT_OF.get(channel, 0)]


def _characters(data: bytes, first: int, last: int) -> tuple[int, int]:
    start = len(data[:first].decode("utf-8", "ignore"))
    return start, start + len(data[first:last].decode("utf-8", "ignore"))


def _combined(hits: list[_Hit]) -> float:
    """The likelihood that at least one signal of the densest stretch means it.

    Signals of one kind overlap in meaning, so every one after a kind's strongest counts by half.
    """
    hits = sorted(hits, key=lambda hit: hit.start)
    best = 0.0
    for i, first in enumerate(hits):
        strongest: dict[int, _Hit] = {}
        for hit in hits[i:]:
            if hit.start > first.start + _CLUSTER:
                break
            if hit.signal not in strongest or strongest[hit.signal].weight < hit.weight:
                strongest[hit.signal] = hit
        doubt, seen = 1.0, set()
        for hit in sorted(strongest.values(), key=lambda h: -h.weight):
            doubt *= 1 - hit.weight * (0.5 if hit.kind in seen else 1.0)
            seen.add(hit.kind)
        best = max(best, 1 - doubt)
    return best
