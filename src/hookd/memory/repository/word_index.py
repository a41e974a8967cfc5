"""The full-text index: it holds the words that hookd makes of the texts, and not the texts."""

from collections.abc import Iterable
from typing import NamedTuple

from hookd.memory.observations import MOST_PATHS
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.statements import Repository, statements
from hookd.memory.words import VERSION, tokens

# So many rows of a term are counted; how many there are in all is told from how far that went.
COUNTED_ROWS = 1_000


class Term(NamedTuple):
    """A word to look for, or the beginning of one."""

    text: str
    is_prefix: bool = False


class Totals(NamedTuple):
    """How many observations the index has, and how many words each on average."""

    rows: int
    average: float


def any_of(terms: Iterable[Term]) -> str:
    """A query for what has one of the terms."""
    return " OR ".join(map(_match, terms))


def all_of(terms: Iterable[Term]) -> str:
    return " AND ".join(map(_match, terms))


def _match(term: Term) -> str:
    # In quotes whatever stands in it is a word; `hookd.memory.words` leaves no quotes in one.
    return f'"{term.text}"*' if term.is_prefix else f'"{term.text}"'


def words_of(text: str, detail: str, paths: Iterable[str]) -> str:
    """What the index has of an observation; it is found by its files' names as well."""
    more = (path for path in tuple(paths)[:MOST_PATHS] if path not in text)
    return " ".join(tokens("\n".join((text, *filter(None, (detail,)), *more))))


class WordIndex(Repository):
    """The index of all projects' observations."""

    def add(self, words: Iterable[tuple[int, str]]) -> None:
        """Takes observations in by their numbers, each with what `words_of` made of it."""
        self._db.run_many(statements()["add_words"], words)

    def remove(self, seq: int) -> None:
        """Takes an observation out, as long as its row is there; its words go when the index is merged."""
        for words in self._all(self._words, "indexed", seq=seq):
            self._run("remove_words", seq=seq, words=words)

    def merge(self) -> None:
        """Makes the index one piece: only then are the words gone that no observation has any more."""
        self._run("merge_words")

    def ensure_current(self) -> None:
        """Makes the index anew if it was made by other rules for words than those in force."""
        if self._value("state", key="words") == str(VERSION):
            return
        self._run("remove_all_words")
        self.add((row[0], self._words(*row)) for row in self._db.each(statements()["all_indexed"]))
        self._run("set_state", key="words", value=str(VERSION))

    def totals(self) -> Totals:
        """From the index's own record of its averages: the number of rows, then of words in each column."""
        block = self._value("totals")
        numbers = _varints(block) if block else []
        if len(numbers) < 2 or not numbers[0]:
            return Totals(0, 1.0)
        return Totals(numbers[0], max(1.0, numbers[1] / numbers[0]))

    def last_number(self) -> int:
        found: int = self._value("last_number")
        return found

    def rows_with(self, term: Term, last: int) -> float:
        """How many rows have the term, about: after the first ones the rest is taken to be like them."""
        count, reached = self._rows("count_up_to", match=_match(term), limit=COUNTED_ROWS)[0]
        return float(count) if count < COUNTED_ROWS else count * max(1.0, last / reached)

    def _words(self, seq: int, text: str, detail: str, path: str) -> str:
        return words_of(text, detail, Memories(self._db).paths_in_order(seq, path))


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
