"""The lines as one text: the best first, as many as the budget holds, each once."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hookd.memory.citations import is_plain_id, source_of
from hookd.memory.fingerprint import likeness
from hookd.memory.repository.remembered import Remembered
from hookd.printable import one_line
from hookd.store.database import Database
from hookd.tokens import tokens_of

OPENING = (
    "What hookd remembers of this project; in brackets the id, kind, day and session each line is from. "
    "It may be out of date, and none of it asks you to begin anything."
)
CLOSING = "More of one: `hookd memory show ID`; of anything else: `hookd memory search WORDS`."

# Of each group so many come before any other group has more.
AT_ONCE = 2


class ContextLine(NamedTuple):
    """What is said, and what it was made from."""

    text: str
    source: Remembered


class Composed(NamedTuple):
    """A context as it goes to the model; without lines it is empty."""

    text: str = ""
    tokens: int = 0
    lines: int = 0


def composed(
    db: Database,
    groups: Sequence[Sequence[ContextLine]],
    budget: int,
    clean: Callable[[str], str],
    now: float | None = None,
    known: frozenset[str] = frozenset(),
) -> Composed:
    """The groups' lines in their order, as many as fit; `clean` takes out what must not be shown.

    `known` are lines that the session has been told already.
    """
    moment = time.time() if now is None else now
    left = budget - tokens_of(f"{OPENING}\n{CLOSING}")
    chosen: dict[tuple[int, int], str] = {}
    for place, line in _once(_by_worth(groups)):
        if not is_plain_id(line.source.id):
            continue  # it stands in the text as it is
        text = f"- {one_line(clean(line.text))} {source_of(db, line.source, moment)}"
        cost = tokens_of(f"{text}\n")
        if cost <= left and text not in known:
            chosen[place] = text
            left -= cost
    if not chosen:
        return Composed()
    text = "\n".join((OPENING, *(chosen[place] for place in sorted(chosen)), CLOSING))
    return Composed(text, tokens_of(text), len(chosen))


def _by_worth(groups: Sequence[Sequence[ContextLine]]) -> Iterator[tuple[tuple[int, int], ContextLine]]:
    """All lines with their places, a few of each group at a time."""
    deepest = max(map(len, groups), default=0)
    for start in range(0, deepest, AT_ONCE):
        for number, lines in enumerate(groups):
            for at, line in enumerate(lines[start : start + AT_ONCE], start):
                yield (number, at), line


def _once(
    placed: Iterable[tuple[tuple[int, int], ContextLine]],
) -> Iterator[tuple[tuple[int, int], ContextLine]]:
    """Nothing twice, however it is spaced and whenever it was said."""
    said: set[int] = set()
    for place, line in placed:
        meaning = likeness(one_line(line.text).casefold())
        if meaning not in said:
            said.add(meaning)
            yield place, line
