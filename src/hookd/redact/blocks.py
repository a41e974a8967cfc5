"""Private keys: blocks of several lines, or of one line with escaped ends, whole or cut off."""

from functools import cache
from typing import Any

from hookd.redact.checks import Lazy
from hookd.redact.kinds import compiled

TRIGGERS = [r"BEGIN [A-Z0-9 ]*(?:PRIVATE|SECRET) KEY", r"Private-Lines:"]

_BEGIN = Lazy(
    r"(?:-----|---- )?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?(?:-----| ----)?|"
    r"Private-Lines: *\d+"
)
_END = Lazy(r"-----END [A-Z0-9 ]{1,60}-----|---- END [A-Z0-9 ]{1,60} ----|Private-MAC: *[0-9a-fA-F]+")
# A line of a body: base64, a header, with the quotes, comment signs and pluses that sources have around it.
_BODY = (
    r"""[ \t"'>|#*/+,`\\rn.-]*"""
    r"""(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|x-[\w-]+):[^\n]*)?"""
    r"""[ \t\r"'+,;`\\rn.)-]*"""
)
_BASE64 = Lazy(r"[A-Za-z0-9+/=]{16}")
# What may follow a beginning on its line: the body, its line ends escaped or gone.
_SAME_LINE = Lazy(r"""(?:\\+[rn]|[ \t\r"'+,`]|[A-Za-z0-9+/=]|: |-(?!-))*""")
_LONGEST_LINE = 4096
_FURTHEST = 64 * 1024


def last_begin(text: str, start: int, end: int) -> int | None:
    """Where the last private key in a part of a text begins."""
    words = ("PRIVATE KEY", "SECRET KEY", "Private-Lines:")
    found = max(text.rfind(word, start, end) for word in words)
    matches = [] if found < 0 else [*_BEGIN.finditer(text, max(start, found - 120), end)]
    return matches[-1].end() if matches else None


def end_of_body(text: str, position: int, *, final: bool) -> int | None:
    """Where a key ends whose body begins at `position`: at its end mark, or where lines are no body any more.

    None if that depends on text that is still to come.
    """
    newline = text.find("\n", position)
    if newline < 0 and not final:
        return None
    line_end = len(text) if newline < 0 else newline
    if end := _END.search(text, position, min(line_end, position + _FURTHEST)):
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
        end = _END.search(text, start, min(line_end, start + _LONGEST_LINE))
        stop = end.start() if end else line_end
        if stop - start > _LONGEST_LINE or not _is_body(text[start:stop]):
            return last
        if end:
            return end.end()
        if text[start:stop].strip():
            last = stop
    return last


@cache
def _body() -> Any:
    return compiled(_BODY)  # the parts of it overlap, so that not every engine would be quick


def _is_body(line: str) -> bool:
    return _body().fullmatch(line.encode("latin-1", "replace")) is not None


def find(text: str, inside: bool = False) -> list[tuple[int, int]]:
    """Where private keys are; with `inside` the text begins in the middle of one."""
    found = []
    position = 0
    if inside:
        position = end_of_body(text, 0, final=True) or 0
        if position:
            found.append((0, position))
    while match := _BEGIN.search(text, position):
        end = end_of_body(text, match.end(), final=True) or match.end()
        # A beginning alone is a word in a program, not a key.
        if _BASE64.search(text, match.end(), end) or _marked(text, match.end(), end):
            found.append((match.start(), end))
        position = max(end, match.end())
    return found


def _marked(text: str, start: int, end: int) -> bool:
    """Whether a block has both ends and something between them."""
    closing = _END.search(text, start, end)
    return closing is not None and bool(text[start : closing.start()].strip(" \t\r\n\"'\\+,"))
