"""`hookd daemon run|start|stop|restart`, and a look at daemons: `hookd ps|logs|dashboard`."""

import re
import sys
import time
from pathlib import Path
from typing import Any

import click

from hookd import client
from hookd.cli.common import ensure_daemon, json_option, print_json, project_option, wait_until
from hookd.cli.groups import CommandGroup
from hookd.daemon_control import lock_is_free, read_pid
from hookd.errors import DaemonError
from hookd.paths import Project, RuntimeFiles, project_key, runtime_folder
from hookd.reports.daemon import control, daemon_status


@click.group(cls=CommandGroup)
def daemon() -> None:
    """Run, start, stop or restart the project's daemon.

    You rarely need this: the first event starts the daemon, the last session's end stops it.
    """


@daemon.command()
@project_option
@click.option("--hook", "hooks", multiple=True, metavar="FILE", help="One more hook file, for trying it out.")
def run(**_given: object) -> int:
    """Run the daemon in the foreground until Ctrl-C."""
    from hookd.cli import daemon_run  # which reads the words itself: see `hookd.__main__`

    return daemon_run.main(sys.argv[3:])


@daemon.command()
@project_option
def start(here: Project) -> None:
    """Start the daemon in the background, if it is not running."""
    status = ensure_daemon(here)
    click.echo(f"The daemon for {here.root} is running as process {status['pid']}.")


@daemon.command()
@project_option
def stop(here: Project) -> None:
    """Stop the daemon; events that come later start it again."""
    if stop_daemon(here):
        click.echo(f"The daemon for {here.root} has stopped.")
    else:
        click.echo(f"No daemon is running for {here.root}.")


@daemon.command()
@project_option
@click.pass_context
def restart(context: click.Context, here: Project) -> None:
    """Stop the daemon and start it again, with quarantined hooks given another chance."""
    stop_daemon(here)
    context.invoke(start, here=here)


def stop_daemon(project: Project, seconds: float = 8.0) -> bool:
    """Whether a daemon was running; it is gone when this returns."""
    try:
        control(project.files, "stop")
    except client.NotRunningError:
        if lock_is_free(project.files):
            return False
    if not wait_until(lambda: lock_is_free(project.files), seconds):
        raise DaemonError(
            f"the daemon for {project.root} did not stop within {seconds:g} s",
            hint="`hookd ps` names its process",
        )
    return True


@click.command()
@json_option
def ps(as_json: bool) -> None:
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


@click.command()
@project_option
@click.option("--no-open", is_flag=True, help="Print the address; do not start a browser.")
def dashboard(here: Project, no_open: bool) -> None:
    """Open the project's live page in a browser.

    The printed address works once, within a minute; the browser stays let in until the daemon ends.
    """
    port = port_of_page(here)
    code = control(here.files, "login").stdout.decode()
    address = f"http://p-{project_key(here.root)[:16]}.localhost:{port}/login?code={code}"
    click.echo(address)
    if not no_open:
        import webbrowser

        webbrowser.open(address)


def port_of_page(here: Project) -> int:
    """Where the project's daemon serves HTTP, started if there is none."""
    ensure_daemon(here)
    wait_until(lambda: _port(here), 5.0)
    port = _port(here)
    if not port:
        raise DaemonError(
            "the daemon serves no page: its ports are taken, or HTTP is off",
            hint="see daemon.http in the config, and `hookd status`",
        )
    return port


def _port(here: Project) -> int | None:
    status = daemon_status(here.files)
    return status["port"] if status is not None else None
