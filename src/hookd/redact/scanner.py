"""One pass over a text: a prefilter says which kinds are worth a look, their patterns and checks where."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from hookd import config, untrusted_redaction
from hookd.patterns import checked
from hookd.redact import blocks, context, encoded, tables
from hookd.redact.blobs import without_blobs
from hookd.redact.checks import LONGEST_PROBE, entropy, is_hex
from hookd.redact.kinds import Finding, Kind, Prefilter, load
from hookd.redact.names import assigned_kind
from hookd.redact.plain import is_plain
from hookd.redact.structure import is_silent_key
from hookd.redact.surroundings import LOOK_BACK
from hookd.redact.table_checks import CHECKS

Span = tuple[int, int, str]

MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,64}\]")
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_BLOCK = -1
_ENCODED = -2
_CONTEXT = _LAST = 10_000  # what only its surroundings give away comes last
_MOST_KEYS = 4096  # whose answer is remembered


class Scanner:
    """The kinds in force, compiled when first needed; shared by all who have the same settings."""

    def __init__(self, settings: config.Redact) -> None:
        self._off = frozenset(settings.off)
        self._prefilter: Prefilter | None = None
        self._kinds: list[Kind] = []
        self._settings = settings
        self._is_standard = not (settings.kinds or settings.personal)
        # Whether some kind may only find so much in a text.
        self._is_bounded = any(name.startswith(untrusted_redaction.KIND) for name in settings.kinds)
        self.speaks = lru_cache(_MOST_KEYS)(self._speaks)
        """Whether a key may say something about its value."""
        self._silent: set[Any] = set()
        self._own: list[tuple[str, Any]] = []
        self._allowed = frozenset(settings.allow)
        self._allowed_patterns: list[Any] = []

    def _prefilter_for(self, text: str, inside: bool = False) -> Prefilter | None:
        """What tells which kinds a text needs; None if they are not loaded and it needs none beyond doubt."""
        if self._prefilter is not None or (self._is_standard and not inside and is_plain(text)):
            return self._prefilter
        # Kinds that are off are looked for too: what they know must not be taken for something else.
        self._kinds = list(self._tables())
        triggers = [(number, kind.trigger) for number, kind in enumerate(self._kinds)]
        triggers += ((_BLOCK, trigger) for trigger in blocks.TRIGGERS)
        triggers.append((_ENCODED, encoded.TRIGGER))
        triggers += ((_CONTEXT, trigger) for trigger in context.triggers())
        kinds = self._settings.kinds.items()
        self._own = [(name, checked(pattern)) for name, pattern in kinds if name not in self._off]
        self._allowed_patterns = [checked(pattern) for pattern in self._settings.allow_patterns]
        self._prefilter = Prefilter(triggers)
        return self._prefilter

    def _tables(self) -> Iterator[Kind]:
        yield from load("shapes")
        yield from load("contexts")
        asked = frozenset(self._settings.personal)
        if asked:
            yield from (kind for kind in load("personal") if "all" in asked or kind.name in asked)

    def scan(self, text: str) -> list[Span]:
        """Where secrets are: spans with their kinds, in order, without overlap."""
        return self.scan_part(text)[0]

    def scan_part(
        self, text: str, inside: bool = False, table: tables.Table | None = None
    ) -> tuple[list[Span], tables.Table | None]:
        """Where secrets are, and the table that the text ends in.

        A part of a text may begin inside a private key, or below the header of a table.
        """
        prefilter = self._prefilter_for(text, inside or table is not None)
        if prefilter is None:
            return [], None
        whole, done = text, 0
        if "[REDACTED:" in text:
            done = text.count(f"[REDACTED:{untrusted_redaction.KIND}")
            # What is redacted ends every rule's line: nothing looks into it or past it.
            text = MARKER.sub(lambda match: "\n" * len(match.group()), text)
        given = text
        # A byte per character, so that offsets stay the same.
        data = without_blobs(text.encode("latin-1", "replace"))
        numbers = prefilter.numbers(data)
        if _ENCODED in numbers:
            text = encoded.with_plain_signs(text)
            data = without_blobs(text.encode("latin-1", "replace"))
            numbers = prefilter.numbers(data) - {_ENCODED}
        if not numbers and not self._own and not inside and table is None:
            return [], None
        lowered = b""
        below: list[Finding] = []
        if inside:
            numbers.add(_BLOCK)
        spans: list[tuple[int, int, int, str]] = list(self._own_spans(given, done))
        for number in sorted(numbers):
            if number == _BLOCK:
                spans += ((a, b, -1, "private-key") for a, b in blocks.find(text, inside))
            elif number < _CONTEXT:
                kind = self._kinds[number]
                lowered = lowered or data.lower()
                spans += ((a, b, number, kind.name) for a, b in _matches(kind, data, lowered, text))
        if _CONTEXT in numbers:
            found, below = context.find(data, text, [(a, b) for a, b, _, _ in spans])
            spans += ((a, b, _LAST, kind) for kind, a, b in found)
        if _CONTEXT in numbers or table is not None:
            cells, table = tables.find(data, whole, table)
            spans += ((a, b, _LAST, kind) for kind, a, b in cells)
        wanted = self._wanted(given, spans)
        named = [(a, b, _LAST, kind) for kind, a, b in below if _stays(text, a, b, wanted)]
        return self._wanted(given, spans + named) if named else wanted, table

    def looks_at_many_lines(self, text: str) -> bool:
        """Whether something in the text is more than a line and the one before."""
        if self._is_bounded or blocks.may_be_in(text):
            return True
        return tables.may_be_in(text.encode("latin-1", "replace"))

    def _wanted(self, text: str, spans: list[tuple[int, int, int, str]]) -> list[Span]:
        return [
            (start, end, kind)
            for start, end, kind in _merged(spans)
            if kind not in self._off and not self._is_allowed(text[start:end])
        ]

    def _speaks(self, key: str) -> bool:
        prefilter = self._prefilter_for(key)
        said = prefilter and (self._own or prefilter.numbers(f"{key}: ".encode("latin-1", "replace")))
        return bool(said)

    def is_silent(self, item: dict[Any, Any]) -> bool:
        """Whether no key of a dict says anything, about its value or about another's, nor is a secret."""
        if not self._silent.issuperset(item):
            if len(self._silent) > _MOST_KEYS:
                self._silent.clear()
            self._silent.update(key for key in item if is_silent_key(key) and not self.speaks(key))
        return self._silent.issuperset(item)

    def assigned(self, name: str, value: str) -> str | None:
        """What the value is that a telling name has in a structure, None if it is no secret."""
        if len(value) > 4096 or "\n" in value or MARKER.search(value) or self._is_allowed(value):
            return None
        kind = assigned_kind(name, ":", True, value)
        if kind is None or kind in self._off:
            return None
        # A value that is of a kind by itself is that kind's business, also where it is off.
        return kind if not self._off or not self._is_off(value) else None

    def _is_off(self, value: str) -> bool:
        data = value.encode("latin-1", "replace")
        return any(
            kind.name in self._off and any(_matches(kind, data, data.lower(), value)) for kind in self._kinds
        )

    def _own_spans(self, text: str, done: int) -> Iterator[tuple[int, int, int, str]]:
        """What the user's own kinds find; they know best, so they come first.

        `done` is how many were found before of the kinds that may not find everything.
        """
        if not self._own:
            return
        left = max(untrusted_redaction.MOST_FOUND - done, 0)
        text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no UTF-8, and RE2 wants that
        for name, pattern in self._own:
            if name.startswith(untrusted_redaction.KIND):
                found = [*islice(filter(_is_bounded, _found(pattern, text)), left)]
                left -= len(found)
            else:
                found = [*_found(pattern, text)]
            yield from ((start, end, -2, name) for start, end in found)

    def _is_allowed(self, value: str) -> bool:
        if value in self._allowed:
            return True
        if not self._allowed_patterns:
            return False
        value = value.encode("utf-8", "replace").decode()
        return any(pattern.fullmatch(value) for pattern in self._allowed_patterns)


def _found(pattern: Any, text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        start, end = match.span(1) if pattern.groups and match.start(1) >= 0 else match.span()
        if start < end:
            yield start, end


def _is_bounded(span: tuple[int, int]) -> bool:
    return untrusted_redaction.SHORTEST <= span[1] - span[0] <= untrusted_redaction.LONGEST


def _matches(kind: Kind, data: bytes, lowered: bytes, text: str) -> Iterator[tuple[int, int]]:
    groups = kind.pattern.groups
    for match in kind.matches(data, lowered):
        start, end = match.span(1)
        inner = next((group for group in range(2, groups + 1) if match.start(group) >= 0), None)
        if inner:
            start, end = match.span(inner)
        if kind.exact:
            if end < len(data) and data[end] in _WORD and data[end - 1] in _WORD:
                continue
        elif not inner and kind.shape[0] != "(":
            while end < len(data) and data[end] in _WORD:
                end += 1
        if start < end and _passes(kind, data, text, start, end):
            yield start, end


def _passes(kind: Kind, data: bytes, text: str, start: int, end: int) -> bool:
    value = text[start : min(end, start + LONGEST_PROBE)]
    if kind.shape[0] == "~" and data[start - 1 : start] == b"/" and is_hex(value):
        return False  # in a path: a number of something
    if kind.entropy and entropy(value) < kind.entropy:
        return False
    if kind.near:
        line = data.rfind(b"\n", 0, start) + 1
        before = data[max(line, start - 80) : start].lower()
        if not any(word in before for word in kind.near):
            return False
    return all(CHECKS[check](value) for check in kind.checks)


def _stays(text: str, start: int, end: int, spans: list[Span]) -> bool:
    """Whether nothing is redacted on the line before a candidate and on its own up to it."""
    line = text.rfind("\n", 0, start)
    above = text.rfind("\n", max(0, line - LOOK_BACK), max(line, 0))
    above = max(above, line - LOOK_BACK)
    last = bisect_left(spans, (end,)) - 1
    return last < 0 or spans[last][1] <= above


def _merged(spans: list[tuple[int, int, int, str]]) -> list[Span]:
    """Overlapping spans become one, of the kind that knows most."""
    spans.sort()
    merged: list[tuple[int, int, int, str]] = []
    for span in spans:
        if merged and span[0] < merged[-1][1]:
            start, end, rank, kind = merged[-1]
            best = min((rank, kind), (span[2], span[3]))
            merged[-1] = (start, max(end, span[1]), *best)
        else:
            merged.append(span)
    return [(start, end, kind) for start, end, _, kind in merged]


_scanners: dict[bytes, Scanner] = {}


def scanner_for(settings: config.Redact) -> Scanner:
    """The scanner for these settings, made once."""
    import msgspec

    key = msgspec.json.encode(settings)
    if key not in _scanners:
        _scanners[key] = Scanner(settings)
    return _scanners[key]
