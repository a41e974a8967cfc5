"""`hookd runs export`: a session for other tools."""

from pathlib import Path
from typing import get_args

import click

from hookd.cli.common import find_project, project_option
from hookd.reports.exports import Format, exported_run


@click.command()
@click.argument("run", default="last")
@click.option("--format", "form", type=click.Choice(get_args(Format)), default="jsonl", show_default=True)
@click.option(
    "--output", metavar="FILE", type=click.Path(dir_okay=False), help="A file instead of standard output."
)
@project_option
def export(run: str, form: Format, output: str | None, project: str | None) -> int:
    """Write a session for other tools.

    jsonl is the whole audit trail, an event per line with its input, verdict, reasons and facts. junit and
    sarif are the gate's verdicts for a CI's test and security views. No secret is in any of them.
    """
    written = exported_run(find_project(project), run, form)
    if output is None:
        click.echo(written, nl=False)
    else:
        Path(output).write_bytes(written)
    return 0
