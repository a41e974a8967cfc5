"""A query: its text is data, so whatever stands in it becomes words to look for and never a syntax error."""

import math
import re
from typing import NamedTuple

from hookd.memory.observations import queries
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
# So many rows of a word are counted; how many there are in all is told from how far that went.
COUNTED_ROWS = 1_000


class Totals(NamedTuple):
    """How many observations the index has, and how many words each on average."""

    rows: int
    average: float


class Word(NamedTuple):
    """One word of a query, how many rows have it, about, and what that makes it worth."""

    text: str
    rows: float
    weight: float
    is_prefix: bool = False

    @property
    def match(self) -> str:
        return f'"{self.text}"*' if self.is_prefix else f'"{self.text}"'


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
    totals = totals_of(db)
    budget = max(LEAST_ROWS, int(totals.rows * SHARE_OF_ROWS))
    last = db.value(queries()["last_number"])
    starred = {tokens(word)[-1] for word in _STARRED.findall(text) if tokens(word)}
    order = asked(text)
    unique = list(dict.fromkeys(order))[:MOST_LOOKED_UP]
    words = []
    for token in unique:
        word = Word(token, 0, 0, is_prefix=token in starred and len(token) >= SHORTEST_PREFIX)
        rows = _rows(db, word, last)
        if not rows and len(token) >= SHORTEST_PREFIX:  # the beginning of a word, perhaps
            word = word._replace(is_prefix=True)
            rows = _rows(db, word, last)
        if rows:
            words.append(word._replace(rows=rows, weight=_weight(totals.rows, rows)))
    words.sort(key=lambda word: word.rows)
    return Query(tuple(words), tuple(order), budget, totals, len(unique) - len(words))


def _weight(total: int, rows: float) -> float:
    """What a word is worth that so many of the rows have."""
    return math.log(1 + (max(total, rows) - rows + 0.5) / (rows + 0.5))


def _rows(db: Database, word: Word, last: int) -> float:
    """How many rows have the word, about: after the first ones the rest is taken to be like them."""
    values = {"match": word.match, "limit": COUNTED_ROWS}
    count, reached = db.only(queries()["count_up_to"], values)
    return float(count) if count < COUNTED_ROWS else count * max(1.0, last / reached)


def totals_of(db: Database) -> Totals:
    """From the index's own record of its averages: the number of rows, then of words in each column."""
    row = db.row(queries()["totals"])
    numbers = _varints(row[0]) if row else []
    if len(numbers) < 2 or not numbers[0]:
        return Totals(0, 1.0)
    return Totals(numbers[0], max(1.0, numbers[1] / numbers[0]))


def _varints(block: bytes) -> list[int]:
    """Big-endian groups of seven bits, the highest bit saying that more follow; a ninth byte counts whole."""
    found, value, length = [], 0, 0
    for byte in block:
        length += 1
        if length == 9:
            found.append(value << 8 | byte)
            value = length = 0
            continue
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(value)
            value = length = 0
    return found
