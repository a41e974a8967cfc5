"""Summaries in the store: one per session, made anew in its place."""

from functools import partial

from hookd.journal.repository import Tombstones
from hookd.memory.capture.authorship import may_be_repeated_from
from hookd.memory.handover.render import summary_of
from hookd.memory.handover.session_facts import Story, gather
from hookd.memory.observations import Observation, Place, derived_id
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.handover import ProjectMemory
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.remembered import Remembered
from hookd.store.database import Database

IMPORTANCE = 0.6


def summary_id(session: str) -> str:
    """The same for the same session, whoever makes it."""
    return derived_id("s", session)


def keep_summary(db: Database, place: Place, session: str) -> Story | None:
    """Makes the session's summary from the record; returns what it was made from if it has changed."""
    name = summary_id(session)
    story = gather(db, place, session, since=_forgotten_until(db, place, name))
    may_repeat = partial(may_be_repeated_from, db, place.key, session)
    text = summary_of(story, may_repeat) if story is not None else ""
    if story is None or not text:
        return None
    last = ProjectMemory(db, place).by_id(name)
    if last is not None:
        if last.text == text and last.at == story.last:
            return None
        # Not changed but written again: then it is where its time is, and the vectors' index notices.
        Forgetting(db).delete([last.seq])
    made = Observation(
        id=name,
        text=text,
        kind="summary",
        provenance="hookd",
        at=story.last,
        session=session,
        paths=tuple(list(story.changed)[::-1]),
        importance=IMPORTANCE,
    )
    Observations(db, place).add([made])
    return story


def _forgotten_until(db: Database, place: Place, name: str) -> float:
    """Up to when a session is not told of any more, because its summary was forgotten then."""
    forgotten = Tombstones(db, place.machine).beginning_with(f"{name}@")
    return max((float(each.rpartition("@")[2]) for each in forgotten), default=0.0)


def summary_of_session(db: Database, place: Place, session: str) -> Remembered | None:
    """One session's summary, however long ago that was."""
    found = ProjectMemory(db, place).by_id(summary_id(session))
    return found if found is not None and found.provenance == "hookd" else None
