"""Memory's part of taking the journal in: what is written down of each event, in the same transaction."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, cast

import msgspec

from hookd.capability import Ingestion
from hookd.journal.entries import Entry, Forgotten, Kept, ObservationAdded, Superseded
from hookd.journal.repository import Tombstones
from hookd.memory.observations import PROVENANCES, Observation, Place
from hookd.memory.repository.places import Places
from hookd.memory.settings import Memory
from hookd.store.database import Database
from hookd.tasks.repository import TASK_EVENTS, Tasks

CAPTURED_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStop"})
Skipped = Callable[[Entry, str], None]
# So many rows at once have the database use more memory for a while.
MANY, CACHE_KILOBYTES = 1_000, 128 * 1024
# A prompt too: a session that is killed in its first turn has left at least what it was for.
ENDS = frozenset({"UserPromptSubmit", "Stop", "StopFailure", "PreCompact", "SessionEnd"})


def take(ingestion: Ingestion) -> None:
    """Memory's part of a batch of events."""

    def tell(where: str) -> None:
        ingestion.problem("bug", f"something was not remembered: {where}")

    place = _place(ingestion)
    Places(ingestion.db).settle(place)
    settings = ingestion.config.of(Memory)
    skipped = _skipped(ingestion.debug)
    unwritten: list[str] = []
    # In the order of the journal: what comes to be remembered must not depend on how records are batched.
    for are_events, group in groupby(ingestion.records, lambda record: isinstance(record, Entry)):
        if are_events:
            write_down(ingestion.db, place, settings, cast("list[Entry]", list(group)), tell, skipped)
        else:
            _take_records(ingestion.db, place, list(group), tell, unwritten.append)
    telling = [entry for entry in ingestion.entries if any(told.what == "context" for told in entry.told)]
    if telling and Tombstones(ingestion.db).are_there():
        from hookd.memory.forget import cut_what_was_told

        cut_what_was_told(ingestion.db, place, telling)
    unwritten.append(hand_over(ingestion.db, place, settings, ingestion.entries, tell))
    reasons = "; ".join(filter(None, unwritten))
    ingestion.failing("handover", f"the hand-over cannot be written: {reasons}" if reasons else "")


def _skipped(debug: Callable[[str], None] | None) -> Skipped:
    """Takes an event that is not remembered and the class of reason; for nobody if nobody wants to know."""
    if debug is None:
        return lambda _entry, _why: None

    def skipped(entry: Entry, why: str) -> None:
        what = f"{entry.event} {entry.tool}".rstrip()
        debug(f"skipped: {what}: not captured: {why}")

    return skipped


def _place(ingestion: Ingestion) -> Place:
    writer = ingestion.writer
    return Place(
        ingestion.key,
        ingestion.root,
        writer.project if writer.tree else "",
        writer.tree,
        writer.alone,
        writer.number,
        ingestion.machine,
    )


def _take_records(
    db: Database,
    place: Place,
    records: Sequence[Kept],
    tell: Callable[[str], None],
    unwritten: Callable[[str], None],
) -> None:
    """What was said outright, imported or forgotten: many at once, one by one if one makes trouble."""
    for added, group in groupby(records, lambda record: isinstance(record, ObservationAdded)):
        some = list(group)
        if added and len(some) > 1:
            if len(some) > MANY:
                db.make_room(CACHE_KILOBYTES)  # their ids come in no order, and touch the whole index
            troubles: list[str] = []
            db.apart(partial(_add, db, place, some), troubles.append)
            if not troubles:
                continue
        for record in some:
            db.apart(partial(_take_record, db, place, record, unwritten), tell)


def _take_record(db: Database, place: Place, record: Kept, unwritten: Callable[[str], None]) -> None:
    if isinstance(record, ObservationAdded):
        _add(db, place, [record])
    elif isinstance(record, Superseded):
        from hookd.memory.repository.observations import Observations

        Observations(db, place).supersede_imported(record.older, record.newer, own=record.own)
    elif isinstance(record, Forgotten):
        from hookd.memory.forget import take_forgotten

        unwritten(take_forgotten(db, place, record))


def _add(db: Database, place: Place, records: list[Any]) -> None:
    from hookd.memory.repository.observations import Observations

    Observations(db, place).add(map(_observation, records))


def _observation(record: ObservationAdded) -> Observation:
    said = msgspec.structs.asdict(record) | {
        "id": record.name or record.id,
        # A journal may come from elsewhere: who is not known to us is a stranger.
        "provenance": record.provenance if record.provenance in PROVENANCES else "file",
        # Under another name, it is by this that forgetting finds its record.
        "event": record.id if record.name else "",
    }
    del said["name"], said["n"]
    return Observation(**said)


def write_down(
    db: Database,
    place: Place,
    settings: Memory,
    entries: list[Entry],
    tell: Callable[[str], None],
    skipped: Skipped = lambda _entry, _why: None,
) -> None:
    """Follows the tasks, and writes down what is worth it if that is wanted.

    An entry that it stumbles over is left out and told of, and only it.
    """
    tasks = Tasks(db, place.key)
    remember: Callable[[Entry], None] | None = None
    for entry in entries:
        if entry.event in TASK_EVENTS:
            db.apart(partial(tasks.follow, entry), tell)
        if entry.event not in CAPTURED_EVENTS:
            continue
        if not settings.capture:
            skipped(entry, "memory.capture is false")
        else:
            if remember is None:
                from hookd.memory.capture.capture import Capture  # not before there is something to capture

                remember = Capture(db, place, tasks, skipped).take
            db.apart(partial(remember, entry), tell)


def hand_over(
    db: Database, place: Place, settings: Memory, entries: list[Entry], tell: Callable[[str], None]
) -> str:
    """Makes the summaries of the sessions in which something has ended.

    Returns why one could not be written to its file, or nothing.
    """
    ended = dict.fromkeys(entry.session for entry in entries if entry.event in ENDS and entry.session)
    if not (ended and settings.capture and settings.handover):
        return ""
    from hookd.memory.handover.summaries import look  # not before something has ended

    why: list[str] = []
    db.apart(lambda: why.append(look(db, place, ended)), tell)
    return "".join(why)
