"""Private keys: blocks of several lines, or of one line with escaped ends, whole or cut off."""

import re

from hookd.patterns import late
from hookd.redact.kinds import compiled

TRIGGERS = [r"BEGIN [A-Z0-9 ]*(?:PRIVATE|SECRET) KEY", r"Private-Lines:"]

_BEGIN = late(
    r"(?:-----|---- )?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?(?:-----| ----)?|"
    r"Private-Lines: *\d+"
)
_END = late(r"-----END [A-Z0-9 ]{1,60}-----|---- END [A-Z0-9 ]{1,60} ----|Private-MAC: *[0-9a-fA-F]+")
# A line of a body: base64, a header, with the quotes, comment signs and pluses that sources have around it.
_BODY = (
    r"""[ \t"'>|#*/+,`\\rn.-]*"""
    r"""(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|x-[\w-]+):[^\n]*)?"""
    r"""[ \t\r"'+,;`\\rn.)-]*"""
)
_BASE64 = late(r"[A-Za-z0-9+/=]{16}")
# What may follow a beginning on its line: the body, its line ends escaped or gone.
_SAME_LINE = late(r"""(?:\\+[rn]|[ \t\r"'+,`]|[A-Za-z0-9+/=]|: |-(?!-))*""")
_LONGEST_LINE = 4096
_FURTHEST = 64 * 1024
_WORDS = ("PRIVATE KEY", "SECRET KEY", "Private-Lines:")


def may_be_in(text: str) -> bool:
    """Whether a text has the words of a key's first line."""
    return any(word in text for word in _WORDS)


def last_begin(text: str, start: int, end: int) -> int | None:
    """Where the last private key in a part of a text begins."""
    found = max(text.rfind(word, start, end) for word in _WORDS)
    matches = [] if found < 0 else [*_BEGIN.finditer(text, max(start, found - 120), end)]
    return matches[-1].end() if matches else None


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
    if last < line_end:
        return last
    while newline >= 0:
        start = newline + 1
        newline = text.find("\n", start)
        if newline < 0 and not final:
            return None
        line_end = len(text) if newline < 0 else newline
        end = ends.between(start, min(line_end, start + _LONGEST_LINE))
        stop = end.start() if end else line_end
        if stop - start > _LONGEST_LINE or not _is_body(text[start:stop]):
            return last
        if end:
            return end.end()
        if text[start:stop].strip():
            last = stop
    return last


def _is_body(line: str) -> bool:
    if "-----BEGIN" in line:
        return False
    # The parts of it overlap, so that not every engine would be quick.
    return compiled(_BODY).fullmatch(line.encode("latin-1", "replace")) is not None


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
        end = end_of_body(text, match.end(), final=True, ends=ends) or match.end()
        # A beginning alone is a word in a program, not a key.
        if _BASE64.search(text, match.end(), end) or _marked(text, match.end(), end):
            found.append((match.start(), end))
        position = max(end, match.end())
    return found


def _marked(text: str, start: int, end: int) -> bool:
    """Whether a block has both ends and something between them."""
    closing = _END.search(text, start, end)
    return closing is not None and bool(text[start : closing.start()].strip(" \t\r\n\"'\\+,"))
