"""PowerShell text to tokens, in one pass; which bracket closes which is told with them.

One list for both of the language's modes: words stay in pieces, and pieces without a blank between them are
put together by the reader where a command's argument is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_TOKENS = 10_000
_VARIABLE = r"\$\{[^}\n]*\}|\$(?:[A-Za-z_]\w*:(?=[A-Za-z_]))?[A-Za-z_]\w*|\$[$?^]|\$\d+"
_CODE = re.compile(
    rf"""(?P<blank>(?:[ \t\r\f\v\xa0]|`\r?\n)+|<\#(?:[^\#]++|\#(?!>))*+(?:\#>)?|\#[^\n]*)
    |(?P<newline>[\n;])
    |(?P<here>@(?:'[ \t]*\r?\n|"[ \t]*\r?\n))
    |'(?P<single>(?:[^']++|'')*+)(?P<closed>'?)
    |(?P<double>")
    |(?P<open>\$\(|@\(|@\{{|[({{\[])
    |(?P<close>[)}}\]])
    |(?P<variable>{_VARIABLE})
    |(?P<splat>@[A-Za-z_]\w*)
    |(?P<redirect>[1-6*]?>>?(?:&[12])?)
    |(?P<chain>\|\||&&)
    |(?P<pipe>\|)
    |(?P<call>&)
    |(?P<comma>,)
    |(?P<equals>=)
    |(?P<member>(?:\?)?\.[A-Za-z_]\w*|::[A-Za-z_]\w*)
    |(?P<word>(?:[^\s'"`$(){{}}\[\],;|&<>=\#@]|`.)(?:[^\s'"`$(){{}}\[\],;|&<>=]|`.)*+|.)""",
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(
    rf"""(?P<text>[^"`$]++|`.|"")|(?P<end>")|(?P<open>\$\()|(?P<variable>{_VARIABLE})|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_HERE = re.compile(
    rf"""(?P<end>\r?\n"@)|(?P<text>[^`$\r\n]++|`.|[\r\n])|(?P<open>\$\()|(?P<variable>{_VARIABLE})|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_AS_THEY_ARE = frozenset("word newline member splat redirect chain pipe call comma equals".split())
_CLOSING = {"(": ")", "$(": ")", "@(": ")", "{": "}", "@{": "}", "[": "]"}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "", "a": "", "b": "", "f": "", "v": ""}
_ESCAPE = re.compile(r"`(.)", re.DOTALL)
_TYPOGRAPHY = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e"), '"'),
    **dict.fromkeys(map(ord, "\u2013\u2014\u2015"), "-"),
}
"""Quotes and dashes that PowerShell takes for the plain ones."""


class Token(NamedTuple):
    """A piece of code: what it is, its text without quotes and escapes, and where it stands."""

    kind: str  # word, literal, string, text, end, variable, splat, open, close, newline, pipe, chain, ...
    text: str
    start: int
    end: int


class Tokens:
    """A text in tokens; `closing` has for each that opens something the index of the one that closes it."""

    __slots__ = ("_stack", "broken", "closing", "items", "text", "too_many")

    def __init__(self, text: str) -> None:
        self.text = text if text.isascii() else text.translate(_TYPOGRAPHY)
        self.items: list[Token] = []
        self.closing: dict[int, int] = {}
        self.broken = False  # a quote or a bracket has no other end
        self.too_many = False
        self._stack: list[tuple[str, int]] = []  # what is open: the mark that closes it, and its index
        self._read()
        for _, index in self._stack:
            self.closing[index] = len(self.items)
        self.broken = self.broken or bool(self._stack)

    def _read(self) -> None:
        text, items, stack = self.text, self.items, self._stack
        position, count = 0, len(text)
        while position < count:
            if len(items) > MAX_TOKENS:
                self.too_many = True
                return
            mode = stack[-1][0] if stack else ""
            pattern = _STRING if mode == '"' else _HERE if mode == '"@' else _CODE
            match = pattern.match(text, position)
            if match is None:  # only where nothing is left
                return
            kind, end = match.lastgroup or "word", match.end()
            if kind == "here":
                end = self._here(position, end)
            elif kind == "closed":
                self.broken = self.broken or not match["closed"]
                items.append(Token("literal", match["single"].replace("''", "'"), position, end))
            elif kind in _AS_THEY_ARE and (kind != "word" or "`" not in match[0]):
                items.append(Token(kind, match[0], position, end))
            elif kind != "blank":
                self._add(kind, match[0], position, end)
            position = end

    def _here(self, start: int, end: int) -> int:
        """A here-string: a plain one is taken as a whole, what is in the other one is code and text."""
        mark = self.text[start + 1]
        if self.text.startswith(f"{mark}@", end):
            self.items.append(Token("literal", "", start, end + 2))
            return end + 2
        if mark == '"':
            self._stack.append(('"@', len(self.items)))
            self.items.append(Token("string", "", start, end))
            return end
        last = self.text.find("\n'@", end - 1)
        self.broken = self.broken or last < 0
        inside = self.text[end:last] if last >= 0 else self.text[end:]
        after = last + 3 if last >= 0 else len(self.text)
        self.items.append(Token("literal", inside.removesuffix("\r"), start, after))
        return after

    def _add(self, kind: str, text: str, start: int, end: int) -> None:
        items, stack = self.items, self._stack
        if kind in ("open", "double"):
            stack.append(('"' if kind == "double" else _CLOSING[text], len(items)))
            kind = "string" if kind == "double" else kind
        elif kind in ("close", "end"):
            if stack and (kind == "end" or stack[-1][0] == text):
                self.closing[stack.pop()[1]] = len(items)
            else:
                self.broken = True
        elif kind == "variable":
            text = (text[2:-1] if text[1] == "{" else text[1:]).lower()
        elif kind in ("text", "other"):
            kind = "text"
            text = '"' if text == '""' else _unescaped(text)
        elif kind == "word":
            text = _unescaped(text)
        items.append(Token(kind, text, start, end))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), text) if "`" in text else text
