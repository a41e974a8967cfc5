"""The redactor: text in, the same text with `[REDACTED:kind]` where a secret was, out."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from hookd import config
from hookd.redact.context import LOOK_BACK
from hookd.redact.files import is_secret_file
from hookd.redact.scanner import Scanner, scanner_for
from hookd.redact.segments import LARGEST, SIZE, Segment, Segmenter

_MOST_ROUNDS = 20


class Finding(NamedTuple):
    """A secret's kind and where it was in the text that was given."""

    kind: str
    start: int
    end: int


class Redacted(NamedTuple):
    """A text without its secrets, and what they were."""

    text: str
    findings: tuple[Finding, ...]


class Redactor:
    """Redacts text, nested values and streams, and counts what it found by kind."""

    def __init__(self, settings: config.Redact = config.Redact()) -> None:  # noqa: B008 - frozen
        self._settings = settings
        self._scanner_made: Scanner | None = None
        self._size, self._largest = SIZE, LARGEST
        self.counts: Counter[str] = Counter()

    @property
    def _scanner(self) -> Scanner:
        if self._scanner_made is None:
            self._scanner_made = scanner_for(self._settings)
        return self._scanner_made

    def redact(self, text: str) -> Redacted:
        """The text without its secrets; redacting the result again changes nothing."""
        if len(text) <= self._size:
            done = self._segment(text)
            self._count(done)
            return done
        segmenter = Segmenter(self._size, self._largest)
        parts: list[str] = []
        findings: list[Finding] = []
        start = 0
        previous = ""
        for segment in (*segmenter.feed(text), segmenter.finish()):
            done = self._segment(segment.text, previous, segment.inside)
            self._count(done)
            parts.append(done.text)
            findings += (Finding(kind, a + start, b + start) for kind, a, b in done.findings)
            start += len(segment.text)
            previous = _last_line(done.text)
        return Redacted("".join(parts) if findings else text, tuple(findings))

    def _count(self, done: Redacted) -> None:
        if done.findings:
            self.counts.update(finding.kind for finding in done.findings)

    def text(self, text: str) -> str:
        """The text without its secrets."""
        return self.redact(text).text

    def value(self, value: Any) -> Any:
        """A JSON-like value without its secrets: the same object when there are none."""
        from hookd.redact.values import redact_value

        return redact_value(self, self._scanner, value)

    def leaves_out(self, path: str) -> bool:
        """Whether what is in this file is never shown or kept, whatever it looks like."""
        return bool(path) and is_secret_file(path, self._settings.exclude, self._settings.include)

    def stream(self) -> "StreamRedactor":
        """A redactor for text that arrives in pieces."""
        return StreamRedactor(self)

    def _segment(self, text: str, previous: str = "", inside: bool = False) -> Redacted:
        """Rounds until nothing is found: what is left of a text may only now show its shape."""
        previous = "" if inside else previous
        findings: list[Finding] = []
        kept = [(0, 0)]  # where parts of the text at hand begin: here, and in the text that was given
        for _ in range(_MOST_ROUNDS):
            spans = self._scanner.scan(previous + text, inside)
            if previous:
                skip = len(previous)
                spans = [(start - skip, end - skip, kind) for start, end, kind in spans if start >= skip]
            if not spans:
                break
            text, kept, found = _replaced(text, kept, spans)
            findings = [*_outside(findings, found), *found]
            inside = False
        return Redacted(text, tuple(sorted(findings, key=lambda finding: finding.start)))


def _outside(old: list[Finding], new: list[Finding]) -> Iterator[Finding]:
    """The earlier findings that no later one has swallowed."""
    for finding in old:
        if not any(other.start <= finding.start and finding.end <= other.end for other in new):
            yield finding


def _last_line(text: str) -> str:
    """The end of the last line, if it is complete: the next one may be its value."""
    return text[max(text.rfind("\n", 0, -1) + 1, len(text) - LOOK_BACK) :] if text.endswith("\n") else ""


def _replaced(
    text: str, kept: list[tuple[int, int]], spans: list[tuple[int, int, str]]
) -> tuple[str, list[tuple[int, int]], list[Finding]]:
    """The text with markers for the spans, where its parts come from, and the findings as they were given."""
    starts = [here for here, _ in kept]

    def origin(position: int) -> int:
        here, there = kept[bisect_right(starts, position) - 1]
        return there + position - here

    parts: list[str] = []
    parts_from: list[tuple[int, int]] = []
    findings: list[Finding] = []
    done = 0
    length = 0

    def keep(start: int, end: int) -> None:
        nonlocal length
        if start >= end:
            return
        parts.append(text[start:end])
        parts_from.append((length, origin(start)))
        for here, there in kept[bisect_right(starts, start) : bisect_right(starts, end - 1)]:
            parts_from.append((length + here - start, there))
        length += end - start

    for start, end, kind in spans:
        keep(done, start)
        findings.append(Finding(kind, origin(start), origin(end - 1) + 1))
        marker = f"[REDACTED:{kind}]"
        parts.append(marker)
        parts_from.append((length, origin(start)))
        length += len(marker)
        done = end
    keep(done, len(text))
    return "".join(parts), parts_from, findings


class StreamRedactor:
    """Redacts a stream with a bounded memory; the result does not depend on how the stream is cut."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._segmenter = Segmenter(redactor._size, redactor._largest)
        self._previous = ""

    def feed(self, chunk: str) -> str:
        """What is certain by now; the rest comes later."""
        return "".join([self._redacted(segment) for segment in self._segmenter.feed(chunk)])

    def finish(self) -> str:
        """The rest."""
        return self._redacted(self._segmenter.finish())

    def _redacted(self, segment: Segment) -> str:
        done = self._redactor._segment(segment.text, self._previous, segment.inside)
        self._redactor._count(done)
        self._previous = _last_line(done.text)
        return done.text
