"""Summaries after something in their sessions was forgotten: what was said of it must not live on in them."""

import time
from collections.abc import Iterable

from hookd.memory.handover.files import drop_archived, write_files
from hookd.memory.handover.gathering import queries
from hookd.memory.handover.keeping import keep_summary, summary_id
from hookd.memory.handover.prose import prose_id
from hookd.memory.observations import Place, delete
from hookd.store.database import Database


def make_again(db: Database, place: Place, sessions: Iterable[str]) -> None:
    """Makes the sessions' summaries from what is left; one that was itself forgotten is not made again."""
    for session in sessions:
        known = _number(db, place, summary_id(session))
        # The model's paragraph may tell of anything, and only the model could make it again.
        delete(db, filter(None, [known, _number(db, place, prose_id(session))]))
        story = keep_summary(db, place, session) if known is not None else None
        drop_archived(place, session)
        write_files(db, place, story, time.time())


def _number(db: Database, place: Place, name: str) -> int | None:
    row = db.row(queries()["by_name"], {"project": place.key, "id": name})
    return None if row is None else row["seq"]
