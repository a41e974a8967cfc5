"""Opinions to one verdict.

Precedence in one line: the strictest of static, learned and context wins; an allow that was learned, given by
a rule or said by a model cancels only the questions it names, never a deny; the call is allowed only if
somebody vouches for the whole of it and nobody asks or denies.
"""

from __future__ import annotations

from collections.abc import Iterable

from hookd.gate.model import Judged, Opinion, Verdict

_VERDICTS = {"allow": 1, "ask": 2, "deny": 3}
_SEVERITIES = {"low": 1, "medium": 2, "high": 3, "critical": 4}


def fold(opinions: Iterable[Opinion]) -> Judged:
    """The verdict, and every opinion as its trace; of equals the gravest and then the first one speaks."""
    trace = tuple(opinions)
    if not trace:
        return NOTHING
    lifted = {(o.lifts, o.part) for o in trace if o.lifts is not None and o.verdict == "allow"}
    standing = [o for o in trace if not _is_answered(o, lifted)]
    whole = [o for o in standing if o.verdict != "allow" or (o.lifts is None and o.part is None)]
    if whole:
        said = max(whole, key=lambda o: (_VERDICTS[o.verdict], _SEVERITIES[o.severity]))
        return _judged(said.verdict, said, trace)
    # What was asked is answered, or a part is allowed: there is no question, and the rest is the agent's.
    lifting = [o for o in standing if o.lifts is not None]
    return _judged("none", (lifting or standing)[0], trace)


def _is_answered(opinion: Opinion, lifted: set[tuple[str, int | None]]) -> bool:
    if opinion.verdict != "ask":
        return False
    return (opinion.rule, None) in lifted or (opinion.rule, opinion.part) in lifted


def _judged(verdict: Verdict, said: Opinion, trace: tuple[Opinion, ...]) -> Judged:
    return Judged(
        verdict=verdict,
        layer=said.layer,
        rule=said.rule,
        severity=said.severity,
        reason=said.reason or None,
        instead=said.instead or None,
        trace=trace,
    )


NOTHING = Judged()
