"""`hookd purge PROJECT`: forget a project entirely."""

import shutil
import sqlite3
from pathlib import Path

import click

from hookd.agents import AGENTS
from hookd.agents.registrations import Registrations
from hookd.cli.common import Project, find_project
from hookd.cli.daemon import stop_daemon
from hookd.hooks import trust
from hookd.journal.ingest import open_store, queries
from hookd.paths import project_key


@click.command()
@click.argument("project", type=click.Path(exists=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(project: str, yes: bool) -> int:
    """Forget a project entirely.

    Stops its daemon and deletes its record (store, journal, run folders), its trust, and hookd's entries in
    its agents' settings. The hooks and config under .hookd/ are yours and stay.
    """
    here = find_project(project)
    if not yes:
        click.confirm(f"Delete everything hookd knows of {here.root}?", abort=True)
    stop_daemon(here)
    for known in Registrations(here.folders.registrations).for_project(here.root):
        if known.agent in AGENTS:
            AGENTS[known.agent].uninstall(Path(known.path), here.folders.registrations, dry_run=False)
    forget(here)
    click.echo(f"{here.root} is forgotten.")
    return 0


def forget(project: Project) -> None:
    key = project_key(project.root)
    if project.folders.database.exists():
        store = open_store(project.folders.database)
        store.submit(lambda db: _delete(db, key)).result()
        store.close()
    shutil.rmtree(project.folders.journal(key), ignore_errors=True)
    trust.revoke(project.folders, project.root)
    shutil.rmtree(Path(project.root) / ".hookd" / "runs", ignore_errors=True)
    for path in (project.files.log, project.files.lock, project.files.socket, project.files.token):
        Path(path).unlink(missing_ok=True)


def _delete(db: sqlite3.Connection, key: str) -> None:
    for name in ("forget_project", "forget_segments"):
        db.execute(queries()[name], {"project": key})
