"""Forgetting for good: the table, the index, the log, the journal, the run folders, vectors and backups."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hookd.journal.keeping import Keeper
from hookd.journal.kept import ingest_lock
from hookd.journal.wiping import wipe
from hookd.memory.observations import Place, delete, queries
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
    told = _told_in(keeper, wanted)
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
        if not db.has_table("forgotten"):
            return 0
        gone = db.rows(queries()["forgotten"])
    if not gone:
        return 0
    from hookd.memory.recall.vectors import forget_vectors

    numbers = sorted({row["observation"] for row in gone})
    events = {row["event"] for row in gone if row["event"]}
    forget_vectors(keeper.store.path, numbers)
    records = 0
    for folder in (*keeper.projects(), *spools):
        with ingest_lock(folder, keeper.store.patience):  # nobody moves a file meanwhile
            records += wipe([folder], events)
    for root in {row["root"] for row in gone}:
        wipe_runs(Path(root) / ".hookd", events)
    merge(keeper.store)
    keeper.sweep("forget")
    keeper.store.submit(lambda db: db.rows(queries()["forgotten_everywhere"], (str(numbers),))).result()
    return records


def _told_in(keeper: Keeper, numbers: list[int]) -> dict[Place, list[str]]:
    """The projects that these observations are of, and the sessions."""
    found: dict[Place, list[str]] = {}
    with keeper.store.reading() as db:
        for key, root, session in db.rows(queries()["told_in"], (str(numbers),)):
            found.setdefault(Place(key, root), []).extend([session] if session else [])
    return found


def _delete(db: Database, numbers: list[int], forget_events: ForgetEvents) -> None:
    """Deletes the observations and the events they are from; a call's input is in the event before it."""
    sql = queries()
    db.run(sql["forget_later"], (str(numbers),))
    forget_events(db, [row[0] for row in db.rows(sql["events_to_forget"], (str(numbers),)) if row[0]])
    db.run(sql["forget_events"], (str(numbers),))
    delete(db, numbers)


def merge(store: Store) -> None:
    """Merges the index into one piece: only then are the words gone that nobody has any more."""
    store.submit(lambda db: db.rows(queries()["merge_words"])).result()


def forget_project(db: Database, project: str) -> list[int]:
    """Deletes all that is remembered of a project, for whoever forgets the rest of it and sweeps.

    Returns the numbers that it had: its vectors are in another file.
    """
    if not db.has_table("memory_place"):
        return []
    sql = queries()
    row = db.row(sql["place"], (project,))
    if row is None:
        return []
    numbers = [each["seq"] for each in db.rows(sql["every"], {"place": row[0]})]
    delete(db, numbers)
    db.run(sql["forget_place"], (project,))
    db.run(sql["merge_words"])
    return numbers


def forget_old(store: Store, days: float, stop: Stop = NEVER) -> int:
    """Deletes what is older than so many days, a few at a time; the backups follow as they are replaced."""
    with store.reading() as db:
        if days <= 0 or not db.has_table("observation"):
            return 0
    values = {"before": time.time() - days * 86_400, "limit": ROWS_AT_ONCE}

    def some(db: Database) -> list[int]:
        numbers = [row[0] for row in db.rows(queries()["older_than"], values)]
        delete(db, numbers)
        return numbers

    forgotten = 0
    while True:
        stop.look()
        numbers = store.submit(some).result()
        if numbers:
            from hookd.memory.recall.vectors import forget_vectors

            forget_vectors(store.path, numbers)
        forgotten += len(numbers)
        if len(numbers) < ROWS_AT_ONCE:
            break
    if forgotten:
        merge(store)
    return forgotten
