"""The redactor: text in, the same text with `[REDACTED:kind]` where a secret was, out."""

from bisect import bisect_right
from collections import Counter
from functools import cached_property
from typing import Any, NamedTuple

from hookd import config
from hookd.redact.files import is_secret_file
from hookd.redact.kinds import Finding
from hookd.redact.scanner import Scanner, Span, scanner_for
from hookd.redact.segments import LARGEST, SIZE, Segment, Segmenter
from hookd.redact.surroundings import LOOK_BACK
from hookd.redact.tables import Table

_MOST_ROUNDS = 20


class Redacted(NamedTuple):
    """A text without its secrets, and what they were, where in the text that was given."""

    text: str
    findings: tuple[Finding, ...]


class Redactor:
    """Redacts text, nested values and streams, and counts what it found by kind."""

    def __init__(self, settings: config.Redact = config.Redact()) -> None:  # noqa: B008 - frozen
        self._settings = settings
        self._size, self._largest = SIZE, LARGEST
        self.counts: Counter[str] = Counter()

    @cached_property
    def _scanner(self) -> Scanner:
        return scanner_for(self._settings)

    def counting_anew(self) -> "Redactor":
        """The same redactor with counts of its own."""
        other = Redactor(self._settings)
        other._size, other._largest = self._size, self._largest
        return other

    def redact(self, text: str) -> Redacted:
        """The text without its secrets; redacting the result again changes nothing."""
        if not text:
            return Redacted(text, ())
        if len(text) <= self._size:
            return self._segment(Segment(text, inside=False))[0]
        parts: list[str] = []
        findings: list[Finding] = []
        start = 0
        stream = self.stream()
        for segment in (*stream.segmenter.feed(text), stream.segmenter.finish()):
            done = stream.redacted(segment)
            parts.append(done.text)
            findings += (Finding(kind, a + start, b + start) for kind, a, b in done.findings)
            start += len(segment.text)
        return Redacted("".join(parts) if findings else text, tuple(findings))

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

    def _segment(
        self, segment: Segment, previous: str = "", table: Table | None = None
    ) -> tuple[Redacted, Table | None]:
        """The segment, and the table that it ends in.

        Rounds until nothing is found: what is left of a text may only now show its shape.
        """
        text, inside, before, after = segment
        before = "" if inside else before or previous
        found_first, ends_in = self._scanner.scan_part(before + text + after, inside, table)
        spans = _within(found_first, len(before), len(text))
        findings: list[Finding] = []
        kept = [(0, 0)]  # where parts of the text at hand begin: here, and in the text that was given
        rounds = 1
        while spans:
            text, kept, found, changed = _replaced(text, kept, spans)
            findings = _with(findings, found)
            spans = self._scan_again(text, before, after, changed, table) if rounds < _MOST_ROUNDS else []
            rounds += 1
        if findings:
            self.counts.update(finding.kind for finding in findings)
        return Redacted(text, tuple(findings)), ends_in

    def _scan_again(
        self, text: str, before: str, after: str, changed: list[int], table: Table | None
    ) -> list[Span]:
        """A scan of the lines where something changed, with those before and after."""
        whole = before + text + after
        skip = len(before)
        if table is not None or self._scanner.looks_at_many_lines(whole):
            spans, _ = self._scanner.scan_part(whole, table=table)
            return _within(spans, skip, len(text))
        parts: list[str] = []
        places: list[tuple[int, int]] = []  # where parts begin: in what is scanned, and in the whole
        length = 0
        for start, end in _lines_around(whole, [position + skip for position in changed]):
            places.append((length, start))
            parts.append(whole[start:end] + "\n\n")
            length += end - start + 2
        spans = []
        for start, end, kind in self._scanner.scan("".join(parts)):
            here, there = places[bisect_right(places, (start, len(whole))) - 1]
            spans.append((start - here + there, end - here + there, kind))
        return _within(spans, skip, len(text))


def _within(spans: list[Span], skip: int, length: int) -> list[Span]:
    """What the spans have of a part of a text, counted from its beginning."""
    return [
        (max(start - skip, 0), min(end - skip, length), kind)
        for start, end, kind in spans
        if end > skip and start < skip + length
    ]


def _lines_around(text: str, positions: list[int]) -> list[tuple[int, int]]:
    """The lines with these positions, with the ones before and after; lines in a row are one part."""
    parts: list[tuple[int, int]] = []
    line_end = 0
    for position in positions:
        if position < line_end:  # on the line of the one before
            continue
        line_end = _after_line(text, position)
        end = _after_line(text, line_end)
        start = text.rfind("\n", 0, position) + 1
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
        else:
            parts.append((start, end))
    return parts


def _after_line(text: str, position: int) -> int:
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1


def _with(old: list[Finding], new: list[Finding]) -> list[Finding]:
    """The earlier findings that no later one has swallowed, and the later ones; both are in order."""
    starts = [finding.start for finding in new]

    def swallowed(finding: Finding) -> bool:
        place = bisect_right(starts, finding.start) - 1
        return place >= 0 and finding.end <= new[place].end

    return sorted([*(finding for finding in old if not swallowed(finding)), *new], key=lambda one: one.start)


def _last_line(text: str) -> str:
    """The end of the last line, if it is complete: the next one may be its value."""
    return text[max(text.rfind("\n", 0, -1) + 1, len(text) - LOOK_BACK) :] if text.endswith("\n") else ""


def _replaced(
    text: str, kept: list[tuple[int, int]], spans: list[tuple[int, int, str]]
) -> tuple[str, list[tuple[int, int]], list[Finding], list[int]]:
    """The text with markers, where its parts come from, the findings, and where the markers are."""
    starts = [here for here, _ in kept]

    def origin(position: int) -> int:
        here, there = kept[bisect_right(starts, position) - 1]
        return there + position - here

    parts: list[str] = []
    parts_from: list[tuple[int, int]] = []
    findings: list[Finding] = []
    markers: list[int] = []
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
        markers.append(length)
        parts.append(marker)
        parts_from.append((length, origin(start)))
        length += len(marker)
        done = end
    keep(done, len(text))
    return "".join(parts), parts_from, findings, markers


class StreamRedactor:
    """Redacts a stream with a bounded memory; the result does not depend on how the stream is cut."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.segmenter = Segmenter(redactor._size, redactor._largest)
        self._previous = ""
        self._table: Table | None = None

    def feed(self, chunk: str) -> str:
        """What is certain by now; the rest comes later."""
        return "".join([self.redacted(segment).text for segment in self.segmenter.feed(chunk)])

    def finish(self) -> str:
        """The rest."""
        return self.redacted(self.segmenter.finish()).text

    def redacted(self, segment: Segment) -> Redacted:
        """The next segment of the stream."""
        done, self._table = self._redactor._segment(segment, self._previous, self._table)
        self._previous = _last_line(done.text)
        return done
