"""Search: what fits the query best, whatever stands in it, each thing once."""

import time
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import msgspec

from hookd.memory.observations import queries
from hookd.memory.recall.asking import Query, ask
from hookd.memory.recall.ranking import NOWHERE, Circumstances, Near, Scorer, boost
from hookd.store.database import Database, Row

# So many of the index's best are looked at closely.
POOL = 120
MOST_RESULTS = 1_000


class Filters(NamedTuple):
    """Which observations count; None is any."""

    project: str | None = None
    session: str | None = None
    task: str | None = None
    tool: str | None = None
    kind: str | None = None
    provenance: str | None = None
    path: str | None = None
    """A file, a folder with all below it, the end of a path, or a pattern with `*`."""
    since: float | None = None
    until: float | None = None
    superseded: bool = False
    """Whether facts count that a later one has replaced."""

    def values(self) -> dict[str, Any]:
        literal = (self.path or "").rstrip("/").replace("[", "[[]")
        return self._asdict() | {"below": f"{literal}/*", "ending": f"*/{literal}"}


ANYTHING = Filters()


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


class Candidate(NamedTuple):
    """A row that may be a result, and how well its text fits."""

    row: Row
    score: float


class Vectors(Protocol):
    """Likeness of meaning, where it is installed: `hookd.memory.recall.vectors`."""

    def nearest(self, text: str, count: int) -> list[int]:
        """The numbers of the observations that are nearest in meaning."""

    def fused(self, query: Query, text: str, candidates: list[Candidate]) -> list[Candidate]:
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
    values = filters.values() | {"limit": max(POOL, 2 * limit)}
    if not text.strip():
        return _collapsed((_found(row, 0.0) for row in _rows(db, "newest", values)), limit)
    query = ask(db, text)
    scorer = Scorer(query)
    rows = {row["seq"]: row for row in _by_words(db, query, values)}
    if vectors is not None:
        numbers = [seq for seq in vectors.nearest(text, POOL) if seq not in rows]
        more = _rows(db, "by_numbers", values | {"numbers": str(numbers)})
        rows |= {row["seq"]: row for row in more}
    candidates = [Candidate(row, scorer.score(_searched(row))) for row in rows.values()]
    if vectors is not None:
        candidates = vectors.fused(query, text, candidates)
    moment = time.time() if now is None else now
    paths = _paths(db, rows) if near.paths else {}
    ranked = [
        (score * boost(_about(row, paths.get(row["seq"], ())), near, moment), row)
        for row, score in candidates
    ]
    ranked.sort(key=lambda each: (-each[0], -each[1]["seq"]))
    return _collapsed((_found(row, score) for score, row in ranked), limit)


def _by_words(db: Database, query: Query, values: dict[str, Any]) -> list[Row]:
    if rare := query.rare:
        found = _rows(db, "by_words", values | {"match": " OR ".join(word.match for word in rare)})
        if found or len(rare) == len(query.words):
            return found
    if not query.words:
        return []
    # Nothing but common words: the newest rows that have several of them, else the rarest.
    rows = values | {"rows": query.budget}
    several = " AND ".join(word.match for word in query.words[:3])
    found = _rows(db, "newest_by_words", rows | {"match": several})
    if len(found) < values["limit"] and len(query.words) > 1:
        found += _rows(db, "newest_by_words", rows | {"match": query.words[0].match})
    return found


def _rows(db: Database, name: str, values: dict[str, Any]) -> list[Row]:
    sql = queries()
    return db.rows(sql[name].replace("{filters}", sql["filters"]), values)


def _searched(row: Row) -> str:
    path: str = row["path"]
    text: str = row["text"]
    if row["detail"]:
        text = f"{text}\n{row['detail']}"
    return text if not path or path in text else f"{text}\n{path}"


def _paths(db: Database, numbers: Iterable[int]) -> dict[int, list[str]]:
    sql = queries()["paths_of"]
    return {seq: [row[0] for row in db.rows(sql, (seq,))] for seq in numbers}


def _about(row: Row, paths: Iterable[str]) -> Circumstances:
    return Circumstances(row["at"], row["importance"], frozenset(paths), row["task"], row["session"])


def _found(row: Row, score: float) -> tuple[int, Found]:
    return row["likeness"], Found(
        id=row["id"],
        score=round(score, 4),
        text=row["text"],
        kind=row["kind"],
        tool=row["tool"],
        path=row["path"],
        session=row["session"],
        time=row["at"],
        provenance=row["provenance"],
        project=row["project"],
        root=row["root"],
        task=row["task"],
        number=row["seq"],
        detail=row["detail"],
        superseded=row["superseded_by"] is not None,
    )


def as_found(row: Row) -> Found:
    """A row, with its project's key and root, that was found otherwise than by its words."""
    return _found(row, 0.0)[1]


def _collapsed(results: Iterable[tuple[int, Found]], limit: int) -> list[Found]:
    """Each text once, the best of those that say the same."""
    kept: dict[tuple[int, str], Found] = {}
    for likeness, result in results:
        known = kept.get((likeness, result.project))
        if known is not None:
            known.alike += 1
        elif len(kept) < limit:
            kept[likeness, result.project] = result
    return list(kept.values())
