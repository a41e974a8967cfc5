"""`hookd ps`: the daemons that are running."""

import re
from pathlib import Path
from typing import Any

import click

from hookd.cli.common import json_option, print_json
from hookd.daemon_control import lock_is_free, read_pid
from hookd.errors import DaemonError
from hookd.paths import RuntimeFiles, runtime_folder
from hookd.reports.daemon import daemon_status


@click.command()
@json_option
def ps(as_json: bool) -> int:
    """List the daemons that are running, with their projects and sessions."""
    daemons = running_daemons()
    if as_json:
        print_json(daemons)
    elif not daemons:
        click.echo("No daemon is running. The first event of a session starts one.")
    else:
        click.echo(f"{'PID':>8}  {'PORT':>5}  {'UP':>8}  {'SESSIONS':>8}  PROJECT")
        for found in daemons:
            if found["status"] == "frozen":
                click.echo(f"{found['pid'] or '?':>8}  does not react; `hookd doctor --fix` ends it")
                continue
            click.echo(
                f"{found['pid']:>8}  {found['port'] or '-':>5}  {found['uptime_s']:>6.0f} s"
                f"  {found['sessions']:>8}  {found['project']}"
            )
    return 0


def running_daemons() -> list[dict[str, Any]]:
    """Every daemon of this user's, asked for its own report."""
    folder = runtime_folder()
    found: list[dict[str, Any]] = []
    for path in sorted(Path(folder).glob("p-*.lock")):
        match = re.fullmatch(r"p-([0-9a-f]{16})\.lock", path.name)
        if match is None:
            continue
        files = RuntimeFiles.named(folder, match[1])
        if lock_is_free(files):
            continue
        try:
            status = daemon_status(files)
        except DaemonError:
            found.append({"status": "frozen", "pid": read_pid(files), "socket": files.socket})
            continue
        if status is not None:
            found.append(
                {name: status[name] for name in ("status", "pid", "port", "uptime_s", "project", "version")}
                | {"sessions": len(status["sessions"]), "socket": files.socket}
            )
    return found
