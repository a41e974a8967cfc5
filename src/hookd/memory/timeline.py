"""What stands around an observation: its neighbours in time, and those that it is linked to."""

from typing import NamedTuple

from hookd.memory.recall.search import Found, as_found
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Remembered
from hookd.store.database import Database


class Around(NamedTuple):
    """An observation between its neighbours, in the order of arrival."""

    before: list[Found]
    it: Found
    after: list[Found]


def around(db: Database, it: Remembered, before: int, after: int, *, same_session: bool = False) -> Around:
    """The neighbours of an observation in its project; superseded ones too, for they happened."""
    memories = Memories(db)
    session = it.session if same_session else None
    earlier = memories.before(it, before, session)
    later = memories.after(it, after, session)
    return Around(
        [as_found(each) for each in reversed(earlier)], as_found(it), [as_found(each) for each in later]
    )


# What a link is called, seen from its beginning and from its end.
LINKS = {
    ("tried", "from"): "tried next",
    ("tried", "to"): "tried after",
    ("fixed_by", "from"): "fixed by",
    ("fixed_by", "to"): "fixes",
}


def linked(db: Database, it: Remembered) -> dict[str, list[str]]:
    """The ids of what it is linked to, by what the link says of it."""
    found: dict[str, list[str]] = {}
    for link in Memories(db).links(it):
        says = LINKS.get((link.kind, link.side), link.kind)
        found.setdefault(says, []).append(link.id)
    return found
