"""A remembered thing on one line, and where it is from."""

import time

from hookd.memory.observations import SHORTEST_ID
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Remembered
from hookd.store.database import Database

LONGEST_ID = 40
_YEAR_SECONDS = 330 * 86_400


def source_of(db: Database, it: Remembered, now: float) -> str:
    """Where a line is from, such as `[o3fa2b1 decision, 14 Nov, 5b1f]`: id, kind, day and session."""
    parts = [f"{short_id(db, it)} {_word(it.kind)}", _day(it.at, now)]
    if it.session:
        parts.append(_word(it.session)[:4])
    return f"[{', '.join(parts)}]"


def is_plain_id(name: str) -> bool:
    """Whether an id is one as hookd makes them; who imports observations may name them otherwise."""
    return name.isascii() and len(name) <= LONGEST_ID and name.replace("-", "").replace("_", "").isalnum()


def short_id(db: Database, it: Remembered) -> str:
    """As much of an id as tells it from all others of its project; `hookd memory show` takes it."""
    memories = Memories(db)
    for length in range(SHORTEST_ID, LONGEST_ID):
        start = it.id[:length]
        if memories.is_unique(start, it.place):
            return start
    return it.id


def _day(moment: float, now: float) -> str:
    day = time.localtime(moment)
    year = f" {day.tm_year}" if now - moment > _YEAR_SECONDS else ""
    return f"{day.tm_mday} {_MONTHS[day.tm_mon - 1]}{year}"


# Not from the locale: it is the model that reads it.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def _word(text: str) -> str:
    """A kind or an id as others gave it, as a plain word."""
    return "".join(sign for sign in text if sign.isascii() and (sign.isalnum() or sign in "-_"))[:20]
