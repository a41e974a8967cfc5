"""`hookd daemon run|start|stop|restart`."""

import click

from hookd import client
from hookd.cli import daemon_run
from hookd.cli.common import control, ensure_daemon, project_option, wait_until
from hookd.daemon_control import lock_is_free
from hookd.errors import DaemonError
from hookd.paths import Project


@click.group()
def daemon() -> None:
    """Run, start, stop or restart the project's daemon.

    You rarely need this: the first event starts the daemon, the last session's end stops it.
    """


@daemon.command()
@project_option
@click.option("--hook", "hooks", multiple=True, metavar="FILE", help="One more hook file, for trying it out.")
def run(here: Project, hooks: tuple[str, ...]) -> int:
    """Run the daemon in the foreground until Ctrl-C."""
    words = ["--project", here.root]
    for hook in hooks:
        words += ["--hook", hook]
    return daemon_run.main(words)


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
def restart(here: Project) -> None:
    """Stop the daemon and start it again, with quarantined hooks given another chance."""
    stop_daemon(here)
    status = ensure_daemon(here)
    click.echo(f"The daemon for {here.root} is running as process {status['pid']}.")


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
