"""`hookd memory join|leave`: clones that share one memory, because a person says so."""

import os
import time

import click

from hookd.cli.common import project_option, require_person, require_yes
from hookd.cli.daemon import stop_daemon
from hookd.daemon.recorder import put_on_record
from hookd.errors import UsageError
from hookd.identity import clones
from hookd.journal.entries import Joined
from hookd.memory.sharing import join_command
from hookd.paths import Project, project_at, project_root
from hookd.printable import one_line


@click.command()
@click.argument("clone", required=False, type=click.Path(exists=True, file_okay=False))
@project_option
def join(clone: str | None, here: Project) -> None:
    """Share one memory with CLONE, another clone of the same remote.

    What was decided and noted in either is then known in both. Where work stands and what is open stay apart,
    and so do trust and what the gate was taught. Without CLONE it says which there are.
    """
    if clone is None:
        _show_clones(here)
        return
    require_person("memory join")
    other = project_root(os.path.realpath(clone))
    require_yes(f"Share one memory between {here.root} and {one_line(other)}?")
    clones.join(here.folders, here.root, other)
    _put_on_record(here, other)
    click.echo(f"{here.root} and {one_line(other)} share their memory; `hookd memory leave` ends it.")


@click.command()
@project_option
def leave(here: Project) -> None:
    """Have this clone's memory be its own again, with what was written in it."""
    require_person("memory leave")
    if not clones.leave(here.folders, here.root):
        raise UsageError(f"{here.root} shares its memory with no other clone")
    _put_on_record(here, "")
    click.echo(f"What is remembered in {here.root} is its own again.")


def _show_clones(here: Project) -> None:
    found = clones.joinable(here.folders, here.root)
    if not found:
        click.echo("There is no other clone of its remote that hookd has worked in.")
    for root in found:
        click.echo(join_command(root))


def _put_on_record(here: Project, clone: str) -> None:
    """Daemons that run would go on writing for what it belonged to: each event starts one that knows."""
    for root in clones.checkouts(here.folders, here.root):
        stop_daemon(project_at(root))
        put_on_record(project_at(root), Joined(id=os.urandom(16).hex(), at=time.time(), clone=clone))
