"""Cutting text where no rule looks across, so that a stream and a whole text are treated alike.

Rules look at a line and the one before, private keys apart; so a segment ends with a line, outside a key.
Where to cut is decided by the text alone, never by how it arrived.
"""

from collections.abc import Iterator
from typing import NamedTuple

from hookd.redact import blocks

SIZE = 32 * 1024
LARGEST = 256 * 1024


class Segment(NamedTuple):
    """A part of a text, and whether it begins inside a private key."""

    text: str
    inside: bool


class Segmenter:
    """Takes text in pieces and gives it back in segments."""

    def __init__(self, size: int = SIZE, largest: int = LARGEST) -> None:
        self._size = size
        self._largest = largest
        self._pending: list[str] = []
        self._length = 0
        self._inside = False

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
            yield Segment(text[start:end], self._inside)
            start, self._inside = end, inside
        self._pending, self._length = [text[start:]], len(text) - start

    def finish(self) -> Segment:
        """The last segment."""
        segment = Segment("".join(self._pending), self._inside)
        self._pending, self._length, self._inside = [], 0, False
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
                return newline + 1, False
        if len(text) < limit:
            return None
        blank = text.find(" ", start + self._size, limit)
        return (blank + 1 if blank >= 0 else limit), False
