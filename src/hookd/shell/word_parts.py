"""The pieces of a word put together, to one or to several; and what ${name#pattern} makes of a value."""

from __future__ import annotations

import fnmatch
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from hookd.patterns import late
from hookd.shell import quoting
from hookd.shell.model import UNKNOWN, Word

if TYPE_CHECKING:
    from hookd.shell.state import Scope

# A word under construction is a list of (kind, text):
#   L literal, Q quoted, X expanded without quotes (blanks split it), U unknown, B the border of two words
Pieces = list[tuple[str, str]]
Sources = tuple[int, ...]

BLANKS = " \t\n"
"""What parts the words of a value, unless the line sets an IFS of its own."""
GLOB = late(r"[*?\[]")
MAX_WORD = 200_000
"""A value that grows beyond this is given up as unknown."""
MAX_RAW = 1_000
MAX_BRACES = 1_000
"""A word longer than this is not looked at for brace lists."""


def joined(pieces: Pieces, raw: str, home: str, sources: Sources) -> Word:
    """One word, not split."""
    _expand_tilde(pieces, home)
    if sum(len(text) for _, text in pieces) > MAX_WORD:
        return Word(UNKNOWN, False, raw[:MAX_RAW], False, sources)
    text = "".join(text for _, text in pieces)
    glob = any(kind in "LX" and GLOB.search(part) for kind, part in pieces)
    return Word(text, UNKNOWN not in text, raw, glob, sources)


def fields(pieces: Pieces, raw: str, scope: Scope, sources: Sources) -> list[Word]:
    """The words that brace lists and the blanks in unquoted values make of it."""
    home, blanks = scope.home, scope.separators
    if sum(len(text) for _, text in pieces) > MAX_WORD:
        return [Word(UNKNOWN, False, raw[:MAX_RAW], False, sources)]
    if len(raw) < MAX_BRACES and any(kind == "L" and "{" in text for kind, text in pieces):
        literal = "".join(text for kind, text in pieces if kind == "L")
        if "," in literal or ".." in literal:
            variants = quoting.braces([(char, kind) for kind, text in pieces for char in text])
            if len(variants) > 1:
                each = (_split(_runs(variant), raw, home, sources, blanks) for variant in variants)
                return [word for words in each for word in words]
    return _split(pieces, raw, home, sources, blanks)


def _split(pieces: Pieces, raw: str, home: str, sources: Sources, blanks: str) -> list[Word]:
    _expand_tilde(pieces, home)
    words: list[Word] = []
    current = ""
    begun = glob = False

    def finish() -> None:
        nonlocal current, begun, glob
        if begun:
            words.append(Word(current, UNKNOWN not in current, raw, glob, sources))
        current, begun, glob = "", False, False

    for kind, text in pieces:
        if kind == "B":
            finish()
        elif kind == "X":
            if text[:1] and text[0] in blanks:
                finish()
            parts = split_at(text, blanks)
            for number, part in enumerate(parts):
                if number:
                    finish()
                current, begun = current + part, True
                glob = glob or bool(GLOB.search(part))
            if parts and text[-1] in blanks:
                finish()
        else:
            current, begun = current + text, True
            if kind == "L":
                glob = glob or bool(GLOB.search(text))
    finish()
    return words


def split_at(text: str, blanks: str) -> list[str]:
    """The parts of a text between the characters of an IFS."""
    if blanks == BLANKS:
        return text.split()
    return [part for part in text.translate(dict.fromkeys(map(ord, blanks), "\0")).split("\0") if part]


def _expand_tilde(pieces: Pieces, home: str) -> None:
    if pieces and pieces[0][0] == "L":
        text = pieces[0][1]
        if text.startswith("~/") or (text == "~" and len(pieces) == 1):
            pieces[0] = ("L", home + text[1:])


def _runs(chars: list[tuple[str, str]]) -> Pieces:
    return [(kind, "".join(char for char, _ in run)) for kind, run in groupby(chars, itemgetter(1))]


def transformed(value: str, operator: str, operand: str) -> str | None:
    """${value<operator>operand} where the operand is written plainly."""
    if "$" in operand or "`" in operand:
        return None
    if operator == ":":
        numbers = operand.replace(" ", "").split(":")
        try:
            start = int(numbers[0] or "0")
            stop = int(numbers[1]) if len(numbers) > 1 else None
        except ValueError:
            return None
        part = value[start:]
        return part if stop is None else part[:stop]
    if operator in ("^^", "^", ",,", ","):
        if operand:
            return None
        return {"^^": value.upper(), ",,": value.lower()}.get(
            operator, (value[:1].upper() if operator == "^" else value[:1].lower()) + value[1:]
        )
    if operator in ("/", "//") and len(value) < 4096:
        pattern, _, replacement = operand.partition("/")
        if GLOB.search(pattern) or "\\" in pattern or not pattern:
            return None
        return value.replace(pattern, replacement, 1 if operator == "/" else -1)
    if operator in ("#", "##", "%", "%%") and len(value) < 256 and "\\" not in operand:
        return _trimmed(value, operator, operand.strip("'\""))
    return None


def _trimmed(value: str, operator: str, pattern: str) -> str:
    lengths = range(len(value) + 1) if len(operator) == 1 else range(len(value), -1, -1)
    for length in lengths:
        part = value[:length] if operator[0] == "#" else value[len(value) - length :]
        if fnmatch.fnmatchcase(part, pattern):
            return value[length:] if operator[0] == "#" else value[: len(value) - length]
    return value
