"""Where the record repeats an observation: what a model was told, and what hookd's commands and tools said.

When it is forgotten, that goes: lines that cite it, and every run of its words in what hookd was given and
gave back, however it is quoted and spaced there.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from hookd.journal.entries import FORGOTTEN
from hookd.memory.observations import SHORTEST_ID
from hookd.patterns import late

# So many letters and digits in a row are said by nobody else by chance; of a shorter text, all of it.
RUN, WINDOW, STEP = 24, 16, 8
SHORTEST_TEXT = 8
# `citations.source_of` puts it at the end of a line.
_CITED = late(r"\[([\w-]+) [\w-]*, [^\]]*\]$")
_OWN_ID = late(r"\b[osp][0-9a-f]{6,32}\b")
_WORD = late(r"[^\W_]{5,}")
# What hookd says in every summary.
_OF_SUMMARIES = frozenset(
    "session asked changed passed failed tests decided files commits summary edited".split()
)
# Escapes are what JSON makes of the ends of lines.
_BETWEEN = late(r"(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|[\W_])+")


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

    def cited_by(self, line: str) -> str | None:
        """The one that a line of what was told is from."""
        word = cited_word(line)
        return self.find(word) if word is not None else None

    def cited_in(self, text: str) -> set[str]:
        return {found for line in text.splitlines() if (found := self.cited_by(line)) is not None}

    def named_in(self, text: str) -> set[str]:
        """Those that a text names by an id of hookd's own: one that was imported may be any word."""
        return {found for word in _OWN_ID.findall(text) if (found := self.find(word)) is not None}


def cited_word(line: str) -> str | None:
    """The id, or its beginning, at the end of a line that was told."""
    cited = _CITED.search(line)
    return cited[1] if cited is not None else None


class Passages:
    """Texts of observations, found in what repeats a run of their words."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """Each as its id and the text; a line of it is one too."""
        parts = ((name, part) for name, text in texts for part in dict.fromkeys((text, *text.splitlines())))
        folded_parts = ((name, _folded(part)) for name, part in parts)
        self._texts = [(name, folded) for name, folded in folded_parts if len(folded) >= SHORTEST_TEXT]
        self._windows: dict[str, list[tuple[int, int]]] = {}
        for number, (_, folded) in enumerate(self._texts):
            for at in range(0, max(1, len(folded) - WINDOW + 1), STEP):
                self._windows.setdefault(folded[at : at + WINDOW], []).append((number, at))
        self._short = {len(window) for window in self._windows if len(window) < WINDOW}

    def repeated_in(self, text: str) -> set[str]:
        """The ids of those that a text has a run of."""
        return {self._texts[number][0] for number, _, _ in self._runs(_folded(text))}

    def without(self, text: str) -> str:
        """The text with a mark where a run was."""
        runs = list(self._runs(_folded(text)))
        if not runs:
            return text
        places = _places(text)
        parts, done = [], 0
        for _, start, end in sorted(runs, key=lambda run: run[1]):
            if places[start] >= done:
                parts += [text[done : places[start]], FORGOTTEN]
            done = max(done, places[end - 1] + 1)
        return "".join((*parts, text[done:]))

    def _runs(self, folded: str) -> Iterator[tuple[int, int, int]]:
        """Where a run of which text is."""
        for length in (WINDOW, *self._short):
            at = 0
            while at + length <= len(folded):
                places = self._windows.get(folded[at : at + length])
                at += 1
                if places is None:
                    continue
                runs = [self._extended(folded, at - 1, *place) for place in places]
                long = [run for run in runs if run[2] - run[1] >= min(RUN, len(self._texts[run[0]][1]))]
                if long:
                    longest = max(long, key=lambda run: run[2] - run[1])
                    yield longest
                    # Where words repeat themselves, another run may begin in this one and go further.
                    at = max(at, longest[2] - RUN)

    def _extended(self, folded: str, at: int, number: int, offset: int) -> tuple[int, int, int]:
        whole = self._texts[number][1]
        start, end, left, right = at, at, offset, offset
        while start and left and folded[start - 1] == whole[left - 1]:
            start, left = start - 1, left - 1
        while end < len(folded) and right < len(whole) and folded[end] == whole[right]:
            end, right = end + 1, right + 1
        return number, start, end


def _folded(text: str) -> str:
    """Letters and digits alone: quotes, blanks and the ends of lines are not what a text says."""
    return _BETWEEN.sub("", text).casefold()


def _places(text: str) -> list[int]:
    """Where in the text each of these letters and digits stands."""
    found, done = [], 0
    for between in (*_BETWEEN.finditer(text), None):
        end = between.start() if between is not None else len(text)
        found += [at for at in range(done, end) for _ in text[at].casefold()]
        done = between.end() if between is not None else end
    return found


def _words(text: str) -> set[str]:
    """The words that say what a text is about."""
    return {word for word in _WORD.findall(text.casefold()) if word not in _OF_SUMMARIES}


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


class Cut:
    """Takes out of the record of an event what it repeats of forgotten observations."""

    def __init__(self, texts: Iterable[tuple[str, str]], names: Iterable[str], retold: Iterable[str]) -> None:
        """`names` are the ids of all of them, `texts` what is known of them, `retold` ids of summaries."""
        known = list(texts)
        self._names, self._retold = Names(names), Names(retold)
        self._passages = Passages(known)
        self._words = {word for _, text in known for word in _words(text)}
        self._knows_all = {name for name, _ in known} >= set(names)

    def told(self, told: Any) -> Any:
        """What a model was told: lines that cite one, and lines of a summary with a word of one."""
        for each in told:
            if isinstance(each.get("text"), str):
                each["text"] = "\n".join(map(self._told_line, each["text"].split("\n")))
        return told

    def _told_line(self, line: str) -> str:
        if self._names.cited_by(line) is not None:
            return FORGOTTEN
        if self._retold.cited_by(line) is None or (self._knows_all and self._words.isdisjoint(_words(line))):
            return line
        return FORGOTTEN

    def call(self, value: Any) -> Any:
        """Anything of a call; where the texts are not known any more, all of its words."""
        if isinstance(value, str):
            if not self._knows_all:
                return FORGOTTEN if len(value) > len(FORGOTTEN) else ""
            return self._passages.without(value)
        if isinstance(value, dict):
            return {key: item if key in _OWN_WORDS else self.call(item) for key, item in value.items()}
        return [self.call(item) for item in value] if isinstance(value, list) else value

    def output(self, text: str) -> str:
        """What a call gave back: a line that names one of them says more of it, as does what is below it."""
        lines, below = [], False
        for line in text.split("\n"):
            below = bool(self._names.named_in(line)) or (below and (not line or line.startswith("  ")))
            lines.append(FORGOTTEN if below and line else line)
        return str(self.call("\n".join(lines)))


_OWN_WORDS = frozenset("kind by what verdict rule layer mode severity importance cwd permission_mode".split())
"""Of a fact, and of what was told: hookd's own words, from closed sets."""
