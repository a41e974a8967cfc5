"""Forgetting for good: the table, the index, the log, the journal, the run folders, vectors and backups.

It is a record of the journal that names what is forgotten and has not a word of it. Taking that in deletes it
here as in every other place that reads the journal; the files follow (`erase`).
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from hookd.journal.entries import Entry, Forgotten
from hookd.journal.recovery import Keeper
from hookd.journal.repository import Tombstones
from hookd.memory.erase import ROWS_AT_ONCE, answer_digest, finish
from hookd.memory.handover.retold import retold, told_by_summary_alone, untold_without
from hookd.memory.handover.summaries import make_again
from hookd.memory.observations import Place, is_own_id, prose_id, summary_id
from hookd.memory.quotes import Cut, Names, Passages, cited_word
from hookd.memory.repository.forget import Forgetting, Gone, ToForget
from hookd.memory.repository.places import Places
from hookd.paths import split_root
from hookd.store.cancellation import NEVER, Cancellation
from hookd.store.database import Database

BringIn = Callable[[str, Forgotten], None]
"""Puts a record into the journal of a folder and brings it into the store; raises StoreError if it cannot."""


class Done(NamedTuple):
    """What is gone."""

    observations: int
    records: int
    """How many records of the journal went with them."""
    repeated: int = 0
    """How many of the observations were not named, but repeat one that was."""
    alike: tuple[str, ...] = ()
    """The ids of others that say the same, of other events: they are still there."""


def forget(
    keeper: Keeper,
    numbers: Iterable[int],
    here: str,
    recording: Callable[[], AbstractContextManager[BringIn]],
    spools: Iterable[Path] = (),
    *,
    by_agent: bool = False,
    stop: Cancellation = NEVER,
    tell: Callable[[int], object] = lambda _: None,
) -> Done:
    """Forgets these observations and the events they were made from, everywhere, before it returns.

    Told to stop, it leaves the rest as it is, but what is gone from the table goes everywhere: nobody could
    ask for that again. `here` is the folder whose journal says it of observations whose own folder is gone;
    `tell` hears how many went at once. If an agent forgets, it is only what it names: what was made of that
    or repeats it may be the person's, and its own shell lines stay on record.
    """
    named = sorted(set(numbers))
    with keeper.store.reading() as db:
        found = _Found(db, named, by_agent=by_agent)
    done = 0
    with recording() as bring_in:
        for some in _parts(found.wanted):
            if stop.wait(0):
                break
            root = some[0].root
            bring_in(root if os.path.isabs(root) and os.path.isdir(root) else here, found.record(some))
            done += len(some)
            tell(len(some))
        # Sessions that began meanwhile were told of it before it was gone.
        with keeper.store.reading() as db:
            found.look_again(Forgetting(db))
        for some in _parts(found.wanted[:done]):
            if (record := found.record(some)).quoting:
                bring_in(here, msgspec.structs.replace(record, repeating=()))
    repeated = len(found.wanted) - len(named)
    return Done(done, finish(keeper, spools), repeated if done == len(found.wanted) else 0, found.alike)


class _Found:
    """What is to be forgotten, and where the record repeats it."""

    def __init__(self, db: Database, numbers: list[int], *, by_agent: bool) -> None:
        forgetting = Forgetting(db)
        wanted = forgetting.to_forget(numbers)
        if not by_agent:
            wanted = _with_calls(db, _with_related(forgetting, wanted))
        self._names = names = Names(name for each in wanted for name in (each.id, *_summaries([each])))
        texts = [(each.id, each.text) for each in wanted]
        passages = Passages(texts)
        self._told = forgetting.telling(names) if wanted else {}
        sessions = {*forgetting.sessions_told(list(self._told)), *(each.session for each in wanted)} - {""}
        everywhere = Passages(texts, _untold(db, wanted))
        self._calls = forgetting.repeating(names, everywhere, sessions, shell=not by_agent) if wanted else {}
        # What was written down of such a call says it too; the call itself stays, without it, so it is not
        # among the records of these.
        known = {each.seq for each in wanted}
        made = forgetting.made_of_calls(list(self._calls)) if not by_agent else []
        more = [seq for seq, text in made if seq not in known and passages.repeated_in(text)]
        self.wanted = [*wanted, *(each._replace(records=()) for each in forgetting.to_forget(more))]
        self.wanted.sort(key=lambda each: (*_together(each), each.session, each.seq))
        self.alike = tuple(forgetting.alike([each.seq for each in self.wanted]))

    def look_again(self, forgetting: Forgetting) -> None:
        """Finds the events that tell of them and did not when this was made."""
        told = forgetting.telling(self._names) if self.wanted else {}
        self._told = {event: of for event, of in told.items() if event not in self._told}

    def record(self, some: list[ToForget]) -> Forgotten:
        """What the journal gets of it."""
        observations, summaries = tuple(each.id for each in some), _summaries(some)
        names = {*observations, *summaries}
        records = [record for each in some for record in each.records]
        # Ids of hookd's own are kept: what is told of one by an event that comes in later is cut then.
        ids = [name for name in observations if is_own_id(name) and name not in summaries]
        return Forgotten(
            id=os.urandom(16).hex(),
            at=time.time(),
            records=tuple(dict.fromkeys((*records, *ids))),
            observations=observations,
            retold=summaries,
            quoting=tuple(event for event, of in self._told.items() if of & names),
            repeating=tuple(event for event, of in self._calls.items() if of & names) if records else (),
            tree=some[0].tree,
            machine=split_root(some[0].root)[0],
        )


def _with_related(forgetting: Forgetting, wanted: list[ToForget]) -> list[ToForget]:
    """Those too that were made of one of them and repeat it: a decision carried over, a failure mended."""
    known = {each.seq for each in wanted}
    new = wanted
    while new:
        numbers = []
        for it in new:
            for seq, text, event in forgetting.related(it):
                if seq not in known and (event in it.records or _share_a_run(text, it.text)):
                    numbers.append(seq)
                    known.add(seq)
        new = forgetting.to_forget(numbers) if numbers else []
        wanted = [*wanted, *new]
    return wanted


def _with_calls(db: Database, wanted: list[ToForget]) -> list[ToForget]:
    """The same, summaries with the records of what nothing but they tell of."""
    places = _places(Forgetting(db), [each for each in wanted if each.id == summary_id(each.session)])
    more = {summary_id(session): told_by_summary_alone(db, place, session) for place, session in places}
    return [each._replace(records=(*each.records, *more.get(each.id, ()))) for each in wanted]


def _untold(db: Database, wanted: list[ToForget]) -> Iterator[tuple[str, str]]:
    """What the summaries of their sessions will not say any more, each with the summary's id."""
    gone = frozenset(name for each in wanted for name in (each.id, *each.records))
    for place, session in _places(Forgetting(db), wanted):
        for thing in untold_without(db, place, session, gone):
            yield summary_id(session), thing


def _places(forgetting: Forgetting, wanted: list[ToForget]) -> list[tuple[Place, str]]:
    """Their sessions, each with the checkout that it was in."""
    found = forgetting.sessions_of([each.seq for each in wanted])
    return [(place, session) for place, several in found.items() for session in several]


def _share_a_run(one: str, other: str) -> bool:
    return bool(Passages([("", one)]).repeated_in(other) or Passages([("", other)]).repeated_in(one))


def _together(it: ToForget) -> tuple[int, bool]:
    """What a record may have together: what is of one place, and is forgotten in one way."""
    return it.place, not it.records


def _parts(wanted: list[ToForget]) -> Iterable[list[ToForget]]:
    for _, of_place in groupby(wanted, _together):
        several = list(of_place)
        for start in range(0, len(several), ROWS_AT_ONCE):
            yield several[start : start + ROWS_AT_ONCE]


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
    numbers = forgetting.numbers(place, record)
    tombstones = Tombstones(db, machine)
    told, calls = tombstones.events(record.quoting), tombstones.events(record.repeating)
    texts, sessions = forgetting.texts(numbers), forgetting.sessions_of(numbers)
    before = _retold(db, sessions)
    root = forgetting.root_of(place)
    forgetting.later(Gone(place, each, "", root) for each in (*record.observations, *record.retold))
    if not machine:  # nothing of another machine's is in a file here, whatever it names
        forgetting.later(Gone(place, "", each, root) for each in record.records)
        forgetting.later(Gone(place, "", *each, "told") for each in forgetting.folders_of(told))
        forgetting.later(Gone(place, "", *each, "call") for each in forgetting.folders_of(calls))
        runs = forgetting.runs_of(place, [session for some in sessions.values() for session in some])
        forgetting.later(Gone(place, "", run, root, "run") for run in runs)
    forgetting.delete(numbers)
    unwritten = [make_again(db, of, some) for of, some in sessions.items()]
    forgetting.cut(
        told, calls, Cut(texts, record.observations, record.retold, before - _retold(db, sessions))
    )
    return "; ".join(filter(None, unwritten))


def _retold(db: Database, sessions: dict[Place, list[str]]) -> frozenset[str]:
    """What the sessions' summaries repeat of the record now."""
    return frozenset(
        thing for of, some in sessions.items() for each in some for thing in retold(db, of, each)
    )


def cut_what_was_told(db: Database, place: Place, entries: Iterable[Entry]) -> None:
    """Takes out of events that come in now what they told of something forgotten meanwhile."""
    tombstones = Tombstones(db, place.machine)
    for entry in entries:
        words = {word for told in entry.told for line in told.text.splitlines() if (word := cited_word(line))}
        names = {name for word in words for name in tombstones.beginning_with(word) if is_own_id(name)}
        if names:
            forgetting = Forgetting(db)
            forgetting.cut([entry.id], [], Cut((), names, ()))
            folders = [] if place.machine else forgetting.folders_of([entry.id])
            forgetting.later(Gone(0, "", *each, "told") for each in folders)


def note_answers(db: Database, events: Sequence[str]) -> None:
    """Notes that people's answers to the gate's questions about these calls are to go from the journal."""
    forgetting = Forgetting(db)
    if forgetting.is_ready():
        # Another machine's answers are not in a file here.
        own = {event for event, root in forgetting.folders_of(list(events)) if os.path.isabs(root)}
        given = [each for event, each in forgetting.given(list(events)).items() if event in own]
        commands = (each.get("command") for each in given if isinstance(each, dict))
        digests = {answer_digest(each) for each in commands if isinstance(each, str)}
        forgetting.later(Gone(0, "", each, "", "answer") for each in digests)
