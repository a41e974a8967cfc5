"""Observations found by what they are and by their words."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hookd.memory.observations import Place
from hookd.memory.repository.places import scope_of
from hookd.memory.repository.remembered import Name, Remembered
from hookd.memory.repository.statements import Repository, as_json
from hookd.memory.repository.word_index import Term, all_of, any_of
from hookd.store.database import Database


class Filters(NamedTuple):
    """Which observations count; None is any."""

    place: Place | None = None
    """What this checkout has a part in."""
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


ANYTHING = Filters()


class Search(Repository):
    """Finds at most so many of the observations that pass the filters, each with its project."""

    def __init__(self, db: Database, filters: Filters = ANYTHING, limit: int = 0) -> None:
        super().__init__(db, **_values(filters), limit=limit)

    def newest(self) -> list[Remembered]:
        return self._all(Remembered, "newest")

    def best_with_any(self, terms: Iterable[Term]) -> list[Remembered]:
        """What has any of the terms, in the order of the index's own rank."""
        return self._all(Remembered, "best_by_words", match=any_of(terms))

    def newest_with_all(self, terms: Iterable[Term], rows: int) -> list[Remembered]:
        """The newest that have all of the terms; the index is gone through for so many rows."""
        return self._all(Remembered, "newest_by_words", match=all_of(terms), rows=rows)

    def named(self, names: Sequence[Name]) -> list[Remembered]:
        """Those of these names."""
        return self._all(Remembered, "by_names", names=as_json(names))

    def numbers(self) -> list[int]:
        """The numbers of all that pass, however many."""
        return self._column("numbers")


def _values(filters: Filters) -> dict[str, Any]:
    literal = (filters.path or "").rstrip("/").replace("[", "[[]")
    return filters._asdict() | scope_of(filters.place) | {"below": f"{literal}/*", "ending": f"*/{literal}"}
