"""The redactor: text in, the same text with `[REDACTED:kind]` where a secret was, out."""

from bisect import bisect_right
from collections import Counter
from typing import Any, NamedTuple

from hookd import config
from hookd.redact.files import is_secret_file
from hookd.redact.scanner import Scanner, scanner_for
from hookd.redact.segments import LARGEST, SIZE, Segmenter

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
        done = self._redacted(text)
        self.counts.update(finding.kind for finding in done.findings)
        return done

    def finds(self, text: str) -> bool:
        """Whether there is a secret in the text; nothing is counted."""
        return bool(self._redacted(text).findings)

    def _redacted(self, text: str) -> Redacted:
        return self._segment(text) if len(text) <= self._size else self._long(text)

    def _long(self, text: str) -> Redacted:
        segmenter = Segmenter(self._size, self._largest)
        parts: list[str] = []
        findings: list[Finding] = []
        start = 0
        for segment in (*segmenter.feed(text), segmenter.finish()):
            done = self._segment(segment)
            parts.append(done.text)
            findings += (Finding(kind, a + start, b + start) for kind, a, b in done.findings)
            start += len(segment)
        return Redacted("".join(parts) if findings else text, tuple(findings))

    def text(self, text: str) -> str:
        """The text without its secrets."""
        return self.redact(text).text

    def value(self, value: Any) -> Any:
        """A JSON-like value without its secrets: the same object when there are none."""
        from hookd.redact.values import redact_value

        return redact_value(self, value)

    def leaves_out(self, path: str) -> bool:
        """Whether what is in this file is never shown or kept, whatever it looks like."""
        return bool(path) and is_secret_file(path, self._settings.exclude, self._settings.include)

    def stream(self) -> "StreamRedactor":
        """A redactor for text that arrives in pieces."""
        return StreamRedactor(self)

    def _segment(self, text: str) -> Redacted:
        """Rounds until nothing is found: what is left of a text may only now show its shape."""
        spans = self._scanner.scan(text)
        if not spans:
            return Redacted(text, ())
        findings: list[Finding] = []
        kept = [(0, 0)]  # where parts of the text at hand begin: here, and in the text that was given
        for _ in range(_MOST_ROUNDS):
            text, kept, found = _replaced(text, kept, spans)
            findings = [
                old
                for old in findings
                if not any(new.start <= old.start and old.end <= new.end for new in found)
            ] + found
            spans = self._scanner.scan(text)
            if not spans:
                break
        return Redacted(text, tuple(sorted(findings, key=lambda finding: finding.start)))


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

    def feed(self, chunk: str) -> str:
        """What is certain by now; the rest comes later."""
        return "".join([self._redactor.text(segment) for segment in self._segmenter.feed(chunk)])

    def finish(self) -> str:
        """The rest."""
        return self._redactor.text(self._segmenter.finish())
