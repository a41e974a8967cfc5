"""`hookd replay RUN`: what today's rules would have said to a session."""

import click

from hookd.cli.common import counted, json_option, print_json, project_option, warn
from hookd.cli.why import safe
from hookd.paths import Project
from hookd.reports.replay import replay_run


@click.command()
@click.argument("run", default="last")
@project_option
@json_option
def replay(run: str, here: Project, as_json: bool) -> None:
    """Tell which verdicts on a recorded session would be different with today's rules.

    RUN is as for `hookd runs show`. Calls are judged as they are on record, without the secrets that were in
    them, and with the files and repositories as they are now. The model is not asked.
    """
    report, problems = replay_run(here, run)
    warn(problems)
    if as_json:
        print_json(report)
        return
    click.echo(f"{report.run}: {counted(report.judged, 'call')} judged again, {len(report.changed)} changed")
    for change in report.changed:
        click.echo(f"  {change.then.verdict} -> {change.now.verdict}  {change.now.rule or change.then.rule}")
        click.echo(f"    {safe(change.call, 300)}")
