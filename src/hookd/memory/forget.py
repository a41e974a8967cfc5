"""Forgetting for good: the table, the index, the log, the journal, the run folders, vectors and backups.

It is a record of the journal that names what is forgotten and has not a word of it. Taking that in deletes it
here as in every other place that reads the journal; the files follow (`erasing`).
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from hookd.journal.entries import Forgotten
from hookd.journal.recovery import Keeper
from hookd.journal.repository import Tombstones
from hookd.memory.erase import ROWS_AT_ONCE, finish
from hookd.memory.handover.again import make_again
from hookd.memory.handover.prose import prose_id
from hookd.memory.handover.summaries import summary_id
from hookd.memory.observations import Place
from hookd.memory.quotes import Names, Texts
from hookd.memory.repository.forget import Forgetting, Gone, ToForget
from hookd.memory.repository.places import Places
from hookd.paths import split_root
from hookd.store.cancellation import NEVER, Stop
from hookd.store.database import Database

BringIn = Callable[[str, Forgotten], None]
"""Puts a record into the journal of a folder and brings it into the store; raises StoreError if it cannot."""


class Done(NamedTuple):
    """What is gone."""

    observations: int
    records: int
    """How many records of the journal went with them."""


def forget(
    keeper: Keeper,
    numbers: Iterable[int],
    here: str,
    recording: Callable[[], AbstractContextManager[BringIn]],
    spools: Iterable[Path] = (),
    *,
    by_agent: bool = False,
    stop: Stop = NEVER,
    tell: Callable[[int], object] = lambda _: None,
) -> Done:
    """Forgets these observations and the events they were made from, everywhere, before it returns.

    Told to stop, it leaves the rest as it is, but what is gone from the table goes everywhere: nobody could
    ask for that again. `here` is the folder whose journal says it of observations whose own folder is gone;
    `tell` hears how many went at once. An agent's own shell lines stay on record if an agent forgets.
    """
    with keeper.store.reading() as db:
        wanted = Forgetting(db).to_forget(sorted(set(numbers)))
        quotes = _Quotes(Forgetting(db), wanted, shell=not by_agent)
    done = 0
    with recording() as bring_in:
        for some in _parts(wanted):
            if stop.wait(0):
                break
            root = some[0].root
            bring_in(root if os.path.isabs(root) and os.path.isdir(root) else here, _record(some, quotes))
            done += len(some)
            tell(len(some))
    return Done(done, finish(keeper, spools))


class _Quotes:
    """Where the record repeats what is to be forgotten."""

    def __init__(self, forgetting: Forgetting, wanted: list[ToForget], *, shell: bool) -> None:
        names = Names(name for each in wanted for name in (each.id, *_summaries([each])))
        texts = Texts((each.id, each.text) for each in wanted)
        self._told = forgetting.telling(names)
        self._calls = forgetting.repeating(names, texts, shell=shell)

    def told(self, names: set[str]) -> tuple[str, ...]:
        return tuple(event for event, of in self._told.items() if of & names)

    def calls(self, names: set[str]) -> tuple[str, ...]:
        return tuple(event for event, of in self._calls.items() if of & names)


def _parts(wanted: list[ToForget]) -> Iterable[list[ToForget]]:
    for _, of_place in groupby(wanted, lambda each: each.place):
        several = list(of_place)
        for start in range(0, len(several), ROWS_AT_ONCE):
            yield several[start : start + ROWS_AT_ONCE]


def _record(some: list[ToForget], quotes: _Quotes) -> Forgotten:
    observations, summaries = tuple(each.id for each in some), _summaries(some)
    names = {*observations, *summaries}
    return Forgotten(
        id=os.urandom(16).hex(),
        at=time.time(),
        records=tuple(dict.fromkeys(record for each in some for record in each.records)),
        observations=observations,
        retold=summaries,
        quoting=quotes.told(names),
        repeating=quotes.calls(names),
        tree=some[0].tree,
        machine=split_root(some[0].root)[0],
    )


def _summaries(some: list[ToForget]) -> tuple[str, ...]:
    """What was made of their sessions, by hookd and in a model's words; it may repeat any of them."""
    sessions = dict.fromkeys(each.session for each in some if each.session)
    return tuple(name for session in sessions for name in (summary_id(session), prose_id(session)))


def take_forgotten(db: Database, writer: Place, record: Forgotten) -> str:
    """Deletes what a record says is forgotten, and notes what of it may be in files.

    Returns why the files for people could not be written anew, or nothing.
    """
    forgetting, machine = Forgetting(db), writer.machine or record.machine
    place = Places(db).of_record(record.tree, writer)
    if place is None:
        return ""
    tombstones = Tombstones(db, machine)
    told, calls = tombstones.events(record.quoting), tombstones.events(record.repeating)
    names = (*record.observations, *record.retold)
    forgetting.cut(told, calls, Names(names))
    root = forgetting.root_of(place)
    forgetting.later(Gone(place, each, "", root) for each in names)
    if not machine:  # nothing of another machine's is in a file here, whatever it names
        forgetting.later(Gone(place, "", each, root) for each in record.records)
        for how, events in (("told", told), ("call", calls)):
            forgetting.later(Gone(place, "", *each, how) for each in forgetting.folders_of(events))  # type: ignore[arg-type]
    numbers = forgetting.numbers(place, record)
    sessions = forgetting.sessions_of(numbers)
    forgetting.delete(numbers)
    return "; ".join(filter(None, (make_again(db, of, some) for of, some in sessions.items())))
