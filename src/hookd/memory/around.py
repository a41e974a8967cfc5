"""What stands around an observation: its neighbours in time, and those that it is linked to."""

from typing import NamedTuple

from hookd.memory.observations import queries
from hookd.memory.recall.searching import Found, as_found
from hookd.store.database import Database, Row


class Around(NamedTuple):
    """An observation between its neighbours, in the order of arrival."""

    before: list[Found]
    it: Found
    after: list[Found]


def around(db: Database, row: Row, before: int, after: int, *, same_session: bool = False) -> Around:
    """The neighbours of a row in its project; superseded ones too, for they happened."""
    values = {
        "place": row["place"],
        "seq": row["seq"],
        "session": row["session"] if same_session else None,
    }
    sql = queries()
    earlier = db.rows(sql["before"], values | {"limit": before})
    later = db.rows(sql["after"], values | {"limit": after})
    return Around(
        [as_found(each) for each in reversed(earlier)], as_found(row), [as_found(each) for each in later]
    )


def replaced(db: Database, row: Row) -> list[str]:
    """The ids of the facts that this one has replaced."""
    return [each["id"] for each in db.rows(queries()["superseded_by_it"], (row["seq"],))]


# What a link is called, seen from its beginning and from its end.
LINKS = {
    ("tried", "from"): "tried next",
    ("tried", "to"): "tried after",
    ("fixed_by", "from"): "fixed by",
    ("fixed_by", "to"): "fixes",
}


def linked(db: Database, row: Row) -> dict[str, list[str]]:
    """The ids of what it is linked to, by what the link says of it."""
    found: dict[str, list[str]] = {}
    for each in db.rows(queries()["links_of"], {"seq": row["seq"]}):
        says = LINKS.get((each["kind"], each["side"]), each["kind"])
        found.setdefault(says, []).append(each["id"])
    return found
