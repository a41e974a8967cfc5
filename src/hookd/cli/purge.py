"""`hookd purge PROJECT`: forget a project entirely."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import click

from hookd.agents import AGENTS
from hookd.agents.install import SCOPES
from hookd.agents.registrations import Registrations
from hookd.capabilities import CAPABILITIES, generated_files, migrations
from hookd.capability import Folders
from hookd.cli.common import require_yes
from hookd.cli.daemon import stop_daemon
from hookd.daemon.outbox import ProjectOutbox
from hookd.errors import StoreError, UsageError
from hookd.hooks import trust
from hookd.hooks.kit.storage import folder_of
from hookd.identity.register import unregister
from hookd.journal.ingest import open_store
from hookd.journal.recovery import Keeper
from hookd.journal.repository import Events
from hookd.llm.repository import ModelAnswers
from hookd.paths import Project, project_at, project_key, project_root
from hookd.reports.registration import target
from hookd.runs.folder import forget_generated_files, refuse_links
from hookd.store.database import Database


@click.command()
@click.argument("project", type=click.Path(exists=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(project: str, yes: bool) -> None:
    """Forget a project entirely.

    Stops its daemon and deletes its record (store, journal, run folders, hand-overs), its trust, what was
    granted in it, what hooks keep for it, and hookd's entries in its agents' settings. Backups of the store
    are replaced by one made afterwards, and damaged copies are deleted. What else is under .hookd/ is yours
    and stays.
    """
    here = exactly(project)
    folders = _folders(here)
    # A folder where another project is now has its own record.
    before = [project_at(root) for root in folders.before if root != here.root and not os.path.lexists(root)]
    covered = ", ".join([here.root, *(f"{each.root} (where it was before)" for each in before)])
    if folders.sharing:
        others = ", ".join(folders.sharing)
        click.echo(f"What was remembered in {others} stays: purge these as well to forget it.")
    require_yes(f"Delete everything hookd knows of {covered}?", yes=yes)
    stop_daemon(here)
    for known in Registrations(here.folders.registrations).for_project(here.root):
        if known.agent in AGENTS:
            AGENTS[known.agent].uninstall(Path(known.path), here.folders.registrations, dry_run=False)
    for agent in AGENTS.values():
        for scope in SCOPES:
            if scope != "user":
                agent.mcp_uninstall(target(here, scope), everywhere=False, dry_run=False)
    for each in (here, *before):
        forget(each)
    unregister(here.folders, here.root)
    click.echo(f"{covered} {'are' if before else 'is'} forgotten.")


def _folders(project: Project) -> Folders:
    """What capabilities say of other folders, together."""
    if not project.folders.database.exists():
        return Folders()
    store = open_store(project.folders.database)
    try:
        store.adopt(migrations())
        with store.reading() as db:
            found = [each.forgets.folders(db, project) for each in CAPABILITIES if each.forgets.folders]
    except StoreError:
        return Folders()  # `forget` mends it or says why not
    before = {root for each in found for root in each.before}
    return Folders(tuple(sorted(before)), tuple(sorted({root for each in found for root in each.sharing})))


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
        # Nothing is left in the database's pages, its log, vectors, backups or damaged copies.
        for follow in keeper.store.submit(lambda db: _delete(db, project)).result():
            follow(keeper.store.path)
        keeper.sweep("purge")
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
    files = project.files
    tokens = (files.token, files.mcp_token)
    for path in (files.log, f"{files.log}.1", files.lock, files.socket, *tokens, files.versions):
        Path(path).unlink(missing_ok=True)


def _delete(db: Database, project: Project) -> list[Callable[[Path], None]]:
    """Returns what is to be done once this is committed."""
    parts = [each.forgets.project for each in CAPABILITIES if each.forgets.project is not None]
    follow = [after for forget in parts if (after := forget(db, project)) is not None]
    Events(db, project.key).forget()
    ModelAnswers(db).forget()
    return follow
