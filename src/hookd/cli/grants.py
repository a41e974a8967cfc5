"""`hookd allow-once` and `hookd pause`: what a person at a terminal may grant."""

import os
import time

import click

from hookd.cli.common import project_option, require_person, require_yes
from hookd.cli.why import safe
from hookd.errors import UsageError
from hookd.gate.people.grants import PAUSE_SECONDS, GrantBook
from hookd.paths import Project
from hookd.reports.decisions import stop_with_code

LONGEST_CALL = 20_000


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
