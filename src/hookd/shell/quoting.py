"""The shell's ways to write a text: backslashes, $'...', braces, and the formats of printf and echo -e."""

from __future__ import annotations

import re
from itertools import pairwise

from hookd.patterns import late

_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_DOUBLE = late(r'\\([$`"\\\n])', re.DOTALL)
_HEREDOC = late(r"\\([$`\\\n])", re.DOTALL)
_BACKTICK = late(r"\\([$`\\])", re.DOTALL)
_ANSI = late(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_FORMAT = late(r"%(?:[-+ #0]*\d*(?:\.\d+)?([a-zA-Z%])|\(([^)]*)\)T)")
NUL = "\ufffd"
"""What stands for a zero byte in a known text."""
MAX_EXPANSION = 64
"""How many words a brace list may become before the rest is left as it is written."""


def double_quoted(text: str) -> str:
    """The value of text that stood between double quotes."""
    return _DOUBLE.sub(_kept, text) if "\\" in text else text


def here_document(text: str) -> str:
    """The value of a here-document's text whose delimiter was not quoted."""
    return _HEREDOC.sub(_kept, text) if "\\" in text else text


def backticked(text: str) -> str:
    """The code that stood between backticks."""
    return _BACKTICK.sub(r"\1", text) if "\\" in text else text


def _kept(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def ansi_c(text: str) -> str:
    """The value of text that stood in $'...', or was given to echo -e or printf."""
    return _ANSI.sub(_ansi, text) if "\\" in text else text


def _ansi(match: re.Match[str]) -> str:
    for number, base in ((match[1], 16), (match[2], 16), (match[3], 16), (match[4], 8)):
        if number:
            code = int(number, base)
            return chr(code) if 0 < code < 0x110000 else NUL
    if match[5]:
        return chr(ord(match[5]) & 0x1F or 1)
    return _ESCAPES.get(match[6], match[0])


def printf(template: str, values: list[str]) -> str:
    """What printf would print."""
    parts: list[str] = []
    rest = list(values)
    for _ in range(MAX_EXPANSION):
        before = len(rest)
        parts.append(ansi_c(_FORMAT.sub(lambda match: _formatted(match, rest), template)))
        if not rest or len(rest) == before:
            break
    return "".join(parts)


def _formatted(match: re.Match[str], values: list[str]) -> str:
    letter = match[1]
    if letter == "%":
        return "%"
    value = values.pop(0) if values else ""
    if letter == "b":
        return ansi_c(value)
    if letter in ("s", "q", None):
        return value.replace("\\", "\\\\")
    if letter == "c":
        return value[:1]
    try:
        number = int(value or "0", 0)
    except ValueError:
        return value
    spec = match[0]
    try:
        return spec % number if letter in "dixXo" else value
    except (ValueError, OverflowError):
        return value


def braces(chars: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Brace lists expanded in (character, kind) pairs; only characters of kind "L" can be braces."""
    done: list[list[tuple[str, str]]] = []
    waiting = [chars]
    while waiting:
        current = waiting.pop()
        found = _first_brace(current) if len(done) + len(waiting) <= MAX_EXPANSION else None
        if found is None:
            done.append(current)
            continue
        start, end, items = found
        waiting.extend(current[:start] + item + current[end + 1 :] for item in reversed(items))
    return done


def _first_brace(chars: list[tuple[str, str]]) -> tuple[int, int, list[list[tuple[str, str]]]] | None:
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[list[tuple[str, str]]]] | None = None
    for index, (char, kind) in enumerate(chars):
        if kind != "L":
            continue
        if char == "{":
            opened.append((index, []))
        elif char == "," and opened:
            opened[-1][1].append(index)
        elif char == "}" and opened:
            start, commas = opened.pop()
            items = _items(chars, start, index, commas)
            if items and (best is None or start < best[0]):
                best = (start, index, items)
            if best and not opened:
                break
    return best


def _items(
    chars: list[tuple[str, str]], start: int, end: int, commas: list[int]
) -> list[list[tuple[str, str]]]:
    if commas:
        edges = [start, *commas, end]
        return [chars[a + 1 : b] for a, b in pairwise(edges)]
    inner = "".join(char for char, _ in chars[start + 1 : end])
    bounds = inner.split("..")
    if len(bounds) not in (2, 3) or not all(bounds):
        return []
    return [[(char, "Q") for char in item] for item in _sequence(bounds)]


def _sequence(bounds: list[str]) -> list[str]:
    try:
        step = abs(int(bounds[2])) or 1 if len(bounds) == 3 else 1
        first, last = int(bounds[0]), int(bounds[1])
        letters = False
    except ValueError:
        if len(bounds) != 2 or len(bounds[0]) != 1 or len(bounds[1]) != 1:
            return []
        first, last, step, letters = ord(bounds[0]), ord(bounds[1]), 1, True
    if abs(last - first) // step >= MAX_EXPANSION:
        return []
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [chr(number) if letters else str(number) for number in numbers]
