"""Finds the signals in a text, open and hidden, each with the weight its surroundings leave it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import re2

from hookd.scan.normalize import fold, letters, origins
from hookd.scan.obfuscation import Decoders, unseen
from hookd.scan.signals import load

_BLOCK = 2048
_OVERLAP = 512  # longer than nearly any signal, so that none is lost between two blocks
_MOST_MATCHES = 300  # of one signal
_MOST_HITS = 200
_SUPPORT = 0.3  # signals that weigh less only count beside others, so nobody pays for them in clean text
_NEAR = 2000
_UNSEEN = {"hidden": -1, "invisible": -2}
_AROUND = 160
_TALK = re.compile(
    r"prompt.?injection|jailbreak(?:s|ing)?\b|\binjection|attack(?!er)|adversar|"
    r"malicious(?:ly)? (?:prompt|instruction|input)|"
    r"red.?team|detect|\bphrases?\b|\bpatterns?\b|\bregex|\bassert|\btest(?:s|ing|_|ed)?\b(?! of)|"
    r"unit test|\bfixtures?\b|examples?\b|"
    r"\be\.g\.|such as|for instance|\bquot(?:e|es|ed|ing)\b|untrusted|literal|\bowasp\b|\bcve-|guardrails?\b|"
    r"\bsays?\b|saying|string|training (?:material|data)|awareness|security|analysts?|false positives?|"
    r"classif|\bblock(?:ed|s)?\b|flag(?:ged|s)?\b|sanitiz|\bevaluat|benchmark|dataset|corpus|\bsamples?\b|"
    r"\bexplain|\bmentions\b|\blists?\b|\btriggers?\b|documentation|\bquiz|\blesson|\blearn"
)
_QUOTES = "'\"`"
_NEGATION = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bcannot|\bavoid|refuse(?:s|d)? to|\bshouldn t)\W{1,3}(?:\w+\W){0,1}$"
)


class Hit(NamedTuple):
    """A signal at its place in the text; what is found beside signals has a negative number."""

    signal: int
    kind: str
    start: int
    end: int
    weight: float


class Engine:
    """All patterns, compiled once; `channel` is the index of the weight to use."""

    def __init__(self) -> None:
        self._signals = load()
        numbered = list(enumerate(self._signals))
        self._tiers: dict[int, tuple[_Matcher, _Matcher]] = {}
        self._hidden = _Matcher({i: s.plain for i, s in numbered if s.hidden})
        self._spelled = _Matcher({i: s.compact for i, s in numbered if s.compact})
        self._decoders = Decoders()

    def _tier(self, channel: int) -> tuple["_Matcher", "_Matcher"]:
        """What is looked for in this channel, and what is looked for beside that."""
        if channel not in self._tiers:
            shown = {i: s for i, s in enumerate(self._signals) if not s.hidden}
            first = {i: s.plain for i, s in shown.items() if s.weights[channel] >= _SUPPORT}
            gates = {i: s.gate for i, s in shown.items() if s.gate}
            support = {i: s.plain for i, s in shown.items() if i not in first}
            self._tiers[channel] = _Matcher(first, gates), _Matcher(support)
        return self._tiers[channel]

    def hits(self, text: str, channel: int) -> list[Hit]:
        """The weightiest signals of the text."""
        hits = self._open(text, channel, hidden=False)
        for hit in list(hits):
            for kind in unseen(text, hit.start, hit.end):
                hits.append(Hit(_UNSEEN[kind], kind, hit.start, hit.end, 0.35))
        for passage in self._decoders.passages(text):
            inner = (
                self._letters(passage.text, channel)
                if passage.spelled_apart
                else self._open(passage.text, channel, hidden=True)
            )
            for hit in inner:
                weight = 1 - (1 - hit.weight) * 0.6  # nobody hides what may be said openly
                hits.append(hit._replace(start=passage.start, end=passage.end, weight=weight))
                hits.append(Hit(-3, passage.kind, passage.start, passage.end, 0.0))
        return hits

    def _open(self, text: str, channel: int, hidden: bool) -> list[Hit]:
        folded = fold(text)
        data = folded.encode("utf-8", "replace")
        first, support = self._tier(channel)
        found = list(first.matches(data))
        if hidden:
            found += self._hidden.matches(data)
        if not found:
            return []
        for low, high in _around(found, len(data)):
            found += ((i, low + a, low + b) for i, a, b in support.matches(data[low:high]))
        place = _characters(data, {at for _, *span in found for at in span})
        hits = []
        for index, *span in found:
            signal = self._signals[index]
            start, end = (place[at] for at in span)
            weight = signal.weights[channel] * _belief(folded, start, end)
            hits.append(Hit(index, signal.kind, start, end, weight))
        hits = sorted(hits, key=lambda hit: -hit.weight)[:_MOST_HITS]
        if text.isascii():
            return hits
        back = origins(text)
        return [hit._replace(start=back[hit.start], end=back[hit.end - 1] + 1) for hit in hits]

    def _letters(self, text: str, channel: int) -> list[Hit]:
        found = {index for index, _, _ in self._spelled.matches(letters(text).encode())}
        return [Hit(i, self._signals[i].kind, 0, 0, self._signals[i].weights[channel]) for i in sorted(found)]


class _Matcher:
    """Many patterns at once: a cheap look at each block tells which of them are worth running on it."""

    def __init__(self, patterns: dict[int, str], gates: dict[int, str] | None = None) -> None:
        options = re2.Options()
        options.log_errors = False
        self._filter = re2.Filter()
        for pattern in patterns.values():
            self._filter.Add(pattern, options)
        self._filter.Compile()
        self._indices = list(patterns)
        self._patterns = [self._filter.re(i) for i in range(len(patterns))]
        self._gates = [(gates or {}).get(index) for index in patterns]
        self._gate_patterns = {gate: re2.compile(gate, options) for gate in self._gates if gate}

    def matches(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """The signal and the byte offsets of each match."""
        at = 0
        counts = [0] * len(self._patterns)
        while at < len(data):
            block = data[at : at + _BLOCK + _OVERLAP]
            end = max(block.rfind(b" ", 1, _BLOCK), 0) or _BLOCK if at + _BLOCK < len(data) else _BLOCK
            opened: dict[str, bool] = {}
            for index in self._filter.Match(block, potential=True) or ():
                gate = self._gates[index]
                if gate and gate not in opened:
                    opened[gate] = bool(self._gate_patterns[gate].search(block))
                if counts[index] >= _MOST_MATCHES or (gate and not opened[gate]):
                    continue
                for match in self._patterns[index].finditer(block):
                    if match.start() < end:
                        counts[index] += 1
                        yield self._indices[index], at + match.start(), at + match.end()
            at += end


def _around(found: list[tuple[int, int, int]], size: int) -> list[tuple[int, int]]:
    """The stretches near what was found: a signal further away would support nothing."""
    stretches: list[tuple[int, int]] = []
    for _, first, last in sorted(found, key=lambda match: match[1]):
        low, high = max(0, first - _NEAR), min(size, last + _NEAR)
        if stretches and low <= stretches[-1][1]:
            low, high = stretches[-1][0], max(high, stretches.pop()[1])
        stretches.append((low, high))
    return stretches


def _characters(data: bytes, offsets: set[int]) -> dict[int, int]:
    """The index of the character at each of these byte offsets."""
    if data.isascii():
        return {at: at for at in offsets}
    place, last, count = {}, 0, 0
    for at in sorted(offsets):
        count += len(data[last:at].decode("utf-8", "replace"))
        place[at], last = count, at
    return place


def _belief(folded: str, start: int, end: int) -> float:
    """The share of a signal's weight that its surroundings leave it.

    Words may be said or only talked about: quoted, negated, or shown as what an attack looks like.
    """
    before, after = folded[max(0, start - _AROUND) : start], folded[end : end + _AROUND]
    talk = len(set(_TALK.findall(before))) + len(set(_TALK.findall(after)))
    share = 0.4 if _NEGATION.search(before[-24:]) else 1.0
    if _quoted(before, folded[start:end] + after):
        return share * (0.9, 0.4, 0.25)[min(talk, 2)]
    return share * (1.0, 0.95, 0.75, 0.6)[min(talk, 3)]


def _quoted(before: str, after: str) -> bool:
    """In quotation marks that open shortly before and close shortly after, on the same line."""
    left, right = before[-48:].rpartition("\n")[2], after[:120].partition("\n")[0]
    return any(mark in left and mark in right for mark in _QUOTES)
