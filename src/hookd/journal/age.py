"""From when on something is too old: by the clock, as far as the record bears it out.

A clock that jumps ahead would make everything old at once. So age is not counted from now, but from the
latest time on record that is a day past: after a jump that is still the time before it, until there has been
a day of records at the new one.
"""

from collections.abc import Iterable

from hookd.journal.repository import last_heard_before
from hookd.store.database import Database

DAY = 86_400.0
# A pause that is longer looks like a jump: nothing is hurt by taking it for one.
LONG_PAUSE = 7 * DAY


def borne_out(times: Iterable[float], now: float) -> float | None:
    """The latest of the times that is a day past, if any is."""
    return max((each for each in times if each <= now - DAY), default=None)


def surely_past(db: Database, now: float) -> float | None:
    """The latest moment that the record bears out as past; None if it has no day yet."""
    return last_heard_before(db, now - DAY)


def too_old(db: Database, days: float, now: float) -> float | None:
    """Before when a record is older than so many days; None if nothing is, or 0 days say for ever."""
    heard = surely_past(db, now) if days > 0 else None
    return None if heard is None else heard - days * DAY


def may_have_jumped(db: Database, now: float) -> bool:
    """Whether the record has no day at the clock's time."""
    heard = surely_past(db, now)
    return heard is None or heard < now - LONG_PAUSE
