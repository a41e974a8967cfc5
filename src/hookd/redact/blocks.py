"""Private keys: blocks of several lines, or of one line with escaped ends, whole or cut off.

A key is shown by all sorts of tools: a number, a name or a time may stand before each of its lines, a frame
after it. What tells its lines then is their width: encoders write lines of one length, the last one apart.
"""

import re
from collections.abc import Iterator

from hookd.patterns import late
from hookd.redact.kinds import compiled

TRIGGERS = [
    r"(?:BEGIN|END) [A-Z0-9 ]*(?:PRIVATE|SECRET) KEY",
    r"Private-(?:Lines|MAC):",
    r"LS0tLS1CRUdJTiB[A-Za-z0-9+/]",
]

_BEGIN = late(
    r"(?:-----|---- )?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?(?:-----| ----)?|"
    r"Private-Lines: *\d+|"
    # The same in base64, as `base64 key.pem` and manifests have it.
    r"LS0tLS1CRUdJTiB(?:(?:FQyB|E)?(?:QUklWQVRF|BSSVZBVEU)|(?:SU0E|EU0E|QR1A|FTkNSWVBURUQ)gUFJJVkFURS|PUEVOU1NIIFBSSVZBVEU)"
)
_END = late(r"-----END [A-Z0-9 ]{1,60}-----|---- END [A-Z0-9 ]{1,60} ----|Private-MAC: *[0-9a-fA-F]+")
_END_OF_KEY = late(
    r"(?:-----|---- )END (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?(?:-----| ----)|"
    r"Private-MAC: *[0-9a-fA-F]+"
)
# A line of a body: base64, a header, with the quotes, comment signs and pluses that sources have around it.
_BODY = (
    r"""[ \t"'>|#*/+,`\\rn.-]*"""
    r"""(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|x-[\w-]+):[^\n]*)?"""
    r"""[ \t\r"'+,;`\\rn.)-]*"""
)
_BASE64 = late(r"[A-Za-z0-9+/=]{16}")
# What may follow a beginning on its line: the body, its line ends escaped or gone.
_SAME_LINE = late(r"""(?:\\+[rn]|[ \t\r"'+,`]|[A-Za-z0-9+/=]|: |-(?!-))*""")
_BEFORE_END = late(r"""(?:\\+[rn]|[A-Za-z0-9+/=]){16,}[ \t"'+,`]*\Z""")
# A full line, whatever stands around it: as wide as encoders write it, and no checksum.
_FULL = late(
    r"(?<![A-Za-z0-9+/=])(?![0-9a-fA-F]+(?![A-Za-z0-9+/=]))([A-Za-z0-9+/]{40,80}={0,2})(?![A-Za-z0-9+/=])"
)
# What the last line has of the key, before the quotes or the frame that close it.
_REST = late(r"([A-Za-z0-9+/]*[A-Za-z0-9+/=])(?:\\[rn]|\x1b\[[\d;]*[A-Za-z]|[^A-Za-z0-9+/=\x1b\\])*\Z")
_RUN = late(r"([A-Za-z0-9+/]+={0,2})")
_ENCODED_LINE = late(r"[ \t>|]*([A-Za-z0-9+/]+={0,2})[ \t\r]*(?:\n|\Z)")
_LONGEST_LINE = 4096
_FURTHEST = 64 * 1024
_MOST_OTHERS = 16  # lines in a row between those of a key: another program's, or its own headers
_MOST_HEADERS = 5
LONGEST_TAIL = 16 * 1024  # of a key whose beginning is not there
_ENCODED = "LS0tLS1CRUdJTi"
_WORDS = ("PRIVATE KEY", "SECRET KEY", "Private-Lines:", _ENCODED, "Private-MAC:")


def may_be_in(text: str) -> bool:
    """Whether a text has the words of a key's first or last line."""
    return any(word in text for word in _WORDS)


def last_begin(text: str, start: int, end: int) -> int | None:
    """Where the last private key in a part of a text begins."""
    found = max(text.rfind(word, start, end) for word in _WORDS[:4])
    matches = [] if found < 0 else [*_BEGIN.finditer(text, max(start, found - 120), end)]
    return matches[-1].end() if matches else None


def next_end(text: str, start: int, end: int) -> int | None:
    """Where the first end mark of a key in a part of a text begins."""
    if all(text.find(word, start, end) < 0 for word in _WORDS):
        return None
    match = _END_OF_KEY.search(text, start, end)
    return match.start() if match else None


class _Ends:
    """The end marks of a text; where the next one is is remembered, so that a flood of keys is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._from = -1
        self._next: re.Match[str] | None = None

    def between(self, start: int, end: int) -> re.Match[str] | None:
        passed = self._next is not None and self._next.start() < start
        if self._from < 0 or start < self._from or passed:
            self._from, self._next = start, _END.search(self._text, start)
        return self._next if self._next is not None and self._next.end() <= end else None


class _Framed:
    """The lines of a key that have something beside them, one after the other."""

    def __init__(self) -> None:
        self.width = 0
        self._others = 0
        self._column = 0

    def end_in(self, line: str) -> int | None:
        """Where the key's part of the line ends; None if the line is not the key's."""
        full = _FULL.search(line)
        if full and self.width in (0, len(full[1])):
            self.width, self._column, self._others = len(full[1]), full.start(1), 0
            return full.end()
        short = self.width and not self._others and short_rest(line, self._column)
        self._others += 1
        return short.end(1) if short else None

    @property
    def is_over(self) -> bool:
        return self._others > (_MOST_OTHERS if self.width else _MOST_HEADERS)


def short_rest(line: str, column: int) -> re.Match[str] | None:
    """The last line of a key: where the others begin, or closed as only encoders do."""
    rest = _RUN.match(line, column)
    if rest is None or len(rest[1]) < 4:
        rest = _REST.search(line)
    if rest is None or len(rest[1]) < 4:
        return None
    # Not a word, which ends many a line.
    mixed = any(map(str.isdigit, rest[1])) or not (rest[1].islower() or rest[1].istitle())
    if abs(rest.start(1) - column) <= 2:
        return rest if mixed else None
    return rest if len(rest[1]) >= 8 and (rest[1][-1] == "=" or (mixed and not rest[1].isdigit())) else None


def end_of_body(text: str, position: int, *, final: bool, ends: _Ends | None = None) -> int | None:
    """Where a key ends whose body begins at `position`: at its end mark, or where lines are no body any more.

    None if that depends on text that is still to come.
    """
    ends = ends or _Ends(text)
    newline = text.find("\n", position)
    if newline < 0 and not final:
        return None
    line_end = len(text) if newline < 0 else newline
    if end := ends.between(position, min(line_end, position + _FURTHEST)):
        return end.end()
    same = _SAME_LINE.match(text, position, line_end)
    last = same.end() if same else position
    is_bare, has_bare = last == line_end, _BASE64.search(text, position, last) is not None
    if not is_bare and (has_bare or line_end - last > _LONGEST_LINE):
        return last
    framed = _Framed()
    while newline >= 0:
        start = newline + 1
        newline = text.find("\n", start)
        if newline < 0 and not final:
            return None
        line_end = len(text) if newline < 0 else newline
        end = ends.between(start, min(line_end, start + _LONGEST_LINE))
        stop = end.start() if end else line_end
        line = text[start : min(stop, start + _LONGEST_LINE + 1)]
        if len(line) > _LONGEST_LINE or "-----BEGIN" in line:
            return last
        if is_bare and _is_body(line):
            if end:
                return end.end()
            if line.strip():
                last = stop
                has_bare = has_bare or _BASE64.search(line) is not None
            continue
        if has_bare or end:
            return end.end() if end and framed.width else last
        here = framed.end_in(line)
        if here is not None:
            is_bare, last = False, start + here
        elif framed.is_over:
            return last
    return last


def _is_body(line: str) -> bool:
    # The parts of it overlap, so that not every engine would be quick.
    return compiled(_BODY).fullmatch(line.encode("latin-1", "replace")) is not None


def start_of_tail(text: str, end: int, lowest: int) -> int | None:
    """Where a key begins that is there without its first line, and whose end mark begins at `end`."""
    lowest = max(lowest, end - LONGEST_TAIL)
    line = max(text.rfind("\n", lowest, end) + 1, lowest)
    if before := _BEFORE_END.search(text, line, end):
        return before.start()
    column, found, width, others = end - line, None, 0, 0
    is_settled = False  # the line above the end mark may be a shorter one
    while line > lowest:
        above = max(text.rfind("\n", lowest, line - 1) + 1, lowest)
        words = text[above : line - 1]
        full = _FULL.search(words)
        if full and (len(full[1]) == width or (len(full[1]) > width and not is_settled)):
            is_settled, width, found = width > 0, len(full[1]), above + full.start(1)
        elif width or others > 2 or _END.search(words) or _BEGIN.search(words):
            break
        else:
            others += 1
            if found is None and (rest := short_rest(words, column)):
                found = above + rest.start(1)
        line = above
    return found


def find(text: str, inside: bool = False) -> list[tuple[int, int]]:
    """Where private keys are; with `inside` the text begins in the middle of one."""
    found = []
    position = 0
    ends = _Ends(text)
    if inside:
        position = end_of_body(text, 0, final=True, ends=ends) or 0
        if position:
            found.append((0, position))
    while match := _BEGIN.search(text, position):
        if match[0].startswith(_ENCODED):
            end = _end_of_encoded(text, match.start())
        else:
            end = end_of_body(text, match.end(), final=True, ends=ends) or match.end()
        # A beginning alone is a word in a program, not a key.
        if _BASE64.search(text, match.end(), end) or _marked(text, match.end(), end):
            found.append((match.start(), end))
        position = max(end, match.end())
    return sorted([*found, *_tails(text, found)])


def _end_of_encoded(text: str, start: int) -> int:
    """Where a key ends that is encoded once more, on one line or on lines of one width."""
    line = _ENCODED_LINE.match(text, start)
    if line is None:  # something comes after it on its line
        run = _RUN.match(text, start)
        return run.end() if run else start
    width = len(line[1])
    while (below := _ENCODED_LINE.match(text, line.end())) and len(line[1]) == width >= len(below[1]):
        line = below
    return line.end(1)


def _tails(text: str, found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The keys whose first line is not there."""
    lowest, place = 0, 0
    for match in _END_OF_KEY.finditer(text):
        while place < len(found) and found[place][0] < match.start():
            lowest, place = max(lowest, found[place][1]), place + 1
        if match.start() >= lowest:
            start = start_of_tail(text, match.start(), lowest)
            if start is not None:
                yield start, match.end()
        lowest = max(lowest, match.end())


def _marked(text: str, start: int, end: int) -> bool:
    """Whether a block has both ends and something between them."""
    closing = _END.search(text, start, end)
    return closing is not None and bool(text[start : closing.start()].strip(" \t\r\n\"'\\+,"))
