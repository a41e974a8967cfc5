"""`hookd dashboard`: a way into the project's page that only works once."""

import webbrowser

import click

from hookd.cli.common import control, ensure_daemon, project_option, wait_until
from hookd.errors import DaemonError
from hookd.paths import Project, project_key
from hookd.reports.daemon import daemon_status


@click.command()
@project_option
@click.option("--no-open", is_flag=True, help="Print the address; do not start a browser.")
def dashboard(here: Project, no_open: bool) -> None:
    """Open the project's live page in a browser.

    The printed address works once, within a minute; the browser stays let in until the daemon ends.
    """
    ensure_daemon(here)
    wait_until(lambda: _port(here), 5.0)
    port = _port(here)
    if not port:
        raise DaemonError(
            "the daemon serves no page: its ports are taken, or HTTP is off",
            hint="see daemon.http in the config, and `hookd status`",
        )
    code = control(here.files, "login").stdout.decode()
    address = f"http://p-{project_key(here.root)[:16]}.localhost:{port}/login?code={code}"
    click.echo(address)
    if not no_open:
        webbrowser.open(address)


def _port(here: Project) -> int | None:
    status = daemon_status(here.files)
    return status["port"] if status is not None else None
