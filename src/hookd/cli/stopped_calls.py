"""`hookd why`, `log`, `allow-once` and `pause`: what was decided and stopped, and what a person may grant."""

import os
import time

import click

from hookd.cli.colours import faint, heading, verdict_style
from hookd.cli.common import json_option, print_json, project_option, require_person, require_yes, safe
from hookd.errors import UsageError
from hookd.gate.people.grants import PAUSE_SECONDS, GrantBook
from hookd.paths import Project
from hookd.reports.decisions import (
    DECIDED,
    VERDICTS,
    Decided,
    Decision,
    last_decision,
    latest_decisions,
    stop_with_code,
)

LONGEST_CALL = 20_000
LONGEST_SHOWN = 300
MOST = 1000
NOTHING = "Nothing was stopped in this project, and nothing asked about."


@click.command()
@click.argument("number", required=False, type=click.IntRange(min=1), metavar="[N]")
@click.option("--list", "as_list", is_flag=True, help="List the last stops with their numbers.")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, MOST), help="How many to list."
)
@project_option
@json_option
def why(number: int | None, as_list: bool, limit: int, here: Project, as_json: bool) -> None:
    """Tell why a call was stopped or asked about, and what to do.

    N counts back: 1 is the last stop and what you get without it, 2 the one before; --list has the numbers.
    """
    if as_list:
        _list(latest_decisions(here, DECIDED, limit), as_json=as_json, numbered=True)
        return
    found = last_decision(here, number or 1)
    if found is None and number is not None and number > 1:
        raise UsageError(
            f"there is no stop number {number} in {here.root}",
            hint="`hookd why --list` has the numbers",
        )
    if as_json:
        print_json(found)
    elif found is None:
        click.echo(NOTHING)
    else:
        _print(found)


@click.command()
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, MOST), help="How many.")
@click.option("--verdict", "verdicts", multiple=True, type=click.Choice(VERDICTS), help="Only these.")
@project_option
@json_option
def log(limit: int, verdicts: tuple[str, ...], here: Project, as_json: bool) -> None:
    """Show the latest decisions: the verdict, the rule or hook, the call, and why.

    The newest is last. `none` is a call that passed without a question: a model or a learned rule let it, or
    the rule is one that only watches.
    """
    _list(latest_decisions(here, verdicts or VERDICTS, limit), as_json=as_json)


def _list(found: list[Decided], *, as_json: bool, numbered: bool = False) -> None:
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo(NOTHING if numbered else "Nothing was decided in this project.")
    order = list(enumerate(found, 1))
    for number, each in order if numbered else reversed(order):
        mark = f"{number:>3}  " if numbered else ""
        indent = " " * (len(mark) + 2)
        when = time.strftime("%d %b %H:%M:%S", time.localtime(each.at))
        verdict = verdict_style(f"{each.verdict:<5}", each.verdict)
        passed = f", {each.outcome}" if each.passed else ""
        click.echo(f"{mark}{faint(when)}  {verdict} {each.rule or each.by}{passed}")
        click.echo(f"{indent}{safe(each.call, LONGEST_SHOWN)}")
        if each.reason:
            click.echo(f"{indent}{safe(each.reason)}")


def _print(decision: Decision) -> None:
    when = time.strftime("%d %b %H:%M:%S", time.localtime(decision.at))
    outcome = verdict_style(decision.outcome, "ask" if decision.passed else decision.verdict)
    by = "against" if decision.outcome.startswith("allowed") else "by"
    click.echo(f"{outcome} at {when} {by} {_who(decision)}")
    click.echo(f"  {safe(decision.call)}")
    click.echo(f"  in {safe(decision.cwd)}")
    click.echo(f"  {safe(decision.reason or '')}")
    if decision.also:
        click.echo(f"  also against it: {', '.join(decision.also)}")
    for line in decision.what_to_do:
        click.echo(f"  - {safe(line)}")


def _who(decision: Decision) -> str:
    """The rule or the hooks that decided."""
    if decision.rule is None:
        return decision.by
    rule = heading(decision.rule)
    return " and ".join((f"{rule} ({decision.layer}, {decision.severity})", *decision.hooks))


@click.command("allow-once")
@click.argument("code")
@project_option
def allow_once(code: str, here: Project) -> None:
    """Let the very call pass once that a denial's code names.

    The code is in the denial, and in `hookd why`. It is good for ten minutes, and so is the grant. The call
    must come again exactly as it was. Needs you at a terminal.
    """
    require_person("allow-once")
    wanted = code.strip().lower()
    found = stop_with_code(here, wanted)
    if found is None:
        raise UsageError(
            f"no call of the last ten minutes has the code {wanted!r} in {here.root}",
            hint="`hookd why` shows the last one; older codes are void",
        )
    if sum(len(text) for _, text in found.details) > LONGEST_CALL:
        raise UsageError(
            "the call is too long for anybody to read before granting it",
            hint="run it yourself if it is right, or have the agent do it in smaller steps",
        )
    click.echo(f"{found.verdict['rule']}: {safe(found.verdict.get('reason') or '')}")
    click.echo(f"  {safe(found.tool)} in {safe(found.cwd)}")
    for key, text in found.details:
        # All of it: nobody grants what was not shown.
        click.echo(f"  {safe(key)}: {safe(text, len(text))}")
    require_yes("Let this very call pass once?")
    until = GrantBook(here.folders, here.root).allow_once(found.verdict["code"], found.verdict["call"])
    on_record(here, f"a call that {found.verdict['rule']} stopped was allowed once, code {code}")
    click.echo(f"It may pass once until {_clock(until)}. Tell the agent to try again.")


@click.command()
@click.option(
    "--minutes",
    default=10,
    show_default=True,
    type=click.IntRange(1, int(PAUSE_SECONDS / 60)),
    help="How long, at most 60.",
)
@click.option("--end", is_flag=True, help="End the pause now.")
@project_option
def pause(minutes: int, end: bool, here: Project) -> None:
    """Have the gate only watch, for a few minutes.

    Calls in this project are judged and recorded, and nothing is stopped but what would touch hookd itself or
    what managed rules forbid. It ends by itself. Needs you at a terminal.
    """
    book = GrantBook(here.folders, here.root)
    if end:
        ended = book.end_pause()
        if ended:
            on_record(here, "the pause was ended")
        click.echo("The gate enforces again." if ended else "The gate was not paused.")
        return
    require_person("pause")
    until = book.pause(minutes * 60)
    on_record(here, f"the gate was paused for {minutes} min")
    click.echo(f"The gate only watches until {_clock(until)}; `hookd pause --end` ends that.")


def on_record(here: Project, what: str) -> None:
    """Has a grant in `hookd status` and in the store."""
    from hookd.daemon.recorder import put_on_record
    from hookd.journal.entries import Problem

    put_on_record(here, Problem(id=os.urandom(16).hex(), at=time.time(), kind="grant", what=what))


def _clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))
