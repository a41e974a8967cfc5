"""Brings look-alike spellings of a text to one form, so that patterns need to know only that one.

Folding works character by character: what a pattern finds in the folded text can always be traced back.
"""

import re
import unicodedata

# Letters of other scripts that look like Latin ones; the rest is what Unicode's compatibility forms give.
_LOOKALIKES = str.maketrans(
    "авеѕіјкмнорстухԁԛԝһνοαερτικυχηωѵɡɩɑıłđøæ‘’‛′ʼ“”„‟″‐‑‒–—−。।۔、，؟",  # noqa: RUF001 - the point
    "abesijkmhopctyxdqwhvoaeptikuxnwvgiaildoa'''''" + '"""""------...,,?',
)
_OTHERS = re.compile(r"[^\x00-\x7f]+")
_LEET = str.maketrans("0134578@$!|l", "oieastbasiii")


class _Table(dict[int, str]):
    """How one character folds, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = _fold_one(chr(code))
        if len(self) < 50_000:
            self[code] = folded
        return folded


def _fold_one(char: str) -> str:
    if char.isascii():
        return char.lower()
    if unicodedata.category(char) in ("Cf", "Mn", "Me"):  # zero-width, bidi, tags, accents
        return ""
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", char).casefold())
    plain = unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))
    plain = plain.translate(_LOOKALIKES)
    return plain if plain.isascii() or plain.isalnum() else " "


_TABLE = _Table()


def fold(text: str) -> str:
    """Lower case without accents or invisible characters, look-alikes as Latin, ASCII between words."""
    if text.isascii():
        return text.lower()
    return _OTHERS.sub(lambda run: run[0].translate(_TABLE), text).lower()


def origins(text: str) -> list[int]:
    """For each character of `fold(text)`, and for its end, the index in `text` that it came from."""
    found: list[int] = []
    for index, char in enumerate(text):
        width = 1 if char.isascii() else len(_TABLE[ord(char)].lower())
        found.extend([index] * width)
    found.append(len(text))
    return found


def letters(text: str) -> str:
    """Only letters, with digits read as the letters they stand for, and `l` and `1` both as `i`."""
    return "".join(c for c in fold(text).translate(_LEET) if c.isalpha())
