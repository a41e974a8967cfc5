"""The database of all projects' records: what it has, how large it is, whether it is sound."""

from pathlib import Path

import msgspec

from hookd.errors import DamagedStoreError, StoreError
from hookd.journal.archive import kept_files
from hookd.journal.ingest import open_store
from hookd.journal.recovery import Keeper
from hookd.journal.repository import project_roots
from hookd.journal.segments import segments
from hookd.paths import UserFolders
from hookd.store import backups, incidents
from hookd.store.database_file import check, page_counts, row_counts


class StoreCheck(msgspec.Struct, frozen=True):
    """What is wrong with the database, if anything is."""

    database: str
    ok: bool
    problems: list[str]


class JournalStats(msgspec.Struct, frozen=True, kw_only=True):
    """All projects' journals."""

    kept_bytes: int
    """What the store has and no backup yet."""
    waiting: int
    """Segments that the store does not have yet."""
    spooled: int
    """Segments in the runtime folder."""


class BackupStats(msgspec.Struct, frozen=True):
    """A backup."""

    at: float
    why: str
    path: str
    bytes: int


class StoreIncident(msgspec.Struct, frozen=True):
    """Something that happened to the database."""

    at: float
    what: str


class StoreStats(msgspec.Struct, frozen=True, kw_only=True):
    """What the database has, how large it is, and its backups."""

    database: str
    bytes: int
    free_bytes: int
    rows: dict[str, int]
    """By table."""
    journal: JournalStats
    backups: list[BackupStats]
    incidents: list[StoreIncident]


def keeper_of(folders: UserFolders) -> Keeper:
    """The keeper of the user's database."""
    return Keeper(open_store(folders.database), folders.journals)


def store_check(folders: UserFolders) -> StoreCheck:
    """Reads the whole database."""
    store = open_store(folders.database)
    try:
        with store.reading() as db:
            found = check(db, thorough=True)
    except DamagedStoreError as error:
        found = [str(error)]
    return StoreCheck(str(store.path), not found, found)


def store_stats(folders: UserFolders) -> StoreStats:
    """Counts it all."""
    keeper = keeper_of(folders)
    path = keeper.store.path
    pages, free, size = page_counts(keeper.store)
    rows = row_counts(keeper.store)
    projects = keeper.projects()
    return StoreStats(
        database=str(path),
        bytes=pages * size,
        free_bytes=free * size,
        rows=rows,
        journal=JournalStats(
            kept_bytes=sum(kept.stat().st_size for each in projects for kept in kept_files(each)),
            waiting=sum(1 for each in projects for _ in segments(each)),
            spooled=len(spooled(folders)),
        ),
        backups=[
            BackupStats(each.at, each.why, str(each.path), each.path.stat().st_size)
            for each in backups.listed(backups.folder_of(path))
        ],
        incidents=[StoreIncident(each.at, each.says()) for each in incidents.known(path)],
    )


def recorded_roots(folders: UserFolders) -> list[str]:
    """The folders of all projects that there is a record of; none if it cannot be read now."""
    if not folders.database.exists():
        return []
    try:
        with open_store(folders.database).reading() as db:
            return project_roots(db)
    except StoreError:
        return []


def spooled(folders: UserFolders) -> list[Path]:
    """Segments of all projects that lie in the runtime folder."""
    return [path for folder in folders.spools() for path in segments(folder)]
