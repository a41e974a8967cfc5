"""Passages that do not say openly what they say: encoded, spelled apart, mirrored or invisible.

Each decoder is tried only where a cheap hint matches, and all of them together decode a bounded amount.
"""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

import re2

_MOST_PASSAGES = 512
_LONGEST = 8_192
_BLOCK = 4_096
_SIGN = 64  # longer than any sign


class Passage(NamedTuple):
    """What a stretch of text says once it is made readable."""

    kind: str
    start: int
    end: int
    text: str
    spelled_apart: bool  # only the letters can be trusted: word boundaries are gone or false


def _base64(run: str) -> str:
    run = run.replace("-", "+").replace("_", "/")
    try:
        return _printable(base64.b64decode(run[: len(run) // 4 * 4] if "=" not in run else run))
    except (binascii.Error, ValueError):
        return ""


def _hex(run: str) -> str:
    digits = re.sub(r"[^0-9a-fA-F]|0x", "", run)
    return _printable(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _printable(data: bytes) -> str:
    """The text in these bytes, or nothing if it is not text that a person wrote."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    words = sum(c.isalpha() or c == " " for c in text)
    return text if text.isprintable() or words > 0.7 * len(text) else ""


def _escapes(run: str) -> str:
    return re.sub(r"\\(?:u|x)([0-9a-fA-F]{4}|[0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), run)


def _tags(run: str) -> str:
    return "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)


def _selectors(run: str) -> str:
    """Bytes written as variation selectors, a way of hiding text behind one visible character."""
    data = bytes(ord(c) - 0xFE00 if ord(c) < 0xFF00 else ord(c) - 0xE0100 + 16 for c in run)
    return _printable(data)


def _unhexlike(run: str) -> str:
    """Spelled-apart letters, unless they are the digits of a number or a hash."""
    return run if re.search(r"[g-zG-Z]", run) else ""


class _Hint(NamedTuple):
    kind: str
    sign: str  # cheap to look for; the pattern is tried only where it is found
    pattern: str
    decode: Callable[[str], str]
    spelled_apart: bool = False
    whole_line: bool = False  # the pattern finds a few words; the rest of their line says the same way


_LINE = 400  # how much of a line on either side belongs to a passage that is told by a few of its words
_ROTATED = r"(?i:\b(?:vtaber|qvfertneq|sbetrg|vafgehpgvbaf?|cebzcg|flfgrz|nffvfgnag|birevqr)\b)"
_MIRRORED = r"(?i:\b(?:erongi|dragersid|tegrof|snoitcurtsni|tpmorp|metsys|tnatsissa|edirrevo)\b)"
_MIXED = r"[A-Za-z]*(?:[A-Za-z][0-9@$]|[0-9@$][A-Za-z])[A-Za-z0-9@$]*"  # a word with digits for letters
_GAP = r"\b[\s!-/:-@]{1,3}(?:[A-Za-z]{1,9}[\s!-/:-@]{1,3})?"
_CHUNKS = "|".join(rf"(?:\b[A-Za-z0-9]{{{n}}} ){{8,}}[A-Za-z0-9]{{0,{n}}}" for n in (3, 4, 5))
_INVISIBLE = r"[\x{E0100}-\x{E01EF}\x{FE00}-\x{FE0F}]"
_HINTS = (
    _Hint("encoded", "[A-Za-z0-9+/]{20}", r"[A-Za-z0-9+/]{20,}={0,2}", _base64),
    _Hint("encoded", "%[0-9A-Fa-f]{2}", r"(?:%[0-9A-Fa-f]{2}[\w.,:;!?@/-]{0,24}){4,}", unquote),
    _Hint("encoded", "&#", r"(?:&#(?:x[0-9A-Fa-f]{1,6}|[0-9]{2,6});[\w ]{0,2}){5,}", html.unescape),
    _Hint(
        "encoded",
        r"\\[ux][0-9A-Fa-f]{2}",
        r"(?:\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})){5,}[^\n]{0,60}",
        _escapes,
    ),
    _Hint(
        "encoded",
        "[0-9A-Fa-f]{2}[ :,][0-9A-Fa-f]{2}[ :,]",
        r"(?:\b(?:0x)?[0-9A-Fa-f]{2}[ :,]{0,2}){16,}",
        _hex,
    ),
    _Hint("encoded", "[0-9A-Fa-f]{32}", "[0-9A-Fa-f]{32,}", _hex),
    _Hint("encoded", _ROTATED, _ROTATED, lambda run: codecs.encode(run, "rot13"), whole_line=True),
    _Hint("encoded", _MIRRORED, _MIRRORED, lambda run: run[::-1], whole_line=True),
    _Hint(
        "spelled-apart",
        r"\b(?:\w[ ._*|/-]{1,2}){5}",
        r"(?:\b[\pL\pN@$<!-][ ._*|/-]{1,3}){8,}[\pL\pN]?",
        str,
        True,
    ),
    _Hint("spelled-apart", "[A-Za-z0-9]{32}", "[A-Za-z0-9]{32,}", _unhexlike, True),
    _Hint("spelled-apart", _CHUNKS.replace("{8,}", "{5}"), _CHUNKS, _unhexlike, True),
    _Hint(
        "spelled-apart",
        rf"\b{_MIXED}{_GAP}{_MIXED}\b",
        rf"\b{_MIXED}{_GAP}{_MIXED}{_GAP}{_MIXED}\b",
        _unhexlike,
        True,
        whole_line=True,
    ),
    _Hint("invisible", r"[\x{E0020}-\x{E007E}]", r"[\x{E0020}-\x{E007E}]{4,}", _tags),
    _Hint("invisible", _INVISIBLE + "{2}", _INVISIBLE + "{4,}", _selectors),
)


class Decoders:
    """All decoders, compiled once."""

    def __init__(self) -> None:
        options = re2.Options()
        options.log_errors = False
        self._patterns = [re2.compile(hint.pattern, options) for hint in _HINTS]
        options.max_mem = 1 << 25
        self._signs = re2.Set.SearchSet(options)
        for hint in _HINTS:
            self._signs.Add(hint.sign)
        self._signs.Compile()

    def passages(self, text: str) -> Iterator[Passage]:
        """What is hidden in the text, up to a limit."""
        return islice(self._passages(text.encode("utf-8", "replace")), _MOST_PASSAGES)

    def _passages(self, data: bytes) -> Iterator[Passage]:
        done = [0] * len(_HINTS)  # how far each decoder has read: passages may reach into the next blocks
        at = before = 0
        while at < len(data):
            end = at + _BLOCK
            while end < len(data) and data[end] & 0xC0 == 0x80:  # not within a character
                end += 1
            block = data[at : end + _LONGEST]
            for index in self._signs.Match(data[at : end + _SIGN]) or ():
                hint = _HINTS[index]
                for match in self._patterns[index].finditer(block):
                    first, last = match.span()
                    if at + first >= end:
                        break
                    if at + first < done[index]:
                        continue
                    if hint.whole_line:
                        first = max(block.rfind(b"\n", 0, first) + 1, first - _LINE)
                        last = min(block.find(b"\n", last) % (len(block) + 1), last + _LINE)
                    done[index] = at + last
                    run = block[first:last].decode("utf-8", "ignore")
                    said = hint.decode(run)
                    if len(said) >= 8:
                        start = before + len(block[:first].decode("utf-8", "ignore"))
                        yield Passage(hint.kind, start, start + len(run), said, hint.spelled_apart)
            before += len(data[at:end].decode())
            at = end


_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em)?\b|opacity\s*:\s*0(?:\.0+)?\b|"
    r"color\s*:\s*(?:white|transparent|#fff)|text-indent\s*:\s*-\d{3}|aria-hidden|^\[(?://|comment|hidden)\]:",
    re.MULTILINE | re.IGNORECASE,
)
_ZERO_WIDTH = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0001-\U000e007f]"
)


def unseen(text: str, start: int, end: int) -> Iterator[str]:
    """How these words are kept from a person's eyes, if they are."""
    before = text[max(0, start - 2000) : start]
    style = _STYLE.search(before[-200:])
    if before.rfind("<!--") > before.rfind("-->") or (style and "</" not in before[-200:][style.end() :]):
        yield "hidden"
    if not text.isascii() and _ZERO_WIDTH.search(text, start, end):
        yield "invisible"
