"""A query: its text is data, so whatever stands in it becomes words to look for and never a syntax error."""

import math
import re
from typing import NamedTuple

from hookd.memory.repository.word_index import Term, Totals, WordIndex
from hookd.memory.words import asked, tokens
from hookd.store.database import Database

# Of a long text so many different words are looked up, and the rarest of them are looked for.
MOST_LOOKED_UP = 48
MOST_LOOKED_FOR = 24
LONGEST_QUERY = 10_000
SHORTEST_PREFIX = 3
_STARRED = re.compile(r"(\w+)\*")

# How many rows one query may go through. A word that more rows have is common: it counts for the order of
# what the other words find, and is only looked for if there is no other.
LEAST_ROWS, SHARE_OF_ROWS = 5_000, 0.02


class Word(NamedTuple):
    """One word of a query, how many rows have it, about, and what that makes it worth."""

    term: Term
    rows: float
    weight: float


class Query(NamedTuple):
    """What is looked for."""

    words: tuple[Word, ...]
    """The words that are in any row, the rarest first."""
    order: tuple[str, ...]
    """All of its words as they were written."""
    budget: int
    totals: Totals
    unknown: int
    """How many of its words no row has."""

    @property
    def weight(self) -> float:
        """What all of its words are worth; the more of them nobody has, the less the others tell."""
        return sum(word.weight for word in self.words) + self.unknown * _weight(self.totals.rows, 0)

    @property
    def rare(self) -> tuple[Word, ...]:
        """The words that rows are looked for by."""
        chosen: list[Word] = []
        rows = 0.0
        for word in self.words[:MOST_LOOKED_FOR]:
            rows += word.rows
            if rows > self.budget:
                break
            chosen.append(word)
        return tuple(chosen)


def ask(db: Database, text: str) -> Query:
    """The query with what the index knows of its words."""
    text = text[:LONGEST_QUERY]
    index = WordIndex(db)
    totals = index.totals()
    budget = max(LEAST_ROWS, int(totals.rows * SHARE_OF_ROWS))
    last = index.last_number()
    starred = {tokens(word)[-1] for word in _STARRED.findall(text) if tokens(word)}
    order = asked(text)
    unique = list(dict.fromkeys(order))[:MOST_LOOKED_UP]
    words = []
    for token in unique:
        term = Term(token, is_prefix=token in starred and len(token) >= SHORTEST_PREFIX)
        rows = index.rows_with(term, last)
        if not rows and len(token) >= SHORTEST_PREFIX:  # the beginning of a word, perhaps
            term = Term(token, is_prefix=True)
            rows = index.rows_with(term, last)
        if rows:
            words.append(Word(term, rows, _weight(totals.rows, rows)))
    words.sort(key=lambda word: word.rows)
    return Query(tuple(words), tuple(order), budget, totals, len(unique) - len(words))


def _weight(total: int, rows: float) -> float:
    """What a word is worth that so many of the rows have."""
    return math.log(1 + (max(total, rows) - rows + 0.5) / (rows + 0.5))
