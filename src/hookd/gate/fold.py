"""Opinions to one verdict.

Precedence in one line: the strictest of static, learned and context wins; a learned allow cancels only the
question of the very rule it was learned from, never a deny; an allow counts only where nobody asks or
denies.
"""

from __future__ import annotations

from collections.abc import Iterable

from hookd.gate.model import Judged, Opinion

_VERDICTS = {"allow": 1, "ask": 2, "deny": 3}
_SEVERITIES = {"low": 1, "medium": 2, "high": 3, "critical": 4}


def fold(opinions: Iterable[Opinion]) -> Judged:
    """The verdict, and every opinion as its trace; of equals the gravest and then the first one speaks."""
    trace = tuple(opinions)
    if not trace:
        return NOTHING
    lifted = {opinion.lifts for opinion in trace if opinion.lifts is not None and opinion.verdict == "allow"}
    standing = [o for o in trace if not (o.verdict == "ask" and o.rule in lifted)]
    if not standing:
        return Judged(trace=trace)
    said = max(standing, key=lambda o: (_VERDICTS[o.verdict], _SEVERITIES[o.severity]))
    return Judged(
        verdict=said.verdict,
        layer=said.layer,
        rule=said.rule,
        severity=said.severity,
        reason=said.reason or None,
        instead=said.instead or None,
        trace=trace,
    )


NOTHING = Judged()
