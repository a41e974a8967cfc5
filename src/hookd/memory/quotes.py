"""Where the record repeats an observation: what a model was told, and what hookd's commands and tools said.

When it is forgotten, that goes: lines that cite it, and every run of its words in what hookd was given and
gave back, however it is quoted and spaced there.
"""

import re
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
_CUT_OFF = late(r"([^\W_]+)…")
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

    def __init__(self, texts: Iterable[tuple[str, str]], files: Iterable[tuple[str, str]] = ()) -> None:
        """Each as its id and the text; a line of it is one too.

        `files` are what else is looked for that may be the name of one: it may be shorter than a text.
        """
        known, named = list(texts), list(files)
        self._files = [(name, _file(each)) for name, each in named if _is_short_file(each)]
        several = (*known, *named)
        parts = ((name, part) for name, text in several for part in dict.fromkeys((text, *text.splitlines())))
        folded_parts = ((name, _folded(part)) for name, part in parts)
        self._texts = [(name, folded) for name, folded in folded_parts if len(folded) >= SHORTEST_TEXT]
        self._windows: dict[str, list[tuple[int, int]]] = {}
        for number, (_, folded) in enumerate(self._texts):
            for at in range(0, max(1, len(folded) - WINDOW + 1), STEP):
                self._windows.setdefault(folded[at : at + WINDOW], []).append((number, at))
        self._short = {len(window) for window in self._windows if len(window) < WINDOW}

    def repeated_in(self, text: str) -> set[str]:
        """The ids of those that a text has a run of."""
        files = {name for name, file in self._files if file.search(text)}
        return files | {self._texts[number][0] for number, _, _ in self._runs(_folded(text))}

    def without(self, text: str) -> str:
        """The text with a mark where a run was."""
        for _, file in self._files:
            text = file.sub(FORGOTTEN, text)
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


def _is_short_file(name: str) -> bool:
    """Whether it is no plain word, and shorter than texts are that are found wherever they stand."""
    return not name.isalpha() and len(_folded(name)) < SHORTEST_TEXT


def _file(name: str) -> re.Pattern[str]:
    """The name by itself or at the end of a path; what JSON makes of the end of a line is no letter."""
    return re.compile(rf"(?:(?<![\w.-])|(?<=\\[nrt])){re.escape(name)}(?![\w/-])", re.IGNORECASE)


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

    def __init__(
        self,
        texts: Iterable[tuple[str, str]],
        names: Iterable[str],
        retold: Iterable[str] = (),
        untold: Iterable[str] = (),
    ) -> None:
        """`names` are the ids of all of them, `texts` what is known of them.

        `retold` are the ids of summaries of their sessions, and `untold` is what those do not say any more.
        """
        known, untold = list(texts), list(untold)
        self._names, self._retold = Names(names), Names(retold)
        self._passages = Passages(known, [("", each) for each in untold])
        self._words = {word for _, text in known for word in _words(text)}
        self._untold = [each.casefold() for each in untold]
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
        return FORGOTTEN if self._retold.cited_by(line) is not None and self._retells(line) else line

    def _retells(self, line: str) -> bool:
        """Whether a line of what a summary said may have something of them, be it the beginning of a word."""
        if not self._knows_all:
            return True
        plain = line.casefold()
        cut_off = _CUT_OFF.search(plain)
        return (
            not self._words.isdisjoint(_words(line))
            or bool(self._passages.repeated_in(line))
            or any(each in plain for each in self._untold)
            or (cut_off is not None and any(word.startswith(cut_off[1]) for word in self._words))
        )

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
        lines, below, retold = [], False, False
        for line in text.split("\n"):
            goes_on = not line or line.startswith("  ")
            below = bool(self._names.named_in(line)) or (below and goes_on)
            retold = bool(self._retold.named_in(line)) or (retold and goes_on)
            gone = below or (retold and self._retells(line))
            lines.append(FORGOTTEN if gone and line else line)
        return str(self.call("\n".join(lines)))


_OWN_WORDS = frozenset("kind by what verdict rule layer mode severity importance cwd permission_mode".split())
"""Of a fact, and of what was told: hookd's own words, from closed sets."""
