"""What was decided on calls: the latest, those that were stopped or asked about, those that a code names."""

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from hookd.gate.people.grants import ONCE_SECONDS, GrantBook
from hookd.gate.record.repository import JUDGE, StoppedCall, Verdicts
from hookd.journal.repository import RecordedSession
from hookd.paths import Project
from hookd.reports.record import reading
from hookd.reports.what_to_do import STOPS, advice, against
from hookd.reports.where_to_change import Place
from hookd.store.database import Database

MOST_STOPS = 1000
DECIDED = (*STOPS, "defer")
"""What the agent was told that is no go-ahead, and what it would have been told."""
VERDICTS = (*DECIDED, "allow", "none")
"""`none`: somebody was against it, and a model or what was learned has lifted that, or it only watches."""
_PASSING_MODES = {"audit": "the gate's mode is audit", "paused": "the gate was paused"}
_ENDS = {"ask": "asked about", "deny": "stopped", "defer": "deferred"}
_BEFORE_A_CALL = frozenset({"PreToolUse", "PermissionRequest", "UserPromptSubmit"})


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was stopped or asked about, by whom and why, and what a person can do."""

    at: float
    session: str
    event: str
    tool: str
    input: dict[str, Any]
    call: str
    """The call in a line."""
    cwd: str
    verdict: str
    outcome: str
    """What came of it, in words."""
    layer: str | None
    rule: str | None
    by: str
    """The gate, or the hook that decided without it."""
    hooks: list[str]
    """Hooks that decided the same beside the gate."""
    also: list[str]
    """What else was against it, each with its verdict."""
    severity: str | None
    reason: str | None
    instead: str | None
    mode: str | None
    passed: str | None
    """Why it passed although the gate was against it."""
    code: str | None
    """What `hookd allow-once` takes, while that is good."""
    trace: list[dict[str, Any]]
    change: Place | None
    """Where a person changes it for good."""
    what_to_do: list[str]


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A decision in short."""

    at: float
    session: str
    event: str
    verdict: str
    outcome: str
    """What came of it, in words."""
    rule: str | None
    by: str
    reason: str | None
    call: str
    passed: str | None
    """Why it passed although the gate was against it."""


def last_decision(project: Project, number: int = 1) -> Decision | None:
    """The last call of a project that was stopped or asked about, or with a number one before it."""
    with reading(project) as db:
        stops = Verdicts(db, project.key).latest(DECIDED, number)
    return _decision(project, stops[number - 1]) if len(stops) >= number else None


def latest_decisions(project: Project, verdicts: Sequence[str], limit: int) -> list[Decided]:
    """The latest decisions that were made so, newest first."""
    with reading(project) as db:
        return [_decided(stop) for stop in Verdicts(db, project.key).latest(verdicts, limit)]


def _decided(stop: StoppedCall) -> Decided:
    verdict = stop.verdict
    return Decided(
        at=stop.at,
        session=stop.session,
        event=stop.event,
        verdict=verdict["verdict"],
        outcome=_outcome(stop),
        rule=verdict.get("rule"),
        by=verdict.get("by") or JUDGE,
        reason=_reason(verdict),
        call=stop.subject,
        passed=_passed(stop) if verdict["verdict"] in STOPS else _watched(verdict),
    )


def stop_with_code(project: Project, code: str) -> StoppedCall | None:
    """The call that was stopped lately and whose denial has this code."""
    since = time.time() - ONCE_SECONDS
    with reading(project) as db:
        found = Verdicts(db, project.key).stopped(since=since, limit=MOST_STOPS)
    return next(
        (each for each in found if each.verdict.get("code") == code and each.verdict.get("call")), None
    )


def judged_calls(db: Database, session: RecordedSession) -> list[StoppedCall]:
    """The calls of a session that the gate has judged before they ran, in order."""
    return [
        call for call in Verdicts(db, session.project).of_session(session.id) if call.event == "PreToolUse"
    ]


def _decision(project: Project, stop: StoppedCall) -> Decision:
    verdict = stop.verdict
    code = _usable_code(project, stop)
    found = advice(project, verdict, code=code, passed=stop.passed)
    others = [o for o in against(verdict) if o.rule != verdict.get("rule")]
    said = {key: verdict.get(key) for key in ("layer", "rule", "severity", "instead", "mode")}
    return Decision(
        at=stop.at,
        session=stop.session,
        event=stop.event,
        tool=stop.tool,
        input=stop.call.input,
        call=stop.subject,
        cwd=stop.cwd,
        verdict=verdict["verdict"],
        outcome=_outcome(stop),
        by=verdict.get("by") or JUDGE,
        hooks=verdict.get("hooks", []),
        also=[f"{o.rule} ({o.verdict})" for o in others],
        reason=_reason(verdict),
        passed=_passed(stop),
        code=code,
        trace=verdict.get("trace", []),
        change=found.change,
        what_to_do=found.lines,
        **said,
    )


def _outcome(stop: StoppedCall) -> str:
    """What came of it; what nobody was against, or what a hook or model has let through, is allowed."""
    verdict = stop.verdict["verdict"]
    if stop.passed == "once":
        return f"allowed once by a person with the code {stop.verdict['once']}"
    if verdict not in _ENDS:
        return "allowed" if verdict == "allow" else "left to the agent"
    if stop.event not in _BEFORE_A_CALL:
        return f"{stop.event} blocked"
    return f"would have been {_ENDS[verdict]} ({stop.passed})" if stop.passed else _ENDS[verdict]


def _reason(verdict: dict[str, Any]) -> str | None:
    """The gate's reason, and what the hooks said that decided with it."""
    return "\n".join(filter(None, (verdict.get("reason"), verdict.get("others")))) or None


def _passed(stop: StoppedCall) -> str | None:
    """Why it passed although the gate was against it."""
    if stop.passed == "once":
        return f"allowed once with the code {stop.verdict['once']}"
    return _PASSING_MODES.get(stop.passed)


def _watched(verdict: dict[str, Any]) -> str | None:
    """Whether it is a rule that is on trial that speaks."""
    rule, trace = verdict.get("rule"), verdict.get("trace", [])
    only = any(each.get("rule") == rule and each.get("verdict") == "audit" for each in trace)
    return "the rule's verdict is audit" if only and verdict["verdict"] == "none" else None


def _usable_code(project: Project, stop: StoppedCall) -> str | None:
    if not stop.verdict.get("code") or stop.at < time.time() - ONCE_SECONDS:
        return None
    granted = GrantBook(project.folders, project.root).read().once
    used = any(once.call == stop.verdict["call"] for once in granted)
    return None if used else stop.verdict["code"]
