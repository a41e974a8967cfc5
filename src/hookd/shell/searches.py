"""The names that a search yields, and how they are put into the command that is run for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from hookd.shell.model import UNKNOWN, Word
from hookd.shell.programs import names

ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
"""What a command for the names found stands behind."""


def searched(args: Sequence[Word]) -> list[Word]:
    """The folders that a search begins in."""
    named = [word for word in args if word.text not in ("-L", "-H", "-P")]
    return list(takewhile(lambda word: word.text[:1] not in ("-", "(", "!"), named))


def found(args: Sequence[Word]) -> list[Word]:
    """The names that a search yields, as far as they are known."""
    named = _only_names(args)
    return [
        Word(f"{root.text.rstrip('/')}/{UNKNOWN}{name}", False, root.raw, False, root.sources)
        for root in searched(args)[:4]
        for name in named
    ] or [Word(UNKNOWN + name, False) for name in named]


def _only_names(args: Sequence[Word]) -> list[str]:
    """The names that all that is found has, where -name gives them and nothing else widens the search."""
    texts = [word.text for word in args]
    asked = [args[at + 1] for at, text in enumerate(texts[:-1]) if text in _BY_NAME]
    narrow = len(asked) == 1 and texts.count("-name") == 1 and _WIDENING.isdisjoint(texts)
    if asked and (narrow or finds_leavings(args)) and all(w.known and "/" not in w.text for w in asked):
        return [f"/{word.text}" for word in asked[:8]]
    return [""]


_WIDENING = frozenset({"-o", "-or", "!", "-not", ","})
_BY_NAME = frozenset({"-name", "-iname"})
_LEAVINGS = names("leavings")


def finds_leavings(args: Sequence[Word]) -> bool:
    """Whether a search can only come upon what tools and editors leave behind, or upon empty folders."""
    texts = [word.text for word in args]
    if not {"!", "-not", ","}.isdisjoint(texts):
        return False
    asked = [args[at + 1] for at, text in enumerate(texts[:-1]) if text in _BY_NAME]
    if not asked:
        return "-empty" in texts and {"-o", "-or"}.isdisjoint(texts)
    alternatives = sum(text in ("-o", "-or") for text in texts)
    return alternatives < len(asked) and all(word.known and word.text in _LEAVINGS for word in asked)


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
