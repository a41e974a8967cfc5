"""Search: what fits the query best, each thing once; and what stands around an observation in time."""

import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from hookd.memory.recall.query import Query, ask
from hookd.memory.recall.ranking import NOWHERE, Near, Scorer, boost
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Remembered
from hookd.memory.repository.search import ANYTHING, Filters, Search
from hookd.store.database import Database

if TYPE_CHECKING:
    from hookd.memory.recall.vectors import VectorIndex

# So many of the index's best are looked at closely.
POOL = 120
MOST_RESULTS = 1_000


class Found(Remembered, frozen=True, kw_only=True):
    """One result: an observation with its project's key and root."""

    score: float = 0.0
    alike: int = 0
    """How many more observations say the same."""


class Hit(NamedTuple):
    """An observation that may be a result, and how well its text fits."""

    it: Remembered
    score: float


def search(
    db: Database,
    text: str,
    filters: Filters = ANYTHING,
    *,
    limit: int = 10,
    near: Near = NOWHERE,
    vectors: "VectorIndex | None" = None,
    now: float | None = None,
) -> list[Found]:
    """The best results, best first; an empty query gives the newest."""
    limit = max(0, min(limit, MOST_RESULTS))
    most = max(POOL, 2 * limit)
    find = Search(db, filters, most)
    if not text.strip():
        return _collapsed([Hit(it, 0.0) for it in find.newest()], limit)
    query = ask(db, text)
    scorer = Scorer(query)
    found = {it.seq: it for it in _by_words(find, query, most)}
    if vectors is not None:
        known = {it.name for it in found.values()}
        names = [name for name in vectors.nearest(text, POOL) if name not in known]
        found |= {it.seq: it for it in find.named(names)}
    candidates = [Hit(it, scorer.score(_searched(it))) for it in found.values()]
    if vectors is not None:
        candidates = vectors.fused(text, candidates)
    moment = time.time() if now is None else now
    memories = Memories(db)
    ranked = [
        Hit(it, score * boost(it, memories.paths(it.seq) if near.paths else (), near, moment))
        for it, score in candidates
    ]
    ranked.sort(key=lambda each: (-each.score, -each.it.seq))
    return _collapsed(ranked, limit)


def _by_words(find: Search, query: Query, most: int) -> list[Remembered]:
    if rare := query.rare:
        found = find.best_with_any(word.term for word in rare)
        if found or len(rare) == len(query.words):
            return found
    if not query.words:
        return []
    # Nothing but common words: the newest rows that have several of them, else the rarest.
    terms = [word.term for word in query.words[:3]]
    found = find.newest_with_all(terms, query.budget)
    if len(found) < most and len(query.words) > 1:
        found += find.newest_with_all(terms[:1], query.budget)
    return found


def _searched(it: Remembered) -> str:
    text = f"{it.text}\n{it.detail}" if it.detail else it.text
    return text if not it.path or it.path in text else f"{text}\n{it.path}"


def as_found(it: Remembered, score: float = 0.0, alike: int = 0) -> Found:
    return Found(*msgspec.structs.astuple(it), score=round(score, 4), alike=alike)


def _collapsed(hits: list[Hit], limit: int) -> list[Found]:
    """Each text once, the best of those that say the same."""
    same: dict[tuple[int, str], list[Hit]] = {}
    for hit in hits:
        same.setdefault((hit.it.likeness, hit.it.project), []).append(hit)
    return [as_found(*several[0], len(several) - 1) for several in islice(same.values(), limit)]


class Around(NamedTuple):
    """An observation between its neighbours, in the order of arrival."""

    before: list[Found]
    it: Found
    after: list[Found]


def around(db: Database, it: Remembered, before: int, after: int, *, same_session: bool = False) -> Around:
    """The neighbours of an observation in its project; superseded ones too, for they happened."""
    memories = Memories(db)
    session = it.session if same_session else None
    earlier = map(as_found, reversed(memories.before(it, before, session)))
    return Around(list(earlier), as_found(it), list(map(as_found, memories.after(it, after, session))))


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
