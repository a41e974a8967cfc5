"""What is gone from the tables, taken out of every file as well; and what has become old.

A daemon looks for both in quiet moments, so nothing else of memory is loaded for it.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from hookd.journal.age import too_old
from hookd.journal.archive import ingest_lock
from hookd.journal.entries import FORGOTTEN, LONGEST_EXAMPLE
from hookd.journal.erase import change_lines, id_of, journal_files
from hookd.journal.recovery import Keeper
from hookd.memory.repository.forget import Forgetting, Gone
from hookd.runs.files import change_runs, event_of
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.engine import Store

# One transaction's worth: others that want to write wait no longer than this takes.
ROWS_AT_ONCE = 200


def finish(keeper: Keeper, spools: Iterable[Path] = ()) -> int:
    """Takes what is gone from the table out of every file; returns how many records the journal had of it.

    So it is with what a process left that was killed in the middle.
    """
    with keeper.store.reading() as db:
        gone = Forgetting(db).unfinished()
        if not gone:
            return 0
        eraser = _Eraser(Forgetting(db), gone)
    from hookd.memory.recall.vectors import forget_vectors

    forget_vectors(keeper.store.path, sorted({each.name for each in gone if each.observation}))
    for folder in (*keeper.projects(), *spools):
        with ingest_lock(folder, keeper.store.patience):  # nobody moves a file meanwhile
            for path in journal_files([folder]):
                change_lines(path, eraser.of_journal)
    runs = {each.event for each in gone if each.how == "run"}
    for root in sorted({each.root for each in gone if os.path.isabs(each.root)}):
        change_runs(Path(root) / ".hookd", eraser.of_run, runs)
    merge(keeper.store)
    keeper.sweep("forget")
    keeper.store.submit(lambda db: Forgetting(db).finish(gone)).result()
    return eraser.records


def answer_digest(command: str) -> str:
    """By what a person's answer to the gate is found whose call is forgotten: it has the call's text."""
    return hashlib.sha256(command[:LONGEST_EXAMPLE].encode("utf-8", "surrogatepass")).hexdigest()


class _Eraser:
    """What becomes of a line of the journal or of a run folder: what the store has of it by now."""

    def __init__(self, forgetting: Forgetting, gone: list[Gone]) -> None:
        self._gone = {each.event for each in gone if each.event and not each.how}
        self._answers = {each.event for each in gone if each.how == "answer"}
        cut = sorted({each.event for each in gone if each.how in ("told", "call")} - self._gone)
        self._cut = set(cut)
        self._recorded, self._given = forgetting.recorded(cut), forgetting.given(cut)
        self.records = 0
        """How many records of the journal went."""

    def of_journal(self, line: bytes) -> bytes | None:
        name = id_of(line)
        if name in self._gone:
            self.records += 1
            return b""
        if self._answers and b'"t":"answer"' in line:
            return self._answer(line)
        if name not in self._cut:
            return None
        recorded = self._recorded.get(name)
        if recorded is None:
            return b""
        facts = [
            fact | {"data": recorded.facts.get(number, {})}
            for number, fact in enumerate(msgspec.json.decode(line).get("facts", ()))
        ]
        new = {"told": recorded.told, "input": recorded.input, "output": recorded.output, "facts": facts}
        return _changed(line, new)

    def _answer(self, line: bytes) -> bytes | None:
        example = msgspec.json.decode(line).get("example", "")
        if answer_digest(example) not in self._answers:
            return None
        return _changed(line, {"words": FORGOTTEN, "example": ""})

    def of_run(self, line: bytes) -> bytes | None:
        name = event_of(line)
        if name in self._gone:
            return b""
        if name not in self._cut:
            return None
        recorded = self._recorded.get(name)
        values = msgspec.json.decode(line)
        if recorded is None:
            return b""
        if "text" in values:  # one of the things that were told
            told = recorded.told[values["n"]] if values.get("n", 0) < len(recorded.told) else {}
            return _changed(line, {"text": told.get("text", "")})
        if "id" in values:  # a call
            return _changed(line, {"input": self._given.get(name, {}), "output": recorded.output})
        return _changed(line, recorded.facts.get(values.get("n", 0), {}))


def _changed(line: bytes, new: dict[str, Any]) -> bytes:
    """The line with new values for the keys that it has."""
    values = msgspec.json.decode(line)
    return msgspec.json.encode(values | {key: value for key, value in new.items() if key in values})


def merge(store: Store) -> None:
    """Merges the index into one piece: only then are the words gone that nobody has any more."""
    store.submit(lambda db: Forgetting(db).merge_index()).result()


def forget_old(store: Store, days_of: Callable[[str], float], stop: Cancellation = NEVER) -> int:
    """Deletes what is too old, a few at a time; the backups follow as they are replaced.

    `days_of` says how many days a project's own configuration keeps, by its folder; 0 is for ever.
    """
    with store.reading() as db:
        places = Forgetting(db).places() if Forgetting(db).is_ready() else []
        limits = {number: too_old(db, days_of(root), time.time()) for number, root in places}
    forgotten = 0
    for place, before in limits.items():
        if before is not None:
            forgotten += _forget_before(store, place, before, stop)
    if forgotten:
        merge(store)
    return forgotten


def _forget_before(store: Store, place: int, before: float, stop: Cancellation) -> int:
    forgotten = 0
    while True:
        stop.look()
        job = store.submit(lambda db: Forgetting(db).delete_older_than(place, before, ROWS_AT_ONCE))
        if names := job.result():
            from hookd.memory.recall.vectors import forget_vectors

            forget_vectors(store.path, names)
        forgotten += len(names)
        if len(names) < ROWS_AT_ONCE:
            return forgotten
