"""Where the record repeats an observation: what a model was told, and calls of hookd's commands and tools.

When it is forgotten, its lines go from what was told, and from such a call what it was given and gave back.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from hookd.memory.observations import SHORTEST_ID
from hookd.patterns import late

FORGOTTEN = "[forgotten]"
# What is shorter is said by chance.
SHORTEST_QUOTE = 12
_LONGEST_QUOTE = 120
# `citing.source_of` puts it at the end of a line.
_CITED = late(r"\[([\w-]+) [\w-]*, [^\]]*\]$")
_WORD = late(r"[\w-]+")


class Names:
    """Ids of observations, found by as much of one as is shown."""

    def __init__(self, names: Iterable[str]) -> None:
        self._sorted = sorted(set(names))

    def find(self, word: str) -> str | None:
        """The id that this is, or is the beginning of."""
        at = bisect_left(self._sorted, word)
        if at == len(self._sorted):
            return None
        found = self._sorted[at]
        shown = found == word or (len(word) >= SHORTEST_ID and found.startswith(word))
        return found if shown else None

    def cited_in(self, text: str) -> set[str]:
        """Those that lines of what was told are from."""
        return {found for line in text.splitlines() if (found := self._cited_by(line)) is not None}

    def named_in(self, text: str) -> set[str]:
        """Those that are named anywhere in a text."""
        return {found for word in _WORD.findall(text) if (found := self.find(word)) is not None}

    def _cited_by(self, line: str) -> str | None:
        cited = _CITED.search(line)
        return self.find(cited[1]) if cited is not None else None

    def without(self, text: str) -> str:
        """What was told, without the lines that are from one of them."""
        return "\n".join(line if self._cited_by(line) is None else FORGOTTEN for line in text.split("\n"))


class Texts:
    """Texts of observations, found in what repeats them."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """Each as its id and the text."""
        self._beginnings: dict[str, set[str]] = {}
        for name, text in texts:
            beginning = " ".join(text.split())[:_LONGEST_QUOTE]
            if len(beginning) >= SHORTEST_QUOTE:
                self._beginnings.setdefault(beginning, set()).add(name)

    def repeated_in(self, text: str) -> set[str]:
        """The ids of those that a text has in it."""
        squeezed = " ".join(text.split())
        found = (names for beginning, names in self._beginnings.items() if beginning in squeezed)
        return set().union(*found)


def strings(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def cut_told(told: list[dict[str, Any]], names: Names) -> None:
    """Takes what is from these observations out of what an event has told."""
    for each in told:
        if isinstance(each.get("text"), str):
            each["text"] = names.without(each["text"])


def cut_call(values: dict[str, Any]) -> None:
    """Takes out of a call's record, or a part of it, what it was given, gave back, and was said of it."""
    for key in ("tool_input", "input", "output", "told", "text", "facts"):
        if key in values:
            values[key] = _cut(values[key])


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return FORGOTTEN if len(value) > len(FORGOTTEN) else ""
    if isinstance(value, dict):
        return {key: item if key in _OWN_WORDS else _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


_OWN_WORDS = frozenset("kind by what verdict rule layer mode severity importance cwd permission_mode".split())
"""Of a fact, and of what was told: hookd's own words, from closed sets."""
