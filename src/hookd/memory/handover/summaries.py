"""Summaries in the store: one per session, made anew in its place."""

import time
from collections.abc import Iterable
from functools import partial

from hookd.errors import RunFolderError
from hookd.journal.repository import Tombstones
from hookd.memory.handover.files import drop_archived, write_files
from hookd.memory.handover.render import summary_of
from hookd.memory.handover.session_facts import Story, gather
from hookd.memory.may_be_told import may_be_repeated_from
from hookd.memory.observations import Observation, Place, prose_id, summary_id
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.handover import ProjectMemory, SessionRecord
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.remembered import Remembered
from hookd.store.database import Database

IMPORTANCE = 0.6


def keep_summary(db: Database, place: Place, session: str) -> Story | None:
    """Makes the session's summary from the record; returns what it was made from if it has changed."""
    name = summary_id(session)
    story, text = made_of(db, place, session)
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


def made_of(
    db: Database, place: Place, session: str, without: frozenset[str] = frozenset()
) -> tuple[Story | None, str]:
    """The session's story as the record has it, and the summary of it; both without these records."""
    since = _forgotten_until(db, place, summary_id(session))
    story = gather(db, place, session, since, without)
    may_repeat = partial(may_be_repeated_from, db, place.key, session)
    return story, summary_of(story, may_repeat) if story is not None else ""


def _forgotten_until(db: Database, place: Place, name: str) -> float:
    """Up to when a session is not told of any more, because its summary was forgotten then."""
    forgotten = Tombstones(db, place.machine).beginning_with(f"{name}@")
    return max((float(each.rpartition("@")[2]) for each in forgotten), default=0.0)


def summary_of_session(db: Database, place: Place, session: str) -> Remembered | None:
    """One session's summary, however long ago that was."""
    found = ProjectMemory(db, place).by_id(summary_id(session))
    return found if found is not None and found.provenance == "hookd" else None


def make_again(db: Database, place: Place, sessions: Iterable[str]) -> str:
    """Makes the sessions' summaries from what is left; one that was itself forgotten is not made again.

    Returns why the files for people could not be written, or nothing: the summaries are kept all the same.
    """
    why = []
    made = ProjectMemory(db, place)
    for session in sessions:
        known = made.by_id(summary_id(session))
        # The model's paragraph may tell of anything, and only the model could make it again.
        Forgetting(db).delete(it.seq for it in (known, made.by_id(prose_id(session))) if it is not None)
        story = keep_summary(db, place, session) if known is not None else None
        why.append(_written(db, place, story, again=session))
    return "; ".join(filter(None, dict.fromkeys(why)))


MOST_BEHIND = 3
BEHIND_SECONDS = 7 * 86_400.0


def look(db: Database, place: Place, sessions: Iterable[str]) -> str:
    """Makes anew the summaries of the sessions in which something has ended; bears being told twice.

    Returns why the files for people could not be written, or nothing: the summaries are kept all the same.
    """
    stories = (keep_summary(db, place, session) for session in sessions)
    return "; ".join(filter(None, [_written(db, place, story) for story in stories if story is not None]))


def behind(db: Database, place: Place) -> list[str]:
    """The sessions that have done something since their summaries were made: killed, or going on now."""
    summaries = ProjectMemory(db, place)
    found = []
    for session in SessionRecord(db, place).ongoing(time.time() - BEHIND_SECONDS, MOST_BEHIND):
        known = summaries.by_id(summary_id(session.id))
        if known is None or known.at < session.last_at:
            found.append(session.id)
    return found


def _written(db: Database, place: Place, story: Story | None, again: str = "") -> str:
    """Writes the files for people, of a session that is told `again` without what was kept of it before."""
    try:
        if again:
            drop_archived(place, again)
        write_files(db, place, story, time.time())
    except (OSError, RunFolderError) as error:
        return str(error)
    return ""
