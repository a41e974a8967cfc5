"""Memory's part of taking the journal in: what is written down of each event, in the same transaction."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from hookd.capability import Ingestion
from hookd.journal.entries import Entry, ObservationAdded
from hookd.memory.observations import PROVENANCES, Observation, Place
from hookd.memory.repository.places import Places
from hookd.memory.settings import Memory
from hookd.store.database import Database
from hookd.tasks.repository import TASK_EVENTS, Tasks

if TYPE_CHECKING:
    from hookd.memory.capture.capturing import Capture

CAPTURED_EVENTS = frozenset({"PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStop"})
# A prompt too: a session that is killed in its first turn has left at least what it was for.
ENDS = frozenset({"UserPromptSubmit", "Stop", "StopFailure", "PreCompact", "SessionEnd"})


def take(ingestion: Ingestion) -> None:
    """Memory's part of a batch of events."""

    def tell(where: str) -> None:
        ingestion.problem("memory", f"something was not remembered: hookd has a bug: {where}")

    writer = ingestion.writer
    alone = not writer.tree
    place = Place(ingestion.key, ingestion.root, "" if alone else writer.project, writer.tree, writer.number)
    Places(ingestion.db).settle(place)
    for record in ingestion.records:
        if isinstance(record, ObservationAdded):
            ingestion.db.apart(partial(_add, ingestion.db, place, record), tell)
    taking = Taking(place, ingestion.config.of(Memory), tell)
    taking.take(ingestion.db, ingestion.entries)
    why_not = f"the hand-over cannot be written: {taking.unwritten}" if taking.unwritten else ""
    ingestion.failing("handover", why_not)


def _add(db: Database, place: Place, record: ObservationAdded) -> None:
    from hookd.memory.repository.observations import Observations

    made = Observation(
        id=record.id,
        at=record.at,
        text=record.text,
        kind=record.kind,
        # A journal may come from elsewhere: who is not known to us is a stranger.
        provenance=record.provenance if record.provenance in PROVENANCES else "file",
        tool=record.tool,
        paths=record.paths,
        session=record.session,
        importance=record.importance,
    )
    Observations(db, place).add([made])


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

    def take(self, db: Database, entries: list[Entry]) -> None:
        """Follows the tasks, and writes down what is worth it if that is wanted."""
        tasks = Tasks(db, self._place.key)
        capture: Capture | None = None
        for entry in entries:
            if entry.event in TASK_EVENTS:
                db.apart(partial(tasks.follow, entry), self._tell)
            if self._settings.capture and entry.event in CAPTURED_EVENTS:
                capture = capture or self._capture(db, tasks)
                db.apart(partial(capture.take, entry), self._tell)
        if self._settings.capture and self._settings.handover and any(e.event in ENDS for e in entries):
            db.apart(partial(self._hand_over, db, entries), self._tell)

    def _hand_over(self, db: Database, entries: list[Entry]) -> None:
        from hookd.memory.handover.looking import look  # not before something has ended

        ended = [entry.session for entry in entries if entry.event in ENDS and entry.session]
        self.unwritten = look(db, self._place, dict.fromkeys(ended))

    def _capture(self, db: Database, tasks: Tasks) -> "Capture":
        from hookd.memory.capture.capturing import Capture  # not before there is something to capture

        return Capture(db, self._place, tasks)
