"""`hookd store check|backup|restore|compact|stats`: the database of all projects' records."""

import time
from collections.abc import Iterator
from pathlib import Path

import click

from hookd import config
from hookd.capabilities import forget_session, sources
from hookd.cli.colours import heading
from hookd.cli.common import counted, find_project, json_option, print_json, require_yes
from hookd.cli.groups import CommandGroup
from hookd.errors import StoreError, UsageError
from hookd.journal.maintenance import forget_old
from hookd.journal.recovery import Keeper
from hookd.paths import user_folders
from hookd.reports.store import StoreStats, keeper_of, store_check, store_stats
from hookd.store import backups
from hookd.store import restore as store_restore
from hookd.store.database_file import compact as compact_store

PATIENCE = 30.0


@click.group(cls=CommandGroup)
def store() -> None:
    """Check, back up, restore or tidy the database of all your projects' records.

    You rarely need this: daemons check it, back it up and restore it by themselves.
    """


def settings() -> config.Store:
    here = find_project()
    return sources(here.root, here.folders).read().config.store


@store.command()
@json_option
def check(as_json: bool) -> int:
    """Read the whole database and say whether it is sound. Exit code 1 if it is not."""
    found = store_check(user_folders())
    if as_json:
        print_json(found)
    elif found.ok:
        click.echo(f"{found.database} is sound.")
    else:
        for problem in found.problems:
            click.echo(problem)
        click.echo("`hookd store restore` puts the newest good backup in its place.")
    return 0 if found.ok else 1


@store.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
def backup(file: str | None) -> None:
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


def back_up_now(keeper: Keeper) -> backups.Backup:
    with keeper.one_at_a_time(PATIENCE) as alone:
        if not alone:
            raise StoreError("another process is at work on the database", hint="try again in a moment")
        return keeper.backup("manual", settings().backups)


@store.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--yes", is_flag=True, help="Do not ask.")
def restore(file: str | None, yes: bool) -> None:
    """Put a backup in the database's place.

    Without FILE, a damaged database gets its newest good backup and a sound one is left alone. With FILE,
    what the database has and FILE has not leaves the record, so you are asked. The database that was there is
    kept beside the backups in any case, and what the journal still has is read again.
    """
    keeper = keeper_of(user_folders())
    if file is None:
        incident = keeper.mend()
        click.echo(incident.says() if incident else "The database is sound; nothing was changed.")
        return
    path = Path(file).absolute()
    if problems := store_restore.problems_of(path):
        raise UsageError(f"{path} cannot take the database's place: {problems[0]}")
    if not store_restore.holds_tables_of(path, "journal"):
        raise UsageError(f"{path} is a database, but none of hookd's")
    click.echo("What was forgotten since this copy was made is in it.", err=True)
    require_yes(f"Replace {keeper.store.path} by {path}?", yes=yes)
    incident = keeper.restore(backups.Backup(0, path.stat().st_mtime, "manual", path))
    click.echo(incident.says())


@store.command()
def compact() -> None:
    """Delete what is older than `store.keep_days` and give free space back to the disk."""
    keeper = keeper_of(user_folders())
    before = keeper.store.path.stat().st_size if keeper.store.path.exists() else 0
    forgotten = forget_old(keeper.store, settings().keep_days, forget_session=forget_session)
    keeper.store.close()
    compact_store(keeper.store)
    after = keeper.store.path.stat().st_size
    click.echo(f"{forgotten} old sessions deleted; {before / 1e6:.1f} MB became {after / 1e6:.1f} MB.")


@store.command()
@json_option
def stats(as_json: bool) -> None:
    """Show what the database has, how large it is, and its backups."""
    found = store_stats(user_folders())
    if as_json:
        print_json(found)
        return
    for sentence in _sentences(found):
        click.echo(sentence)


# What a person knows of by name; the other tables are there to find these again.
_HOLDS = ("project", "session", "event", "task", "observation", "learned_rule")


def _sentences(found: StoreStats) -> Iterator[str]:
    yield heading(found.database)
    *most, last = (counted(found.rows.get(name, 0), name.replace("_", " ")) for name in _HOLDS)
    yield f"It has {', '.join(most)} and {last}."
    yield f"It takes {_size(found.bytes)}, of which {_size(found.free_bytes)} are free again."
    journal = found.journal
    yield f"{_size(journal.kept_bytes)} of the journal are in no backup yet, and are kept until they are."
    if journal.waiting:
        yield f"{counted(journal.waiting, 'segment')} of the journal wait to be taken in."
    if journal.spooled:
        yield f"{counted(journal.spooled, 'segment')} lie in the spool: the journal could not be written."
    if found.backups:
        newest = max(found.backups, key=lambda each: each.at)
        count = counted(len(found.backups), "backup")
        yield f"The newest of {count} is from {_when(newest.at)} ({_size(newest.bytes)}): {newest.path}"
    else:
        yield "There is no backup yet; a daemon makes one in a quiet moment."
    for incident in found.incidents:
        yield f"{_when(incident.at)}: {incident.what}"


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _when(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
