"""Summaries after something in their sessions was forgotten: what was said of it must not live on in them."""

import time
from collections.abc import Iterable

from hookd.errors import RunFolderError
from hookd.memory.handover.files import drop_archived, write_files
from hookd.memory.handover.prose import prose_id
from hookd.memory.handover.summaries import keep_summary, summary_id
from hookd.memory.observations import Place
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.handover import ProjectMemory
from hookd.store.database import Database


def make_again(db: Database, place: Place, sessions: Iterable[str]) -> str:
    """Makes the sessions' summaries from what is left; one that was itself forgotten is not made again.

    Returns why the files for people could not be written, or nothing: the summaries are kept all the same.
    """
    why: list[str] = []
    made = ProjectMemory(db, place)
    for session in sessions:
        known = made.by_id(summary_id(session))
        # The model's paragraph may tell of anything, and only the model could make it again.
        Forgetting(db).delete(it.seq for it in (known, made.by_id(prose_id(session))) if it is not None)
        story = keep_summary(db, place, session) if known is not None else None
        try:
            drop_archived(place, session)
            write_files(db, place, story, time.time())
        except (OSError, RunFolderError) as error:
            why.append(str(error))
    return "; ".join(dict.fromkeys(why))
