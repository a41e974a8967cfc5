"""`hookd logs`: what the daemon wrote."""

import time
from pathlib import Path

import click

from hookd.cli.common import json_option, print_json, project_option
from hookd.paths import Project


@click.command()
@project_option
@click.option("-f", "--follow", is_flag=True, help="Go on printing as lines come, until Ctrl-C.")
@click.option("-n", "--lines", default=50, show_default=True, help="How many of the last lines.")
@json_option
def logs(here: Project, follow: bool, lines: int, as_json: bool) -> None:
    """Show the daemon's log: starts, reloads, problems, and what hooks logged."""
    path = Path(here.files.log)
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    last = text.splitlines()[-lines:]
    if as_json:
        print_json({"path": str(path), "lines": last})
        return
    if not last and not follow:
        click.echo(f"Nothing has been logged yet ({path}).")
    for line in last:
        click.echo(line)
    position = len(text.encode())
    while follow:
        time.sleep(0.3)
        if path.exists():
            position = min(position, path.stat().st_size)
            with path.open("rb") as file:
                file.seek(position)
                new = file.read()
            position += len(new)
            click.echo(new.decode("utf-8", "replace"), nl=False)
