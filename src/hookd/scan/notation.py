"""The notation that signals are written in, and its two readings.

A space stands for whatever may separate two words, `~` for that with up to four words in it, `{NAME}` for a
list of words. Read plainly it gives a pattern for folded text; read compactly, one for the letters of a text.
"""

import re
from collections.abc import Mapping

from hookd.scan.normalize import fold

_BETWEEN = r"""(?:[\s,_*"'`>#/|-]+)"""  # what stands between words of one sentence, also across lines
_SOME_WORDS = rf"{_BETWEEN}(?:\w+{_BETWEEN}){{0,4}}"


def plain(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern for folded text."""
    spaced = re.sub(" ?~", lambda _: _SOME_WORDS, fold(_expand(pattern, words)))
    return spaced.replace(" ", _BETWEEN)


def compact(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern for what `folding.letters` leaves of a text."""
    bare = fold(_expand(pattern, words)).replace(r"\b", "").replace("~", "[a-z]{0,24}").replace(" ?", "")
    bare = re.sub(r" |-\??|'", "", bare)
    return re.sub(r"(?<!\\)l", "i", bare)


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda name: words[name[1]], pattern)
