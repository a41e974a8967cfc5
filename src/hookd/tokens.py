"""How many tokens a text takes: more than it really does, whichever model reads it.

Every model cuts texts in its own way and few tell how, so this goes by what all of them have in common.
docs/memory.md says what it was compared with.
"""

import re

from hookd.patterns import late

_PIECE = late(r"[A-Za-z]+|[0-9]+|\s+|.", re.DOTALL)
_PART = late(r"[A-Z]?[a-z]+|[A-Z]+")


def tokens_of(text: str) -> int:
    """An estimate that is seldom exceeded."""
    return 1 + sum(_cost(piece) for piece in _PIECE.findall(text))


def _cost(piece: str) -> int:
    first = piece[0]
    if not first.isascii():
        return _foreign(ord(first))
    if first.isalpha():
        return sum(map(_letters, _PART.findall(piece)))
    if first.isdigit():
        return len(piece)
    if first.isspace():
        return 0 if piece == " " else 1 + piece.count("\n")
    return 1


def _letters(part: str) -> int:
    """Common words are a piece or two; long ones and capitals are cut more finely."""
    length = len(part)
    if length > 1 and part.isupper():
        return (length + 1) // 2
    return (length + 3) // 4 if length <= 8 else 2 + (length - 6) // 3


def _foreign(point: int) -> int:
    """By how common the script is: in the worst case a token is one byte."""
    if point < 0x250:  # Latin with marks
        return 1
    if point < 0x800 or 0x3040 <= point < 0xA000:  # alphabets; kana and Han
        return 2
    return 3 if point <= 0xFFFF else 4
