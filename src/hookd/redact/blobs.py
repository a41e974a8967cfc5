"""Encoded data in a text: images, archives, hex. No rule looks into its middle, where words are chance."""

import re

LONGEST_TOKEN = 256  # in one run of its alphabet; what is longer is data
_HEAD = 128  # of a run that stay: what names a token is at its beginning
_LEAST_LINES = 4
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _table(alphabet: bytes) -> bytes:
    return bytes(10 if byte == 10 else 97 if byte in alphabet else 32 for byte in range(256))


_RUNS = _table(_LETTERS + b"_-")
_LINES = _table(_LETTERS)
_LONG = b"a" * LONGEST_TOKEN
_LONG_LINE = b"a" * 40 + b"\n"
_NOT_RUN = re.compile(rb"[^a]")
_SHORTEST_LINE, _LONGEST_LINE = 40, 200


def is_blob(text: str) -> bool:
    """Whether a text is nothing but encoded data, too long for a token."""
    if len(text) <= LONGEST_TOKEN or not text.isascii():
        return False
    return not text.encode().translate(None, _LETTERS + b"_-=\r\n")


def without_blobs(data: bytes) -> bytes:
    """The data with the middle of every blob made one letter or, where it has lines, empty."""
    if _LONG_LINE in data.translate(_LINES):
        data = _without_lines(data)
    runs = data.translate(_RUNS)
    start = runs.find(_LONG)
    if start < 0:
        return data
    parts: list[bytes] = []
    done = 0
    while start >= 0:
        found = _NOT_RUN.search(runs, start)
        end = found.start() if found else len(runs)
        parts += (data[done : start + _HEAD], b"a" * (end - start - _HEAD))
        done = end
        start = runs.find(_LONG, end)
    return b"".join([*parts, data[done:]])


def _without_lines(data: bytes) -> bytes:
    """Lines of one length, as encoders write them: all but the first and the last are blanked."""
    lines = data.translate(_LINES)
    parts: list[bytes] = []
    done = 0
    position = lines.find(_LONG_LINE)
    while position >= 0:
        start = lines.rfind(b"\n", 0, position) + 1
        end = position + _SHORTEST_LINE
        width = end - start
        line = b"a" * width + b"\n"
        if width <= _LONGEST_LINE and lines.startswith(line, start):
            count = 1
            while lines.startswith(line, start + count * len(line)):
                count += 1
            end = start + count * len(line) - 1
            if count >= _LEAST_LINES:
                first, last = start + width, end - width
                parts += (data[done:first], b"\n" * (last - first))
                done = last
        position = lines.find(_LONG_LINE, end)
    return b"".join([*parts, data[done:]]) if parts else data
