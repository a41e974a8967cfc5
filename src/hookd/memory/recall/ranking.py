"""In which order: the text counts most, then the moment, the importance, the files and the task at hand."""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from hookd.memory.recall.query import Query
from hookd.memory.repository.remembered import Remembered
from hookd.memory.words import tokens

# As full-text engines have it: how soon repetition stops to count, and how much length does.
_REPETITION, _LENGTH = 1.2, 0.75
# What two of the query's words are worth that stand together, nearly so, or as one word.
_TOGETHER, _NEARLY, _JOINED = 0.25, 0.12, 0.25
# The beginning of a text says what it is it.
_BEGINNING, _BEGINNING_WORDS = 0.2, 25

_RECENT, _RECENT_DAYS = 0.08, 30.0
_IMPORTANT, _SAME_FILE, _SAME_TASK, _SAME_SESSION = 0.2, 0.15, 0.1, 0.05


class Near(NamedTuple):
    """What the person or agent is at: results about the same come first among equals."""

    paths: frozenset[str] = frozenset()
    task: str = ""
    session: str = ""


NOWHERE = Near()


class Scorer:
    """Scores texts against one query; 0 has none of its words, 1 is about all of them once."""

    def __init__(self, query: Query) -> None:
        self._exact = {word.term.text: word.weight for word in query.words if not word.term.is_prefix}
        self._prefixes = [(word.term.text, word.weight) for word in query.words if word.term.is_prefix]
        self._total = query.weight
        self._average = query.totals.average
        self._pairs = [
            (first, second, min(self._exact[first], self._exact[second]))
            for first, second in dict.fromkeys(pairwise(query.order))
            if first != second and first in self._exact and second in self._exact
        ]

    def score(self, text: str) -> float:
        if not self._total:
            return 0.0
        found = tokens(text)
        counts = Counter(found)
        held_back = _REPETITION * (1 - _LENGTH + _LENGTH * len(found) / self._average)
        score = 0.0
        for token, weight in self._exact.items():
            if many := counts.get(token):
                score += weight * many * (_REPETITION + 1) / (many + held_back)
        for prefix, weight in self._prefixes:
            if many := sum(count for token, count in counts.items() if token.startswith(prefix)):
                score += weight * many * (_REPETITION + 1) / (many + held_back)
        first = set(found[:_BEGINNING_WORDS])
        score += _BEGINNING * sum(weight for token, weight in self._exact.items() if token in first)
        return (score + self._pair_score(found, counts)) / self._total

    def _pair_score(self, found: list[str], counts: Counter[str]) -> float:
        present = [pair for pair in self._pairs if pair[0] in counts and pair[1] in counts]
        score = sum(weight * _JOINED for first, second, weight in self._pairs if first + second in counts)
        if not present:
            return score
        together = set(pairwise(found))
        one_between = set(zip(found, found[2:], strict=False))
        for first, second, weight in present:
            if (first, second) in together:
                score += _TOGETHER * weight
            elif (first, second) in one_between or (second, first) in together:
                score += _NEARLY * weight
        return score


def boost(it: Remembered, paths: Iterable[str], near: Near, now: float) -> float:
    """What the score is multiplied by for all that is not text."""
    age = max(0.0, now - it.at) / 86_400
    more = _RECENT * math.exp(-age / _RECENT_DAYS) + _IMPORTANT * (it.importance - 0.5)
    if near.paths and _share_a_file(paths, near.paths):
        more += _SAME_FILE
    if near.task and it.task == near.task:
        more += _SAME_TASK
    if near.session and it.session == near.session:
        more += _SAME_SESSION
    return 1 + more


def _share_a_file(ours: Iterable[str], theirs: frozenset[str]) -> bool:
    """Whether a path is the same; one may be relative to a folder that the other names."""
    return any(
        path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")
        for path in ours
        for other in theirs
    )
