"""`hookd replay RUN`: what today's rules would have said to a session."""

from typing import Any

import click

from hookd.cli.common import counted, find_project, json_option, print_json, project_option
from hookd.cli.sessions import find_run, reading, sessions_of
from hookd.cli.why import safe
from hookd.gate.case.model import Case, Judged
from hookd.gate.record.replay import Changed
from hookd.gate.record.replay import replay as replay_calls
from hookd.gate.record.verdicts import Stop, calls
from hookd.paths import project_key
from hookd.reports.rules import gate_in_force


@click.command()
@click.argument("run", default="last")
@project_option
@json_option
def replay(run: str, project: str | None, as_json: bool) -> int:
    """Tell which verdicts on a recorded session would be different with today's rules.

    RUN is as for `hookd runs show`. Calls are judged as they are on record, without the secrets that were in
    them, and with the files and repositories as they are now. The model is not asked.
    """
    here = find_project(project)
    with reading(here) as db:
        row = find_run(sessions_of(db, here, 100_000), run)
        recorded = [
            call for call in calls(db, project_key(here.root), row["id"]) if call.event == "PreToolUse"
        ]
    gate, _, problems = gate_in_force(here.root, here.folders)
    for problem in problems:
        click.echo(f"hookd: {problem}", err=True)

    def judging(call: Stop) -> tuple[Case, Judged]:
        case = gate.case(call.call, call.cwd or here.root)
        return case, gate.judged(case)

    replayed = replay_calls(recorded, judging)
    if as_json:
        changed = [_told(change) for change in replayed.changed]
        print_json({"run": row["run"], "session": row["id"], "judged": replayed.judged, "changed": changed})
        return 0
    click.echo(
        f"{row['run']}: {counted(replayed.judged, 'call')} judged again, {len(replayed.changed)} changed"
    )
    for change in replayed.changed:
        rule = change.now.rule or change.then.rule
        click.echo(f"  {change.then.verdict} -> {change.now.verdict}  {rule}")
        click.echo(f"    {safe(change.call.subject, 300)}")
    return 0


def _told(change: Changed) -> dict[str, Any]:
    return {
        "at": change.call.at,
        "tool": change.call.tool,
        "tool_use": change.call.tool_use,
        "call": change.call.subject,
        "cwd": change.call.cwd,
        "then": _verdict(change.then),
        "now": _verdict(change.now),
    }


def _verdict(judged: Judged) -> dict[str, Any]:
    return {"verdict": judged.verdict, "layer": judged.layer, "rule": judged.rule, "reason": judged.reason}
