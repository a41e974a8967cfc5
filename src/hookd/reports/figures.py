"""The record in figures: what the gate decided, what became of its questions, what the model said."""

import time
from collections import Counter

import msgspec

from hookd.gate.record.repository import LearnedRules, StoppedCall, Verdicts
from hookd.journal.repository import Events, Spending
from hookd.paths import Project
from hookd.reports.record import reading

MOST = 20


class RuleFigures(msgspec.Struct, frozen=True):
    """How often a rule spoke, and how many of its questions were followed by the call."""

    rule: str
    ask: int
    ran: int
    deny: int


class AskedCall(msgspec.Struct, frozen=True):
    """A call that a rule keeps asking about."""

    rule: str
    call: str
    count: int


class DecisionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The gate's verdicts since a moment."""

    verdicts: dict[str, int]
    questions: int
    ran: int
    ran_rate: float | None
    people: dict[str, int]
    """What people who were watching said; a call that ran unattended was approved by nobody."""
    passed: dict[str, int]
    """Why calls passed that the rules were against."""
    rules: list[RuleFigures]
    most_asked: list[AskedCall]


class EvaluationFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What the model was asked and said since a moment, as the verdicts' traces tell."""

    asked: int
    answers: dict[str, int]
    remembered: int
    failures: dict[str, int]
    rules: dict[str, int]
    spent: Spending


def decision_figures(project: Project, days: float) -> DecisionFigures:
    """What was decided in the last days, and what became of the questions."""
    since = time.time() - days * 86_400
    with reading(project) as db:
        return _decisions(Verdicts(db, project.key).since(since), LearnedRules(db, project.key).counts(since))


def evaluation_figures(project: Project, days: float) -> EvaluationFigures:
    """What the model was asked in the last days, and what went wrong."""
    since = time.time() - days * 86_400
    with reading(project) as db:
        spent = Events(db, project.key).spent("hookd", since)
        return _evaluations(Verdicts(db, project.key).since(since), spent)


def _decisions(judged: list[tuple[StoppedCall, bool]], people: dict[str, int]) -> DecisionFigures:
    verdicts: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {}
    asked: Counter[tuple[str, str]] = Counter()
    passed: Counter[str] = Counter()
    for stop, did_run in judged:
        said = stop.verdict["verdict"]
        verdicts[said] += 1
        if said in ("ask", "deny"):
            about = rules.setdefault(stop.verdict.get("rule") or "", Counter())
            about[said] += 1
            about[f"{said}_ran"] += did_run
            if said == "ask":
                asked[(stop.verdict.get("rule") or "", stop.subject)] += 1
        if (how := _how_it_passed(stop)) is not None:
            passed[how] += 1
    questions = verdicts["ask"]
    ran = sum(counts["ask_ran"] for counts in rules.values())
    return DecisionFigures(
        verdicts=dict(verdicts),
        questions=questions,
        ran=ran,
        ran_rate=round(ran / questions, 3) if questions else None,
        people=people,
        passed=dict(passed),
        rules=[
            RuleFigures(rule, counts["ask"], counts["ask_ran"], counts["deny"])
            for rule, counts in sorted(rules.items(), key=lambda each: (-each[1].total(), each[0]))
        ],
        most_asked=[AskedCall(rule, call, count) for (rule, call), count in asked.most_common(MOST)],
    )


def _how_it_passed(stop: StoppedCall) -> str | None:
    """Why a call passed that the rules were against."""
    if stop.passed:
        return "allowed once" if stop.passed == "once" else stop.passed
    lifters = {o.get("layer") for o in stop.verdict.get("trace", []) if o.get("lifts")}
    if stop.verdict["verdict"] in ("ask", "deny"):
        return None
    return "learned" if "learned" in lifters else "model" if "model" in lifters else None


def _evaluations(judged: list[tuple[StoppedCall, bool]], spent: Spending) -> EvaluationFigures:
    answers: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    remembered = 0
    for stop, _ in judged:
        trace = stop.verdict.get("trace", [])
        said = next((each for each in trace if each.get("layer") == "model"), None)
        if said is None:
            continue
        answers[said["rule"].partition(".")[2]] += 1
        remembered += ", remembered," in said.get("evidence", "")
        if said["rule"] == "model.failed":
            failures[said.get("reason", "")] += 1
        rules.update(
            {each["rule"] for each in trace if each["verdict"] == "ask" and each["layer"] != "model"}
        )
    return EvaluationFigures(
        asked=answers.total(),
        answers=dict(answers),
        remembered=remembered,
        failures=dict(failures.most_common(MOST)),
        rules=dict(rules.most_common(MOST)),
        spent=msgspec.structs.replace(spent, usd=round(spent.usd, 6)),
    )
