"""Forgetting for good: the table, the index, the log, the journal, the run folders, vectors and backups."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hookd.journal.keeping import Keeper
from hookd.journal.kept import ingest_lock
from hookd.journal.wiping import wipe
from hookd.memory.repository.forgetting import Forgetting
from hookd.runs.wiping import wipe_runs
from hookd.store.database import Database
from hookd.store.engine import Store
from hookd.store.stopping import NEVER, Stop

# One transaction's worth: others that want to write wait no longer than this takes.
ROWS_AT_ONCE = 200


ForgetEvents = Callable[[Database, Sequence[str]], None]
"""What others have made of these events goes with them, in the same transaction."""


class Forgotten(NamedTuple):
    """What is gone."""

    observations: int
    records: int
    """How many records of the journal went with them."""


def forget(
    keeper: Keeper,
    numbers: Iterable[int],
    spools: Iterable[Path] = (),
    *,
    forget_events: ForgetEvents = lambda _db, _events: None,
    stop: Stop = NEVER,
    tell: Callable[[int], object] = lambda _: None,
) -> Forgotten:
    """Forgets these observations and the events they were made from, everywhere, before it returns.

    Told to stop, it leaves the rest as it is, but what is gone from the table goes everywhere: nobody could
    ask for that again. `tell` hears how many went at once.
    """
    # Here and below: the daemon looks whether anything is old, and most of memory would stay loaded in it.
    from hookd.memory.handover.again import make_again

    wanted = sorted(set(numbers))
    with keeper.store.reading() as db:
        told = Forgetting(db).sessions_of(wanted)
    done = 0
    while done < len(wanted) and not stop.wait(0):
        some = wanted[done : done + ROWS_AT_ONCE]
        keeper.store.submit(lambda db, some=some: _delete(db, some, forget_events)).result()  # type: ignore[misc]
        done += len(some)
        tell(len(some))
    for place, sessions in told.items():
        keeper.store.submit(lambda db, of=place, some=sessions: make_again(db, of, some)).result()  # type: ignore[misc]
    return Forgotten(done, finish(keeper, spools))


def finish(keeper: Keeper, spools: Iterable[Path] = ()) -> int:
    """Takes what is gone from the table out of every file; returns how many records the journal had of it.

    So it is with what somebody left who was killed in the middle.
    """
    with keeper.store.reading() as db:
        gone = Forgetting(db).unfinished()
    if not gone:
        return 0
    from hookd.memory.recall.vectors import forget_vectors

    events = {each.event for each in gone if each.event}
    forget_vectors(keeper.store.path, sorted({each.name for each in gone}))
    records = 0
    for folder in (*keeper.projects(), *spools):
        with ingest_lock(folder, keeper.store.patience):  # nobody moves a file meanwhile
            records += wipe([folder], events)
    for root in {each.root for each in gone}:
        wipe_runs(Path(root) / ".hookd", events)
    merge(keeper.store)
    keeper.sweep("forget")
    keeper.store.submit(lambda db: Forgetting(db).finish(gone)).result()
    return records


def _delete(db: Database, numbers: list[int], forget_events: ForgetEvents) -> None:
    """Deletes the observations and the events they are from."""
    forgetting = Forgetting(db)
    forget_events(db, forgetting.note(numbers))
    forgetting.delete_events(numbers)
    forgetting.delete(numbers)


def merge(store: Store) -> None:
    """Merges the index into one piece: only then are the words gone that nobody has any more."""
    store.submit(lambda db: Forgetting(db).merge_index()).result()


def forget_old(store: Store, days: float, stop: Stop = NEVER) -> int:
    """Deletes what is older than so many days, a few at a time; the backups follow as they are replaced."""
    with store.reading() as db:
        if days <= 0 or not Forgetting(db).is_ready():
            return 0
    before = time.time() - days * 86_400
    forgotten = 0
    while True:
        stop.look()
        names = store.submit(lambda db: Forgetting(db).delete_older_than(before, ROWS_AT_ONCE)).result()
        if names:
            from hookd.memory.recall.vectors import forget_vectors

            forget_vectors(store.path, names)
        forgotten += len(names)
        if len(names) < ROWS_AT_ONCE:
            break
    if forgotten:
        merge(store)
    return forgotten
