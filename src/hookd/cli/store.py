"""`hookd store check|backup|restore|compact|stats`: the database of all projects' records."""

import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from hookd import config
from hookd.capabilities import sources
from hookd.cli.common import find_project, json_option, print_json
from hookd.errors import DamagedStoreError, StoreError, UsageError
from hookd.journal.ingest import open_store
from hookd.journal.keeping import Keeper
from hookd.journal.kept import kept_files
from hookd.journal.maintenance import compact as compact_store
from hookd.journal.maintenance import forget_old, page_counts
from hookd.journal.segments import segments
from hookd.paths import UserFolders, user_folders
from hookd.store import backups, incidents, restoring
from hookd.store.integrity import check as check_database

PATIENCE = 30.0


@click.group()
def store() -> None:
    """Check, back up, restore or tidy the database of all your projects' records.

    You rarely need this: daemons check it, back it up and restore it by themselves.
    """


def keeper_of(folders: UserFolders) -> Keeper:
    return Keeper(open_store(folders.database), folders.journals)


def settings() -> config.Store:
    here = find_project()
    return sources(here.root, here.folders).read().config.store


@store.command()
@json_option
def check(as_json: bool) -> int:
    """Read the whole database and say whether it is sound. Exit code 1 if it is not."""
    keeper = keeper_of(user_folders())
    try:
        with keeper.store.reading() as db:
            found = check_database(db, thorough=True)
    except DamagedStoreError as error:
        found = [str(error)]
    if as_json:
        print_json({"database": str(keeper.store.path), "ok": not found, "problems": found})
    elif found:
        for problem in found:
            click.echo(problem)
        click.echo("`hookd store restore` puts the newest good backup in its place.")
    else:
        click.echo(f"{keeper.store.path} is sound.")
    return 1 if found else 0


@store.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
def backup(file: str | None) -> int:
    """Make a backup now, among the others or as FILE."""
    keeper = keeper_of(user_folders())
    if file is None:
        path = back_up_now(keeper).path
    else:
        path = Path(file).absolute()
        if path.exists():
            raise UsageError(f"{path} is there already", hint="name a file that is not")
        if not path.parent.is_dir():
            raise UsageError(f"there is no folder {path.parent}")
        with keeper.store.reading() as db:
            backups.write_copy(db, path)
    click.echo(f"Written to {path} ({path.stat().st_size / 1e6:.1f} MB).")
    return 0


def back_up_now(keeper: Keeper) -> backups.Backup:
    with keeper.one_at_a_time(PATIENCE) as alone:
        if not alone:
            raise StoreError("another process is at work on the database", hint="try again in a moment")
        return keeper.backup("manual", settings().backups)


@store.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def restore(file: str | None, yes: bool) -> int:
    """Put a backup in the database's place.

    Without FILE, a damaged database gets its newest good backup and a sound one is left alone. With FILE,
    what the database has and FILE has not leaves the record, so you are asked. The database that was there is
    kept beside the backups in any case, and what the journal still has is read again.
    """
    keeper = keeper_of(user_folders())
    if file is None:
        incident = keeper.mend()
        click.echo(incident.says() if incident else "The database is sound; nothing was changed.")
        return 0
    path = Path(file).absolute()
    if problems := restoring.problems_of(path):
        raise UsageError(f"{path} cannot take the database's place: {problems[0]}")
    if not _has_records(path):
        raise UsageError(f"{path} is a database, but none of hookd's")
    if not yes and not click.confirm(f"Replace {keeper.store.path} by {path}?"):
        click.echo("Nothing was changed.")
        return 1
    incident = keeper.restore(backups.Backup(0, path.stat().st_mtime, "manual", path))
    click.echo(incident.says())
    return 0


@store.command()
def compact() -> int:
    """Delete what is older than `store.keep_days` and give free space back to the disk."""
    keeper = keeper_of(user_folders())
    before = keeper.store.path.stat().st_size if keeper.store.path.exists() else 0
    forgotten = forget_old(keeper.store, settings().keep_days)
    keeper.store.close()
    compact_store(keeper.store)
    after = keeper.store.path.stat().st_size
    click.echo(f"{forgotten} old sessions deleted; {before / 1e6:.1f} MB became {after / 1e6:.1f} MB.")
    return 0


@store.command()
@json_option
def stats(as_json: bool) -> int:
    """Show what the database has, how large it is, and its backups."""
    found = collect(user_folders())
    if as_json:
        print_json(found)
        return 0
    click.echo(found["database"])
    click.echo(
        f"  size        {found['bytes'] / 1e6:.1f} MB, of which {found['free_bytes'] / 1e6:.1f} MB free"
    )
    click.echo(f"  rows        {', '.join(f'{count} {name}' for name, count in found['rows'].items())}")
    journal = found["journal"]
    click.echo(
        f"  journal     {journal['kept_bytes'] / 1e6:.1f} MB since the last backup,"
        f" {journal['waiting']} segments to come in, {journal['spooled']} in the spool"
    )
    for each in found["backups"] or [None]:
        made = f"{_when(each['at'])}  {each['bytes'] / 1e6:.1f} MB  {each['path']}" if each else "none yet"
        click.echo(f"  backup      {made}")
    for each in found["incidents"]:
        click.echo(f"  incident    {_when(each['at'])}: {each['what']}")
    return 0


def collect(folders: UserFolders) -> dict[str, Any]:
    keeper = keeper_of(folders)
    pages, free, size = page_counts(keeper.store)
    with keeper.store.reading() as db:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
        names = [row[0] for row in db.execute(tables)]
        rows = {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
    return {
        "database": str(keeper.store.path),
        "bytes": pages * size,
        "free_bytes": free * size,
        "rows": rows,
        "journal": {
            "kept_bytes": sum(path.stat().st_size for each in keeper.projects() for path in kept_files(each)),
            "waiting": sum(1 for each in keeper.projects() for _ in segments(each)),
            "spooled": len(spooled(folders)),
        },
        "backups": [
            {"at": each.at, "why": each.why, "path": str(each.path), "bytes": each.path.stat().st_size}
            for each in backups.listed(backups.folder_of(keeper.store.path))
        ],
        "incidents": [{"at": each.at, "what": each.says()} for each in incidents.known(keeper.store.path)],
    }


def spooled(folders: UserFolders) -> list[Path]:
    """Segments of all projects that lie in the runtime folder."""
    if folders.runtime is None:
        return []
    return [path for folder in (folders.runtime / "spool").glob("*") for path in segments(folder)]


def _has_records(copy: Path) -> bool:
    db = sqlite3.connect(f"file:{quote(str(copy))}?mode=ro", uri=True)
    try:
        return db.execute("SELECT 1 FROM migration WHERE owner = 'journal'").fetchone() is not None
    finally:
        db.close()


def _when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
