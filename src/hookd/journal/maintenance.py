"""What the store needs now and then, in moments when nobody waits: a backup, forgetting, and room."""

import time
from collections.abc import Callable

from hookd import config
from hookd.journal.age import may_have_jumped, too_old
from hookd.journal.archive import kept_files
from hookd.journal.recovery import Keeper
from hookd.journal.repository import Retention
from hookd.store import backups
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.database import Database
from hookd.store.database_file import compact, page_counts
from hookd.store.engine import Store

# One transaction's worth: others that want to write wait no longer than this takes.
ROWS_AT_ONCE = 500
# A clock that is wrong for more than a day must not cost a year's sessions.
MOST_AT_ONCE = 100
WASTE_BYTES, WASTE_SHARE = 8 * 1024 * 1024, 0.25
# So much journal is backed up before its time.
KEPT_BYTES = 64 * 1024 * 1024


ForgetSession = Callable[[Database, str, str], None]
"""What others have of a session, by the project's key and its id, goes with its events."""


def maintain(
    keeper: Keeper,
    settings: config.Store,
    stop: Cancellation = NEVER,
    forget_session: ForgetSession = lambda _db, _key, _session: None,
) -> None:
    """Does what is due, unless another process is at it; raises DamagedStoreError if it finds damage."""
    if not keeper.store.path.exists():
        return
    with keeper.one_at_a_time() as alone:
        if not alone:
            return
        # The backup comes before anything is forgotten: a clock that is wrong costs nothing at once.
        if backup_is_due(keeper, settings.backup_hours):
            with keeper.store.reading() as db:
                jumped = may_have_jumped(db, time.time())
            # One that is made only because the clock jumped takes no other's place.
            keeper.backup("daily", settings.backups * (2 if jumped else 1), stop)
        forget_old(keeper.store, settings.keep_days, stop, MOST_AT_ONCE, forget_session)
        if is_wasteful(keeper.store):
            compact(keeper.store, stop)


def backup_is_due(keeper: Keeper, hours: float) -> bool:
    """Whether something came in since a backup that is old, or a lot of it."""
    waiting = [path.stat().st_size for project in keeper.projects() for path in kept_files(project)]
    known = backups.listed(backups.folder_of(keeper.store.path))
    if not known:
        return True
    # A backup of tomorrow was made before the clock was set back.
    is_old = not 0 <= time.time() - known[-1].at < hours * 3600
    return bool(waiting) and (is_old or sum(waiting) > KEPT_BYTES)


def forget_old(
    store: Store,
    days: float,
    stop: Cancellation = NEVER,
    most: int = 1_000_000,
    forget_session: ForgetSession = lambda _db, _key, _session: None,
) -> int:
    """Deletes sessions that were last heard of before so many days; returns how many."""
    with store.reading() as db:
        before = too_old(db, days, time.time())
    return 0 if before is None else _forget_before(store, before, stop, most, forget_session)


def _forget_before(
    store: Store, before: float, stop: Cancellation, most: int, forget_session: ForgetSession
) -> int:
    forgotten = 0

    def delete(what: str, **of: str) -> None:
        while True:
            stop.look()
            job = store.submit(lambda db: Retention(db, before, ROWS_AT_ONCE).forget(what, **of))
            if job.result() < ROWS_AT_ONCE:
                return

    with store.reading() as db:
        projects = Retention(db, before, ROWS_AT_ONCE).projects()
    for project in projects:
        delete("loose_events", project=project)
    delete("counted_problems")
    delete("problems")
    while True:
        with store.reading() as db:
            sessions = Retention(db, before, ROWS_AT_ONCE).old_sessions()[: most - forgotten]
        if not sessions:
            return forgotten
        for project, session in sessions:
            store.submit(_told(forget_session, project, session)).result()
            delete("session_events", project=project, session=session)
            delete("session", project=project, session=session)
            forgotten += 1


def _told(forget: ForgetSession, project: str, session: str) -> Callable[[Database], None]:
    return lambda db: forget(db, project, session)


def is_wasteful(store: Store) -> bool:
    """Whether the file would be a good deal smaller without its free pages."""
    pages, free, size = page_counts(store)
    return free * size > WASTE_BYTES and free > WASTE_SHARE * pages
