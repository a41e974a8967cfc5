"""What is gone from the tables, taken out of every file as well; and what has become old.

A daemon looks for both in quiet moments, so nothing else of memory is loaded for it.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hookd.journal.archive import ingest_lock
from hookd.journal.erase import change_lines, id_of, journal_files
from hookd.journal.recovery import Keeper
from hookd.memory.quotes import Names, cut_call, cut_told
from hookd.memory.repository.forget import Forgetting, Gone
from hookd.runs.erase import change_runs, event_of
from hookd.store.cancellation import NEVER, Stop
from hookd.store.engine import Store

# One transaction's worth: others that want to write wait no longer than this takes.
ROWS_AT_ONCE = 200


def finish(keeper: Keeper, spools: Iterable[Path] = ()) -> int:
    """Takes what is gone from the table out of every file; returns how many records the journal had of it.

    So it is with what somebody left who was killed in the middle.
    """
    with keeper.store.reading() as db:
        gone = Forgetting(db).unfinished()
    if not gone:
        return 0
    from hookd.memory.recall.vectors import (
        forget_vectors,
    )

    forget_vectors(keeper.store.path, sorted({each.name for each in gone if each.observation}))
    eraser = _Eraser(gone)
    for folder in (*keeper.projects(), *spools):
        with ingest_lock(folder, keeper.store.patience):  # nobody moves a file meanwhile
            for path in journal_files([folder]):
                change_lines(path, eraser.of_journal)
    for root in sorted({each.root for each in gone if os.path.isabs(each.root)}):
        change_runs(Path(root) / ".hookd", eraser.of_run)
    merge(keeper.store)
    keeper.sweep("forget")
    keeper.store.submit(lambda db: Forgetting(db).finish(gone)).result()
    return eraser.records


class _Eraser:
    """What becomes of a line of the journal or of a run folder."""

    def __init__(self, gone: list[Gone]) -> None:
        self._names = Names(each.observation for each in gone if each.observation)
        self._gone = {each.event for each in gone if each.event and not each.how}
        self._told = {each.event for each in gone if each.how == "told"}
        self._calls = {each.event for each in gone if each.how == "call"}
        self.records = 0
        """How many records of the journal went."""

    def of_journal(self, line: bytes) -> bytes | None:
        name = id_of(line)
        if name in self._gone:
            self.records += 1
        return self._changed(name, line)

    def of_run(self, line: bytes) -> bytes | None:
        return self._changed(event_of(line), line)

    def _changed(self, name: str, line: bytes) -> bytes | None:
        if name in self._gone:
            return b""
        if name not in self._told and name not in self._calls:
            return None
        values = msgspec.json.decode(line)
        if name in self._told:
            # A line of a run folder is one of the things that were told.
            cut_told([*values.get("told", ()), values], self._names)
        if name in self._calls:
            cut_call(values)
        return msgspec.json.encode(values)


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
