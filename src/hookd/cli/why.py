"""`hookd why`: the last call that was stopped or asked about, and what to do."""

import time
from typing import Any

import click

from hookd.cli.common import bring_in, find_project, json_option, print_json, project_option
from hookd.gate.people.grants import ONCE_SECONDS, GrantBook
from hookd.gate.record.verdicts import Stop, last_stop
from hookd.gate.rules.library import LOCKED
from hookd.journal.ingest import open_store
from hookd.paths import Project, project_key


@click.command()
@project_option
@json_option
def why(project: str | None, as_json: bool) -> int:
    """Tell why the last call was stopped or asked about, and what to do."""
    here = find_project(project)
    bring_in(here)
    with open_store(here.folders.database).reading() as db:
        found = last_stop(db, project_key(here.root))
    if found is None:
        if as_json:
            print_json(None)
        else:
            click.echo("Nothing was stopped in this project, and nothing asked about.")
        return 0
    report = _report(here, found)
    if as_json:
        print_json(report)
    else:
        _print(report)
    return 0


def _report(here: Project, stop: Stop) -> dict[str, Any]:
    verdict = stop.verdict
    return {
        "at": stop.at,
        "session": stop.session,
        "event": stop.event,
        "tool": stop.tool,
        "input": stop.call.input,
        "call": stop.subject,
        "cwd": stop.cwd,
        "verdict": verdict["verdict"],
        "layer": verdict.get("layer"),
        "rule": verdict.get("rule"),
        "by": verdict.get("by") or "gate.judge",
        "severity": verdict.get("severity"),
        "reason": verdict.get("reason"),
        "instead": verdict.get("instead"),
        "mode": verdict.get("mode"),
        "passed": _passed(verdict),
        "code": _code(here, stop),
        "trace": verdict.get("trace", []),
        "what_to_do": _advice(here, stop),
    }


def _passed(verdict: dict[str, Any]) -> str | None:
    """Why it passed although the gate was against it."""
    if verdict.get("once"):
        return f"allowed once with the code {verdict['once']}"
    modes = {"audit": "the gate's mode is audit", "paused": "the gate was paused"}
    return modes.get(verdict.get("mode", ""))


def _code(here: Project, stop: Stop) -> str | None:
    """The code, if it can still be used."""
    if not stop.verdict.get("code") or stop.at < time.time() - ONCE_SECONDS:
        return None
    granted = GrantBook(here.folders, here.root).read().once
    used = any(once.call == stop.verdict["call"] for once in granted)
    return None if used else stop.verdict["code"]


def _advice(here: Project, stop: Stop) -> list[str]:
    verdict = stop.verdict
    if verdict.get("by"):
        return [f"it was decided by {verdict['by']}: `hookd status` tells where that is"]
    rule = verdict.get("rule") or ""
    advice = [f"instead: {verdict['instead']}"] if verdict.get("instead") else []
    if rule.partition(".")[0] in LOCKED or verdict.get("locked"):
        return [*advice, "do it yourself if it is right: nothing lifts this rule"]
    if code := _code(here, stop):
        advice.append(f"let this very call pass once: hookd allow-once {code}")
    if verdict["verdict"] == "ask" and verdict.get("severity") != "critical":
        advice.append("what you keep approving is a candidate for a learned rule: hookd rules learned")
    if not rule.startswith("context."):
        change = "off" if verdict["verdict"] == "ask" else "ask"
        advice.append(f'change the rule for good: gate.rules = {{ "{rule}" = "{change}" }} in your config')
    return advice


def _print(report: dict[str, Any]) -> None:
    when = time.strftime("%d %b %H:%M:%S", time.localtime(report["at"]))
    done = {"ask": "asked about", "deny": "stopped"}[report["verdict"]]
    who = f"{report['rule']} ({report['layer']}, {report['severity']})" if report["rule"] else report["by"]
    click.echo(f"{done} at {when} by {who}")
    click.echo(f"  {safe(report['call'])}")
    click.echo(f"  in {safe(report['cwd'])}")
    click.echo(f"  {safe(report['reason'] or '')}")
    if report["passed"]:
        click.echo(f"  It passed: {report['passed']}.")
    others = [each for each in report["trace"] if each["rule"] != report["rule"]]
    for each in others:
        click.echo(f"  also {each['rule']} ({each['layer']}): {each['verdict']}")
    for line in report["what_to_do"]:
        click.echo(f"  - {safe(line)}")


def safe(text: str, limit: int = 2000) -> str:
    """Text of an agent's as it may be shown: it cannot play tricks with the terminal."""
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text[:limit])
    left = f" ... and {len(text) - limit} characters more" if len(text) > limit else ""
    return shown.replace("\n", "\n    ") + left
