"""The gate's verdicts in figures: which rules speak, what is asked most, what became of it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from hookd.gate.record.verdicts import Stop, queries, stop_of

MOST = 20


def decisions(db: sqlite3.Connection, project: str, since: float) -> dict[str, Any]:
    """What was decided since a moment, and what became of the questions."""
    rows = db.execute(queries()["verdicts"], {"project": project, "since": since}).fetchall()
    verdicts: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {}
    asked: Counter[tuple[str, str]] = Counter()
    passed: Counter[str] = Counter()
    for row in rows:
        stop = stop_of(row)
        said = stop.verdict["verdict"]
        verdicts[said] += 1
        if said in ("ask", "deny"):
            about = rules.setdefault(stop.verdict.get("rule") or "", Counter())
            about[said] += 1
            about[f"{said}_ran"] += bool(row["ran"])
            if said == "ask":
                asked[(stop.verdict.get("rule") or "", stop.subject)] += 1
        if (how := _how_it_passed(stop)) is not None:
            passed[how] += 1
    questions = verdicts["ask"]
    ran = sum(counts["ask_ran"] for counts in rules.values())
    return {
        "verdicts": dict(verdicts),
        "questions": questions,
        "ran": ran,
        "ran_rate": round(ran / questions, 3) if questions else None,
        "people": _people(db, project, since),
        "passed": dict(passed),
        "rules": [
            {"rule": rule, "ask": counts["ask"], "ran": counts["ask_ran"], "deny": counts["deny"]}
            for rule, counts in sorted(rules.items(), key=lambda each: (-each[1].total(), each[0]))
        ],
        "most_asked": [
            {"rule": rule, "call": call, "count": count} for (rule, call), count in asked.most_common(MOST)
        ],
    }


def _people(db: sqlite3.Connection, project: str, since: float) -> dict[str, int]:
    """What people who were watching said to questions; a call that ran unattended was approved by nobody."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'learned_evidence'").fetchone() is None:
        return {}
    rows = db.execute(queries()["people"], {"project": project, "since": since})
    return {row["decision"]: row["count"] for row in rows}


def _how_it_passed(stop: Stop) -> str | None:
    """Why a call passed that the rules were against."""
    if stop.verdict.get("once"):
        return "allowed once"
    if stop.verdict.get("mode") in ("audit", "paused") and stop.verdict["verdict"] in ("ask", "deny"):
        return str(stop.verdict["mode"])
    lifters = {o.get("layer") for o in stop.verdict.get("trace", []) if o.get("lifts")}
    if stop.verdict["verdict"] in ("ask", "deny"):
        return None
    return "learned" if "learned" in lifters else "model" if "model" in lifters else None


def evaluations(db: sqlite3.Connection, project: str, since: float) -> dict[str, Any]:
    """What the model was asked and said, as the verdicts' traces tell."""
    rows = db.execute(queries()["verdicts"], {"project": project, "since": since}).fetchall()
    answers: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    remembered = 0
    for row in rows:
        trace = stop_of(row).verdict.get("trace", [])
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
    return {
        "asked": answers.total(),
        "answers": dict(answers),
        "remembered": remembered,
        "failures": dict(failures.most_common(MOST)),
        "rules": dict(rules.most_common(MOST)),
        "spent": _spent(db, since),
    }


def _spent(db: sqlite3.Connection, since: float) -> dict[str, Any]:
    """What the model's calls cost, of all projects together: budgets are kept by session."""
    there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'model_budget'").fetchone()
    if there is None:
        return {"calls": 0, "usd": 0.0}
    row = db.execute(
        "SELECT coalesce(sum(calls), 0), coalesce(sum(usd), 0) FROM model_budget WHERE last_at > ?", (since,)
    ).fetchone()
    return {"calls": row[0], "usd": round(row[1], 6)}
