"""Summaries in the store: one per session, made anew in its place."""

import hashlib
from functools import partial

from hookd.memory.capture.hearing import may_be_repeated_from
from hookd.memory.handover.gathering import Story, gather, queries
from hookd.memory.handover.telling import summary_of
from hookd.memory.observations import Observation, Place, delete, remember
from hookd.store.database import Database, Row

IMPORTANCE = 0.6


def summary_id(session: str) -> str:
    """The same for the same session, whoever makes it."""
    return f"s{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def keep_summary(db: Database, place: Place, session: str) -> Story | None:
    """Makes the session's summary from the record; returns what it was made from if it has changed."""
    story = gather(db, place, session)
    may_repeat = partial(may_be_repeated_from, db, place.key, session)
    text = summary_of(story, may_repeat) if story is not None else ""
    if story is None or not text:
        return None
    name = summary_id(session)
    row = db.row(queries()["by_name"], {"project": place.key, "id": name})
    if row is not None:
        if row["text"] == text and row["at"] == story.last:
            return None
        # Not changed but written again: then it is where its time is, and whoever keeps vectors notices.
        delete(db, [row["seq"]])
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
    remember(db, place, [made])
    return story


def summary_of_session(db: Database, place: Place, session: str) -> Row | None:
    """One session's summary, however long ago that was."""
    values = {"project": place.key, "id": summary_id(session)}
    row: Row | None = db.row(queries()["by_name"], values)
    return row if row is not None and row["provenance"] == "hookd" else None


def last_summaries(db: Database, place: Place, most: int) -> list[Row]:
    """The newest summaries, each in hookd's own words, the newest first."""
    return db.rows(queries()["summaries"], {"project": place.key, "limit": most})
