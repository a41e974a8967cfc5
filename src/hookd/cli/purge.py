"""`hookd purge PROJECT`: forget a project entirely."""

import os
import shutil
import sqlite3
from pathlib import Path

import click

from hookd.agents import AGENTS
from hookd.agents.registrations import Registrations
from hookd.cli.common import Project
from hookd.cli.daemon import stop_daemon
from hookd.errors import UsageError
from hookd.hooks import trust
from hookd.journal.ingest import open_store, queries
from hookd.paths import project_key, project_root, runtime_files, user_folders
from hookd.runs.folder import refuse_links


@click.command()
@click.argument("project", type=click.Path(exists=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(project: str, yes: bool) -> int:
    """Forget a project entirely.

    Stops its daemon and deletes its record (store, journal, run folders), its trust, and hookd's entries in
    its agents' settings. The hooks and config under .hookd/ are yours and stay.
    """
    here = exactly(project)
    if not yes and not click.confirm(f"Delete everything hookd knows of {here.root}?"):
        click.echo("Nothing was changed.")
        return 1
    stop_daemon(here)
    for known in Registrations(here.folders.registrations).for_project(here.root):
        if known.agent in AGENTS:
            AGENTS[known.agent].uninstall(Path(known.path), here.folders.registrations, dry_run=False)
    forget(here)
    click.echo(f"{here.root} is forgotten.")
    return 0


def exactly(path: str) -> Project:
    """The project at this very path, which may be gone from the disk; never one further up."""
    root = os.path.realpath(path)
    nearest = project_root(root) if os.path.isdir(root) else root
    if nearest != root:
        raise UsageError(f"{root} is not a project's root", hint=f"the project it belongs to is {nearest}")
    return Project(root, runtime_files(root), user_folders())


def forget(project: Project) -> None:
    key = project_key(project.root)
    if project.folders.database.exists():
        store = open_store(project.folders.database)
        store.submit(lambda db: _delete(db, key)).result()
        store.close()
    shutil.rmtree(project.folders.journal(key), ignore_errors=True)
    trust.revoke(project.folders, project.root)
    hookd_folder = Path(project.root) / ".hookd"
    if hookd_folder.is_dir():
        refuse_links(hookd_folder)
        shutil.rmtree(hookd_folder / "runs", ignore_errors=True)
    for path in (project.files.log, project.files.lock, project.files.socket, project.files.token):
        Path(path).unlink(missing_ok=True)


def _delete(db: sqlite3.Connection, key: str) -> None:
    for name in ("forget_project", "forget_segments"):
        db.execute(queries()[name], {"project": key})
