"""`hookd purge PROJECT`: forget a project entirely."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import click

from hookd.agents import AGENTS
from hookd.agents.installing import SCOPES
from hookd.agents.registrations import Registrations
from hookd.capabilities import CAPABILITIES, generated_files
from hookd.cli.daemon import stop_daemon
from hookd.daemon.outbox import ProjectOutbox
from hookd.errors import UsageError
from hookd.hooks import trust
from hookd.hooks.kit.keeping import folder_of
from hookd.journal.ingest import open_store
from hookd.journal.keeping import Keeper
from hookd.journal.repository import Events
from hookd.llm.repository import ModelAnswers
from hookd.paths import Project, project_at, project_key, project_root
from hookd.reports.registration import target
from hookd.runs.folder import forget_generated_files, refuse_links
from hookd.store.database import Database


@click.command()
@click.argument("project", type=click.Path(exists=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(project: str, yes: bool) -> int:
    """Forget a project entirely.

    Stops its daemon and deletes its record (store, journal, run folders, hand-overs), its trust, what was
    granted in it, what hooks keep for it, and hookd's entries in its agents' settings. Backups of the store
    are replaced by one made afterwards, and damaged copies are deleted. What else is under .hookd/ is yours
    and stays.
    """
    here = exactly(project)
    if not yes and not click.confirm(f"Delete everything hookd knows of {here.root}?"):
        click.echo("Nothing was changed.")
        return 1
    stop_daemon(here)
    for known in Registrations(here.folders.registrations).for_project(here.root):
        if known.agent in AGENTS:
            AGENTS[known.agent].uninstall(Path(known.path), here.folders.registrations, dry_run=False)
    for agent in AGENTS.values():
        for scope in SCOPES:
            if scope != "user":
                agent.mcp_uninstall(target(here, scope), everywhere=False, dry_run=False)
    forget(here)
    click.echo(f"{here.root} is forgotten.")
    return 0


def exactly(path: str) -> Project:
    """The project at this very path, which may be gone from the disk; never one further up."""
    root = os.path.realpath(path)
    nearest = project_root(root) if os.path.isdir(root) else root
    if nearest != root:
        raise UsageError(f"{root} is not a project's root", hint=f"the project it belongs to is {nearest}")
    return project_at(root)


def forget(project: Project) -> None:
    key = project_key(project.root)
    shutil.rmtree(project.folders.journal(key), ignore_errors=True)
    if (spool := project.folders.spool(key)) is not None:
        shutil.rmtree(spool, ignore_errors=True)
    keeper = Keeper(open_store(project.folders.database), project.folders.journals)
    keeper.mend()  # a database that is damaged must not bring the project back later
    if project.folders.database.exists():
        _forget_in_store(keeper, key)
    trust.revoke(project.folders, project.root)
    ProjectOutbox(project.folders.data, key).forget()
    shutil.rmtree(folder_of(project.folders.data, key), ignore_errors=True)
    if project.hookd.is_dir():
        refuse_links(project.hookd)
        shutil.rmtree(project.hookd / "runs", ignore_errors=True)
    for capability in CAPABILITIES:
        if capability.forgets.files is not None:
            capability.forgets.files(project)
    if project.hookd.is_dir():
        forget_generated_files(project.hookd, generated_files())
    for path in (
        project.files.log,
        f"{project.files.log}.1",
        project.files.lock,
        project.files.socket,
        project.files.token,
    ):
        Path(path).unlink(missing_ok=True)


def _forget_in_store(keeper: Keeper, key: str) -> None:
    """Nothing of the project is left in the database's pages, its log, vectors, backups or damaged copies."""
    for follow in keeper.store.submit(lambda db: _delete(db, key)).result():
        follow(keeper.store.path)
    keeper.sweep("purge")


def _delete(db: Database, key: str) -> list[Callable[[Path], None]]:
    """Returns what is to be done once this is committed."""
    parts = [each.forgets.project for each in CAPABILITIES if each.forgets.project is not None]
    follow = [after for forget in parts if (after := forget(db, key)) is not None]
    Events(db, key).forget()
    ModelAnswers(db).forget()
    return follow
