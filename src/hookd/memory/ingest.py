"""Memory's part of taking the journal in: what is written down of each event, in the same transaction."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from hookd.capability import Ingestion
from hookd.journal.entries import Entry, Forgotten, Kept, ObservationAdded, Superseded
from hookd.journal.repository import Tombstones
from hookd.memory.observations import PROVENANCES, Observation, Place
from hookd.memory.repository.places import Places
from hookd.memory.settings import Memory
from hookd.store.database import Database
from hookd.tasks.repository import TASK_EVENTS, Tasks

if TYPE_CHECKING:
    from hookd.memory.capture.capture import Capture

CAPTURED_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStop"})
# So many rows at once have the database use more memory for a while.
MANY, CACHE_KILOBYTES = 1_000, 128 * 1024
# A prompt too: a session that is killed in its first turn has left at least what it was for.
ENDS = frozenset({"UserPromptSubmit", "Stop", "StopFailure", "PreCompact", "SessionEnd"})


def take(ingestion: Ingestion) -> None:
    """Memory's part of a batch of events."""

    def tell(where: str) -> None:
        ingestion.problem("memory", f"something was not remembered: hookd has a bug: {where}")

    place = _place(ingestion)
    Places(ingestion.db).settle(place)
    taking = Taking(place, ingestion.config.of(Memory), tell)
    unwritten: list[str] = []
    # In the order of the journal: what comes to be remembered must not depend on how records are batched.
    for are_events, group in groupby(ingestion.records, lambda record: isinstance(record, Entry)):
        if are_events:
            taking.write_down(ingestion.db, cast("list[Entry]", list(group)))
        else:
            _take_records(ingestion.db, place, list(group), tell, unwritten.append)
    telling = [entry for entry in ingestion.entries if any(told.what == "context" for told in entry.told)]
    if telling and Tombstones(ingestion.db).are_there():
        from hookd.memory.forget import cut_what_was_told

        cut_what_was_told(ingestion.db, place, telling)
    taking.hand_over(ingestion.db, ingestion.entries)
    reasons = "; ".join(filter(None, (*unwritten, taking.unwritten)))
    ingestion.failing("handover", f"the hand-over cannot be written: {reasons}" if reasons else "")


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
    return Observation(
        id=record.name or record.id,
        at=record.at,
        text=record.text,
        kind=record.kind,
        # A journal may come from elsewhere: who is not known to us is a stranger.
        provenance=record.provenance if record.provenance in PROVENANCES else "file",
        tool=record.tool,
        paths=record.paths,
        session=record.session,
        task=record.task,
        tool_use=record.tool_use,
        importance=record.importance,
        detail=record.detail,
        # Under another name, it is by this that forgetting finds its record.
        event=record.id if record.name else "",
    )


class Taking:
    """Takes in one project's entries; one that it stumbles over is left out and told of, and only it."""

    def __init__(
        self,
        place: Place,
        settings: Memory,
        tell: Callable[[str], None],
    ) -> None:
        self._place = place
        self._settings = settings
        self._tell = tell
        self.unwritten = ""
        """Why a hand-over could not be written to its file, if it could not."""

    def write_down(self, db: Database, entries: list[Entry]) -> None:
        """Follows the tasks, and writes down what is worth it if that is wanted."""
        tasks = Tasks(db, self._place.key)
        capture: Capture | None = None
        for entry in entries:
            if entry.event in TASK_EVENTS:
                db.apart(partial(tasks.follow, entry), self._tell)
            if self._settings.capture and entry.event in CAPTURED_EVENTS:
                capture = capture or self._capture(db, tasks)
                db.apart(partial(capture.take, entry), self._tell)

    def hand_over(self, db: Database, entries: list[Entry]) -> None:
        """Makes the summaries of the sessions in which something has ended."""
        if self._settings.capture and self._settings.handover and any(e.event in ENDS for e in entries):
            db.apart(partial(self._hand_over, db, entries), self._tell)

    def _hand_over(self, db: Database, entries: list[Entry]) -> None:
        from hookd.memory.handover.summaries import look  # not before something has ended

        ended = [entry.session for entry in entries if entry.event in ENDS and entry.session]
        self.unwritten = look(db, self._place, dict.fromkeys(ended))

    def _capture(self, db: Database, tasks: Tasks) -> "Capture":
        from hookd.memory.capture.capture import Capture  # not before there is something to capture

        return Capture(db, self._place, tasks)
