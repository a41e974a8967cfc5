"""The names that a search yields, and how they are put into the command that is run for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from hookd.shell.model import UNKNOWN, Word

ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
"""What a command for the names found stands behind."""


def searched(args: Sequence[Word]) -> list[Word]:
    """The folders that a search begins in."""
    named = [word for word in args if word.text not in ("-L", "-H", "-P")]
    return list(takewhile(lambda word: word.text[:1] not in ("-", "(", "!"), named))


def found(args: Sequence[Word]) -> list[Word]:
    """The names that a search yields, as far as they are known."""
    named = _only_name(args)
    return [
        Word(f"{root.text.rstrip('/')}/{UNKNOWN}{named}", False, root.raw, False, root.sources)
        for root in searched(args)[:4]
    ] or [Word(UNKNOWN + named, False)]


def _only_name(args: Sequence[Word]) -> str:
    """The name that everything found has, where -name gives one and nothing else widens the search."""
    texts = [word.text for word in args]
    if texts.count("-name") != 1 or not _WIDENING.isdisjoint(texts):
        return ""
    name = args[texts.index("-name") + 1 :][:1]
    return f"/{name[0].text}" if name and name[0].known and "/" not in name[0].text else ""


_WIDENING = frozenset({"-o", "-or", "!", "-not", ","})


def filled(words: Sequence[Word], marker: str | None, given: Sequence[Word]) -> list[Word]:
    """words with the marker replaced by what is given, or with it at their end."""
    if marker is None:
        return [*words, *given]
    result: list[Word] = []
    for word in words:
        if marker not in word.text:
            result.append(word)
            continue
        for item in given:
            text = word.text.replace(marker, item.text)
            result.append(Word(text, UNKNOWN not in text, word.raw, word.glob, item.sources))
    return result
