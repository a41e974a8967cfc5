"""Makes the summaries of sessions in which something has ended, or that went on without an end."""

import time
from collections.abc import Iterable

from hookd.errors import RunFolderError
from hookd.memory.handover.files import write_files
from hookd.memory.handover.summaries import keep_summary, summary_id
from hookd.memory.observations import Place
from hookd.memory.repository.handover import ProjectMemory, SessionRecord
from hookd.store.database import Database

MOST_BEHIND = 3
BEHIND_SECONDS = 7 * 86_400.0


def look(db: Database, place: Place, sessions: Iterable[str]) -> str:
    """Makes anew the summaries of the sessions in which something has ended; bears being told twice.

    Returns why the files for people could not be written, or nothing: the summaries are kept all the same.
    """
    return "; ".join(filter(None, [_make(db, place, session) for session in sessions]))


def is_behind(db: Database, place: Place) -> bool:
    return bool(_behind(db, place))


def catch_up(db: Database, place: Place) -> None:
    """Makes the summaries of sessions that went on without an end: they were killed, or go on now."""
    for session in _behind(db, place):
        _make(db, place, session)


def _behind(db: Database, place: Place) -> list[str]:
    """The sessions that have done something since their summaries were made."""
    summaries = ProjectMemory(db, place)
    found = []
    for session in SessionRecord(db, place).ongoing(time.time() - BEHIND_SECONDS, MOST_BEHIND):
        known = summaries.by_id(summary_id(session.id))
        if known is None or known.at < session.last_at:
            found.append(session.id)
    return found


def _make(db: Database, place: Place, session: str) -> str:
    story = keep_summary(db, place, session)
    if story is not None:
        try:
            write_files(db, place, story, time.time())
        except (OSError, RunFolderError) as error:
            return str(error)
    return ""
