"""`hookd why`: the last call that was stopped or asked about, and what to do."""

import time

import click

from hookd.cli.common import json_option, print_json, project_option
from hookd.paths import Project
from hookd.printable import spelled_out
from hookd.reports.decisions import Decision, last_decision


@click.command()
@project_option
@json_option
def why(here: Project, as_json: bool) -> None:
    """Tell why the last call was stopped or asked about, and what to do."""
    found = last_decision(here)
    if as_json:
        print_json(found)
    elif found is None:
        click.echo("Nothing was stopped in this project, and nothing asked about.")
    else:
        _print(found)


def _print(decision: Decision) -> None:
    when = time.strftime("%d %b %H:%M:%S", time.localtime(decision.at))
    done = {"ask": "asked about", "deny": "stopped"}[decision.verdict]
    rule = f"{decision.rule} ({decision.layer}, {decision.severity})" if decision.rule else ""
    click.echo(f"{done} at {when} by {rule or decision.by}")
    click.echo(f"  {safe(decision.call)}")
    click.echo(f"  in {safe(decision.cwd)}")
    click.echo(f"  {safe(decision.reason or '')}")
    if decision.passed:
        click.echo(f"  It passed: {decision.passed}.")
    others = [each for each in decision.trace if each["rule"] != decision.rule]
    for each in others:
        click.echo(f"  also {each['rule']} ({each['layer']}): {each['verdict']}")
    for line in decision.what_to_do:
        click.echo(f"  - {safe(line)}")


def safe(text: str, limit: int = 2000) -> str:
    """Text of an agent's as it may be shown: it cannot play tricks with the terminal."""
    shown = spelled_out(text[:limit], also="\n")
    left = f" ... and {len(text) - limit} characters more" if len(text) > limit else ""
    return shown.replace("\n", "\n    ") + left
