"""Search: what fits the query best, whatever stands in it, each thing once."""

import time
from collections.abc import Iterable
from typing import NamedTuple, Protocol

import msgspec

from hookd.memory.recall.query import Query, ask
from hookd.memory.recall.ranking import NOWHERE, Circumstances, Near, Scorer, boost
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.remembered import Name, Remembered
from hookd.memory.repository.search import ANYTHING, Filters, Search
from hookd.store.database import Database

# So many of the index's best are looked at closely.
POOL = 120
MOST_RESULTS = 1_000


class Found(msgspec.Struct, kw_only=True):
    """One result."""

    id: str
    score: float
    text: str
    kind: str
    tool: str
    path: str
    session: str
    time: float
    provenance: str
    project: str
    root: str
    task: str
    number: int
    detail: str = ""
    """What a tool said, beside a text in hookd's words: a stranger's, to be shown as data."""
    alike: int = 0
    """How many more observations say the same."""
    superseded: bool = False
    """Whether a later fact has replaced it."""


class Hit(NamedTuple):
    """An observation that may be a result, and how well its text fits."""

    it: Remembered
    score: float


class Vectors(Protocol):
    """Likeness of meaning, where it is installed: `hookd.memory.recall.vectors`."""

    def nearest(self, text: str, count: int) -> list[Name]:
        """The names of the observations that are nearest in meaning."""

    def fused(self, query: Query, text: str, candidates: list[Hit]) -> list[Hit]:
        """The candidates with scores that take meaning into account."""


def search(
    db: Database,
    text: str,
    filters: Filters = ANYTHING,
    *,
    limit: int = 10,
    near: Near = NOWHERE,
    vectors: Vectors | None = None,
    now: float | None = None,
) -> list[Found]:
    """The best results, best first; an empty query gives the newest."""
    limit = max(0, min(limit, MOST_RESULTS))
    most = max(POOL, 2 * limit)
    find = Search(db, filters, most)
    if not text.strip():
        return _collapsed((Hit(it, 0.0) for it in find.newest()), limit)
    query = ask(db, text)
    scorer = Scorer(query)
    found = {it.seq: it for it in _by_words(find, query, most)}
    if vectors is not None:
        known = {it.name for it in found.values()}
        names = [name for name in vectors.nearest(text, POOL) if name not in known]
        found |= {it.seq: it for it in find.named(names)}
    candidates = [Hit(it, scorer.score(_searched(it))) for it in found.values()]
    if vectors is not None:
        candidates = vectors.fused(query, text, candidates)
    moment = time.time() if now is None else now
    memories = Memories(db)
    ranked = [
        Hit(it, score * boost(_about(it, memories.paths(it.seq) if near.paths else ()), near, moment))
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


def _about(it: Remembered, paths: Iterable[str]) -> Circumstances:
    return Circumstances(it.at, it.importance, frozenset(paths), it.task, it.session)


def as_found(it: Remembered, score: float = 0.0) -> Found:
    """An observation, with its project's key and root, as a result."""
    return Found(
        id=it.id,
        score=round(score, 4),
        text=it.text,
        kind=it.kind,
        tool=it.tool,
        path=it.path,
        session=it.session,
        time=it.at,
        provenance=it.provenance,
        project=it.project,
        root=it.root,
        task=it.task,
        number=it.seq,
        detail=it.detail,
        superseded=it.superseded_by is not None,
    )


def _collapsed(results: Iterable[Hit], limit: int) -> list[Found]:
    """Each text once, the best of those that say the same."""
    kept: dict[tuple[int, str], Found] = {}
    for it, score in results:
        known = kept.get((it.likeness, it.project))
        if known is not None:
            known.alike += 1
        elif len(kept) < limit:
            kept[it.likeness, it.project] = as_found(it, score)
    return list(kept.values())
