"""Cutting text where no rule looks across, so that a stream and a whole text are treated alike.

Rules look at a line and the one before, private keys and tables apart; so a segment ends with a line, outside
a key. A line that is too long is cut anywhere, and both sides are read together with a part of the other.
Where to cut is decided by the text alone, never by how it arrived.
"""

from collections.abc import Iterator
from typing import NamedTuple

from hookd.redact import blocks

SIZE = 32 * 1024
LARGEST = 256 * 1024
OVERLAP = 8 * 1024  # more than secrets are long


class Segment(NamedTuple):
    """A part of a text, whether it begins in a private key, and what its outer lines have beyond it."""

    text: str
    inside: bool
    before: str = ""
    after: str = ""


class Segmenter:
    """Takes text in pieces and gives it back in segments."""

    def __init__(self, size: int = SIZE, largest: int = LARGEST) -> None:
        self._size = size
        self._largest = largest
        self._pending: list[str] = []
        self._length = 0
        self._inside = False
        self._before = ""

    def feed(self, chunk: str) -> Iterator[Segment]:
        """The segments that are complete now."""
        self._pending.append(chunk)
        self._length += len(chunk)
        if self._length <= self._size or ("\n" not in chunk and self._length < self._largest):
            return
        text = "".join(self._pending)
        start = 0
        while (cut := self._cut(text, start)) is not None:
            end, inside = cut
            in_a_line = not inside and text[end - 1] != "\n"
            after = text[end : end + OVERLAP] if in_a_line else ""
            yield Segment(text[start:end], self._inside, self._before, after)
            self._before = text[max(start, end - OVERLAP) : end] if in_a_line else ""
            start, self._inside = end, inside
        self._pending, self._length = [text[start:]], len(text) - start

    def finish(self) -> Segment:
        """The last segment."""
        segment = Segment("".join(self._pending), self._inside, self._before)
        self._pending, self._length, self._inside, self._before = [], 0, False, ""
        return segment

    def _cut(self, text: str, start: int) -> tuple[int, bool] | None:
        """Where the segment that begins at `start` ends, and whether inside a key; None if not yet known."""
        limit = start + self._largest
        newline = text.find("\n", start + self._size, limit)
        if newline >= 0:
            body = blocks.last_begin(text, start, newline + 1)
            if body is None and self._inside:
                body = start
            if body is not None:
                end = blocks.end_of_body(text[:limit], body, final=False)
                if end is None:
                    return (limit, True) if len(text) >= limit else None
                newline = text.find("\n", end, limit) if end > newline else newline
            if newline >= 0:
                if len(text) < min(limit, newline + 1 + blocks.LONGEST_TAIL):
                    return None
                newline = _after_tail(text, body or start, newline, limit)
            if newline >= 0:
                return newline + 1, False
        # Half of what was waited for: more in one piece would be judged again and again.
        return (start + max(1, self._largest // 2), False) if len(text) >= limit + OVERLAP else None


def _after_tail(text: str, start: int, newline: int, limit: int) -> int:
    """The end of this line or, where a key without its beginning goes across it, of the key's last line."""
    end = blocks.next_end(text, newline + 1, min(limit, newline + 1 + blocks.LONGEST_TAIL))
    if end is None:
        return newline
    tail = blocks.start_of_tail(text, end, start)
    return newline if tail is None or tail > newline else text.find("\n", end, limit)
