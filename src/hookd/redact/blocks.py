"""Private keys: blocks of several lines, or one line with escaped ones."""

import re

TRIGGERS = [r"BEGIN [A-Z0-9 ]*(?:PRIVATE|SECRET)", r"Private-Lines:"]

_BEGIN = re.compile(
    r"(?:-----|---- )?BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?(?:-----| ----)?|Private-Lines: *\d+"
)
_END = re.compile(r"-----END [A-Z0-9 ]{1,60}-----|---- END [A-Z0-9 ]{1,60} ----|Private-MAC: *[0-9a-fA-F]+")
# A line of a body: base64, headers such as `Proc-Type:`, with the quotes, comment signs and pluses of sources.
_BODY = re.compile(
    r"""[ \t"'>|#*/+,`\\rn.-]*"""
    r"""(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Encryption|x-[\w-]+):[^\n]*|"""
    r"""[A-Za-z0-9+/=]{0,76})?"""
    r"""[ \t"'+,;`\\rn.)]*"""
)
# What may follow a beginning on its own line: the body, its line ends escaped or gone.
_SAME_LINE = re.compile(
    r"""[ \t"'+,`]*(?:(?:\\+[rn]|\s)*[A-Za-z0-9+/=]{4,}(?:: [^\\\n]{0,80})?)*(?:\\+[rn]|[ \t"'+,`])*"""
)
_LONGEST_LINE = 4096


def last_begin(text: str, start: int, end: int) -> int | None:
    """Where the last private key in a part of a text begins."""
    found = max(
        text.rfind("PRIVATE KEY", start, end),
        text.rfind("SECRET KEY", start, end),
        text.rfind("Private-Lines:", start, end),
    )
    if found < 0:
        return None
    last = None
    for match in _BEGIN.finditer(text, max(start, found - 120), end):
        last = match.start()
    return last


def end_of_block(text: str, begin: int, limit: int) -> int | None:
    """Where the key that begins there ends: after its last line, or where lines are no body any more.

    None if the text ends before that is known.
    """
    match = _BEGIN.match(text, begin)
    assert match is not None
    position = match.end()
    newline = text.find("\n", position)
    line_end = len(text) if newline < 0 else newline
    end = _END.search(text, position, min(line_end, position + 64 * 1024))
    if end:
        return end.end()
    same = _SAME_LINE.match(text, position, min(line_end, limit))
    position = same.end() if same else position
    if position < line_end:
        return position
    last = position
    while newline >= 0 and newline < limit:
        line_start = newline + 1
        newline = text.find("\n", line_start)
        line_end = len(text) if newline < 0 else newline
        end = _END.search(text, line_start, min(line_end, line_start + _LONGEST_LINE))
        if end:
            return end.end()
        if line_end - line_start > _LONGEST_LINE or not _BODY.fullmatch(text, line_start, line_end):
            return last
        if text[line_start:line_end].strip():
            last = line_end
    return last if newline >= 0 else None


def find(text: str) -> list[tuple[int, int]]:
    """Where private keys are, whole or cut off."""
    found = []
    position = 0
    while match := _BEGIN.search(text, position):
        end = end_of_block(text, match.start(), len(text))
        if end is None:
            end = len(text.rstrip())
        position = max(end, match.end())
        found.append((match.start(), position))
    return found
