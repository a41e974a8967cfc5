"""The room that the database's file takes, and giving it back."""

from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.engine import Store

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"


def page_counts(store: Store) -> tuple[int, int, int]:
    """How many pages the file has, how many of them are free, and their size."""
    with store.reading() as db:
        pages, free, size = (
            int(db.value(f"PRAGMA {name}")) for name in ("page_count", "freelist_count", "page_size")
        )
    return pages, free, size


def row_counts(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    with store.reading() as db:
        return {row[0]: db.value(f'SELECT count(*) FROM "{row[0]}"') for row in db.rows(_TABLES)}


def compact(store: Store, stop: Cancellation = NEVER) -> None:
    """Rewrites the file without its free pages; readers go on meanwhile, writers wait."""
    with store.reading() as db, stop.lent(db.connection):
        db.connection.execute("VACUUM")
        db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def empty_log(store: Store) -> None:
    """Nothing that was deleted is left in the log beside the file."""
    with store.reading() as db:
        db.run("PRAGMA wal_checkpoint(TRUNCATE)")
