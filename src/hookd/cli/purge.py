"""`hookd purge PROJECT`: forget a project entirely."""

import os
import shutil
import sqlite3
from pathlib import Path

import click

from hookd.agents import AGENTS
from hookd.agents.installing import SCOPES
from hookd.agents.registrations import Registrations
from hookd.cli.common import Project
from hookd.cli.daemon import stop_daemon
from hookd.cli.registration import target
from hookd.daemon.outbox import ProjectOutbox
from hookd.errors import UsageError
from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learned import forget_learned
from hookd.hooks import trust
from hookd.hooks.kit.keeping import folder_of
from hookd.journal.ingest import open_store, queries
from hookd.journal.keeping import Keeper
from hookd.llm.ledger import forget_answers
from hookd.memory.forgetting import forget_project
from hookd.memory.recall.vectors import forget_vectors
from hookd.paths import project_key, project_root, runtime_files, user_folders
from hookd.runs.folder import forget_generated_files, refuse_links
from hookd.store import backups
from hookd.store.restoring import aside_folder, remove

# Another process may be making a backup just now.
PATIENCE = 30.0


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
    return Project(root, runtime_files(root), user_folders())


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
    GrantBook(project.folders, project.root).forget()
    ProjectOutbox(project.folders.data, key).forget()
    shutil.rmtree(folder_of(project.folders.data, key), ignore_errors=True)
    hookd_folder = Path(project.root) / ".hookd"
    if hookd_folder.is_dir():
        refuse_links(hookd_folder)
        for name in ("runs", "handovers"):
            shutil.rmtree(hookd_folder / name, ignore_errors=True)
        (hookd_folder / "CURRENT.md").unlink(missing_ok=True)
        forget_generated_files(hookd_folder)
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
    forget_vectors(keeper.store.path, keeper.store.submit(lambda db: _delete(db, key)).result())
    keeper.store.close()
    with keeper.store.reading() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with keeper.one_at_a_time(PATIENCE):
        keeper.backup("purge", keep=1)
    left = [
        *backups.folder_of(keeper.store.path).glob(".hookd-*"),
        *aside_folder(keeper.store.path).glob("*.db*"),
    ]
    for path in left:
        remove(path)


def _delete(db: sqlite3.Connection, key: str) -> list[int]:
    """Returns the numbers of the observations that are gone."""
    numbers = forget_project(db, key)
    for name in ("forget_project", "forget_segments"):
        db.execute(queries()[name], {"project": key})
    forget_answers(db)
    forget_learned(db, key)
    return numbers
