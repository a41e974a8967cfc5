"""What was decided on calls: the latest, those that were stopped or asked about, those that a code names."""

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from hookd.gate.people.grants import ONCE_SECONDS, GrantBook
from hookd.gate.record.repository import StoppedCall, Verdicts
from hookd.gate.rules.library import LOCKED
from hookd.journal.repository import RecordedSession
from hookd.paths import Project
from hookd.reports.record import reading
from hookd.reports.where_to_change import Place, file_of_hook, place_of_rule
from hookd.store.database import Database

MOST_STOPS = 1000
STOPS = ("ask", "deny")
VERDICTS = (*STOPS, "allow", "none")
"""`none`: somebody was against it, and a model or what was learned has lifted that, or it only watches."""
_PASSING_MODES = {"audit": "the gate's mode is audit", "paused": "the gate was paused"}


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
    layer: str | None
    rule: str | None
    by: str
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
    rule: str | None
    by: str
    reason: str | None
    call: str
    passed: str | None
    """Why it passed although the gate was against it."""


def last_decision(project: Project, number: int = 1) -> Decision | None:
    """The last call of a project that was stopped or asked about, or with a number one before it."""
    with reading(project) as db:
        stops = Verdicts(db, project.key).latest(STOPS, number)
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
        rule=verdict.get("rule"),
        by=verdict.get("by") or "gate.judge",
        reason=verdict.get("reason"),
        call=stop.subject,
        passed=_passed(verdict) if verdict["verdict"] in STOPS else _watched(verdict),
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
    change = _change(project, verdict)
    said = {key: verdict.get(key) for key in ("layer", "rule", "severity", "reason", "instead", "mode")}
    return Decision(
        at=stop.at,
        session=stop.session,
        event=stop.event,
        tool=stop.tool,
        input=stop.call.input,
        call=stop.subject,
        cwd=stop.cwd,
        verdict=verdict["verdict"],
        by=verdict.get("by") or "gate.judge",
        passed=_passed(verdict),
        code=code,
        trace=verdict.get("trace", []),
        change=change,
        what_to_do=_advice(verdict, code, change),
        **said,
    )


def _passed(verdict: dict[str, Any]) -> str | None:
    if verdict.get("once"):
        return f"allowed once with the code {verdict['once']}"
    return _PASSING_MODES.get(verdict.get("mode", ""))


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


def _change(project: Project, verdict: dict[str, Any]) -> Place | None:
    if by := verdict.get("by"):
        return file_of_hook(project, by)
    return place_of_rule(project, verdict.get("rule") or "", verdict["verdict"])


def _advice(verdict: dict[str, Any], code: str | None, change: Place | None) -> list[str]:
    if verdict.get("by"):
        where = change.says if change else "`hookd status` tells where that is"
        return [f"it was decided by {verdict['by']}: {where}"]
    rule = verdict.get("rule") or ""
    advice = [f"instead: {verdict['instead']}"] if verdict.get("instead") else []
    if rule.partition(".")[0] in LOCKED or verdict.get("locked"):
        managed = [change.says] if change else []
        return [*advice, *managed, "do it yourself if it is right: nothing lifts this rule"]
    if code:
        advice.append(f"let this very call pass once: hookd allow-once {code}")
    if verdict["verdict"] == "ask" and verdict.get("severity") != "critical":
        advice.append("what you keep approving is a candidate for a learned rule: hookd rules learned")
    return [*advice, change.says] if change else advice
