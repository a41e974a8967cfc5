"""Cutting text where no rule looks across, so that a stream and a whole text are treated alike.

Rules look at one line at a time, private keys apart; so a segment ends with a line, outside a key. Where to cut is
decided by the text alone, never by how it arrived.
"""

from collections.abc import Iterator

from hookd.redact import blocks

SIZE = 32 * 1024
LARGEST = 256 * 1024


class Segmenter:
    """Takes text in pieces and gives it back in segments."""

    def __init__(self, size: int = SIZE, largest: int = LARGEST) -> None:
        self._size = size
        self._largest = largest
        self._pending: list[str] = []
        self._length = 0

    def feed(self, chunk: str) -> Iterator[str]:
        self._pending.append(chunk)
        self._length += len(chunk)
        if self._length <= self._size:
            return
        text = "".join(self._pending)
        start = 0
        while (cut := self._cut(text, start)) is not None:
            yield text[start:cut]
            start = cut
        self._pending, self._length = [text[start:]], len(text) - start

    def finish(self) -> str:
        text = "".join(self._pending)
        self._pending, self._length = [], 0
        return text

    def _cut(self, text: str, start: int) -> int | None:
        """Where the segment that begins at `start` ends, None while that is open."""
        limit = start + self._largest
        newline = text.find("\n", start + self._size, limit)
        if newline >= 0:
            if (begin := blocks.last_begin(text, start, newline + 1)) is not None:
                end = blocks.end_of_block(text, begin, limit)
                if end is None:  # it may go on in what has not arrived yet
                    return limit if len(text) >= limit else None
                newline = text.find("\n", max(end, newline), limit) if end > newline else newline
            if newline >= 0:
                return newline + 1
        if len(text) < limit:
            return None
        blank = text.find(" ", start + self._size, limit)
        return blank + 1 if blank >= 0 else limit
