"""The kinds of secrets that have a shape or a context of their own, read from the tables in `kinds/`."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent / "kinds"
_START = "(?m:^|[^A-Za-z0-9])"
_SPACED = "(?m:^|[\\s=:\"'])"
_NEAR = r"[^\n]{0,40}?[^A-Za-z0-9\n]"
_MANY_LINES = 50
_MEMORY = 64 << 20


class Finding(NamedTuple):
    """What something in a text is taken for, and where it is."""

    kind: str
    start: int
    end: int


def _options() -> Any:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


@cache
def compiled(pattern: str) -> Any:
    """A pattern over Latin-1 bytes that never crosses a line."""
    import re2

    options = _options()
    options.never_nl = True
    return re2.compile(pattern.encode("latin-1"), options)


class Kind:
    """One row of a table."""

    __slots__ = ("__dict__", "checks", "entropy", "exact", "free", "name", "near", "shape", "spaced", "words")

    def __init__(self, row: str) -> None:
        columns = [column.strip() for column in row.split("  ") if column]
        self.name, self.words, self.shape = columns[:3]
        options = dict(word.partition("=")[::2] for word in columns[3].split()) if len(columns) > 3 else {}
        self.entropy = float(options.pop("entropy", 0))
        self.near = tuple(options.pop("near", "").encode().split(b",")) if "near" in options else ()
        self.spaced = options.pop("spaced", None) is not None
        self.free = options.pop("free", None) is not None
        self.exact = options.pop("exact", None) is not None or self.shape[0] == "~"
        self.checks = tuple(options)

    @property
    def folds(self) -> bool:
        """Whether capitals do not matter."""
        return self.shape.startswith(("(?i)", "~"))

    @property
    def trigger(self) -> str:
        """A pattern that is in every text this kind is in, and cheap to look for."""
        if self.words[0] == "/":
            return self.words[1:-1]
        return ("(?i)" if self.folds else "") + "|".join(map(quoted, self.words.split(",")))

    @cached_property
    def keywords(self) -> tuple[bytes, ...]:
        """Words one of which is in every match; none if only a pattern tells."""
        if self.words[0] == "/":
            return ()
        words = self.words.encode()
        return tuple((words.lower() if self.folds else words).split(b","))

    @cached_property
    def pattern(self) -> Any:
        if self.shape[0] == "~":
            names = "|".join(map(quoted, self.words.split(",")))
            return compiled(f"(?i)(?:{names}){_NEAR}({self.shape[1:]})")
        if self.free or self.shape.removeprefix("(?i)").startswith(("\\b", "(?m)")):
            return compiled(f"({self.shape})")
        return compiled(f"{_SPACED if self.spaced else _START}({self.shape})")

    def matches(self, data: bytes, lowered: bytes) -> Iterator[Any]:
        """Where the pattern matches; only the lines with a keyword are looked at, if they are few."""
        lines = self._lines(data, lowered if self.folds else data)
        if lines is None:
            yield from self.pattern.finditer(data)
            return
        for start, end in lines:
            yield from self.pattern.finditer(data, start, end)

    def _lines(self, data: bytes, where: bytes) -> list[tuple[int, int]] | None:
        found: dict[int, int] = {}
        for keyword in self.keywords:
            position = where.find(keyword)
            while position >= 0:
                if len(found) > _MANY_LINES:
                    return None
                end = data.find(b"\n", position)
                end = len(data) if end < 0 else end
                found[data.rfind(b"\n", 0, position) + 1] = end
                position = where.find(keyword, max(end, position + 1))
        return sorted(found.items()) if self.keywords else None


def quoted(word: str) -> str:
    """A pattern for the word itself."""
    return "".join(c if c.isalnum() or c == "_" else "\\" + c for c in word)


def _rows(table: str) -> list[str]:
    rows = (_FOLDER / f"{table}.txt").read_text("ascii").splitlines()
    return [row for row in rows if row and row[0] != "#"]


@cache
def load(table: str) -> tuple[Kind, ...]:
    """The rows of `kinds/TABLE.txt`, in the order of the file: earlier names win."""
    return tuple(map(Kind, _rows(table)))


# Kinds that are code, not rows of a table.
_GENERIC = ("private-key", "assigned-pass", "assigned-credential", "nearby-credential", "prefixed-credential")


@cache
def known_names() -> frozenset[str]:
    """All kinds there are, personal data too, and the marks for what is left out whole."""
    rows = (*_rows("shapes"), *_rows("contexts"), *_rows("personal"))
    return frozenset([*_GENERIC, "file", "too-long", *(row.split("  ", 1)[0] for row in rows)])


@cache
def load_names() -> tuple[str, ...]:
    """The services whose name beside a random value is enough."""
    return tuple(" ".join(_rows("services")).split())


class Prefilter:
    """Which kinds are worth a look: their triggers, in sets that each read a text once.

    One automaton for all would have a state for every combination of what its parts are in the middle of, and
    random text would visit them all. So those that combine badly are in sets of their own.
    """

    def __init__(self, triggers: Iterable[tuple[int, str]]) -> None:
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, trigger in triggers:
            groups.setdefault(_group(trigger), []).append((number, trigger))
        self._sets = [(_set(group), [number for number, _ in group]) for group in groups.values()]

    def numbers(self, data: bytes) -> set[int]:
        """What stands for the triggers that are in the data."""
        return {numbers[hit] for matcher, numbers in self._sets for hit in matcher.Match(data) or ()}


def _group(trigger: str) -> str:
    if len(trigger) > 2000:
        return "names"
    if trigger.startswith("(?i)"):
        return "folded"
    first = trigger.removeprefix(r"\b")[:2]
    return "literal" if first.isalnum() or "[" not in trigger else "shapes"


def _set(triggers: list[tuple[int, str]]) -> Any:
    import re2

    options = _options()
    options.max_mem = _MEMORY
    matcher = re2.Set.SearchSet(options)
    for _, trigger in triggers:
        matcher.Add(trigger.encode("latin-1"))
    matcher.Compile()
    return matcher
