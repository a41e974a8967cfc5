"""A recorded session before today's rules: which verdicts would be different."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from hookd.gate.case.model import Case, Judged, Opinion, fold
from hookd.gate.record.repository import StoppedCall

Judging = Callable[[StoppedCall], tuple[Case, Judged]]


class Changed(NamedTuple):
    """A call whose verdict would be another one today."""

    call: StoppedCall
    then: Judged
    now: Judged


class Replayed(NamedTuple):
    """A session judged again."""

    judged: int
    changed: tuple[Changed, ...]


def replay(calls: Iterable[StoppedCall], judging: Judging) -> Replayed:
    """Judges every call of a session again; only the local layers, then and now."""
    count = 0
    changed = []
    for call in calls:
        _, now = judging(call)
        count += 1
        then = verdict_then(call.verdict)
        if then.verdict != now.verdict:
            changed.append(Changed(call, then, now))
    return Replayed(count, tuple(changed))


def verdict_then(data: dict[str, Any]) -> Judged:
    """The recorded verdict, without what a model had to say to it."""
    opinions = list(_opinions(data.get("trace", [])))
    if any(opinion.layer == "model" for opinion in opinions):
        return fold(opinion for opinion in opinions if opinion.layer != "model")
    return Judged(
        verdict=data.get("verdict", "none"),
        layer=data.get("layer"),
        rule=data.get("rule"),
        severity=data.get("severity"),
        reason=data.get("reason"),
    )


def _opinions(trace: Iterable[Any]) -> Iterator[Opinion]:
    for each in trace:
        try:
            yield msgspec.convert(each, Opinion)
        except msgspec.ValidationError:
            continue  # of a version that had more to say
