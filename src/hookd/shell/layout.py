"""A long text cut where statements end, so that reading it stays linear.

The parser's recovery from errors takes time that grows with the square of the text, so a text with very many
marks is read in pieces. Short texts never come here.
"""

from __future__ import annotations

import re

MANY = 1_000
"""With at most so many marks a text is read in one go."""
PIECE = 200
"""How many marks a piece has before it may end."""

_MARK = re.compile(
    r"""\\.?|'[^']*'?|\$'(?:[^'\\]|\\.)*'?|"|`|\$\(\(?|\$\{|<<<|<<-?|[(){}]|\[\[?|;+|\n\s*|&&?|\|[|&]?|[<>]\|?&?|\#
    |[^\s\\'"`$();{}<>&|\#\[]+|\$""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = re.compile(r"""[^\\'"`$();{}<>&|\#\[\n]*+""")
"""Words that no mark stands between; only the first of a command can be a keyword."""
_QUOTED = re.compile(r'[^"\\`$]+|\\.?|"|`|\$\(|\$\{|\$', re.DOTALL)
_DELIMITER = re.compile(r"[ \t]*(?:'([^']*)'|\"([^\"]*)\"|\\?([^\s;&|<>()'\"]+))")
_OPENING = frozenset({"if", "for", "while", "until", "case", "select"})
_CLOSING = frozenset({"fi", "done", "esac"})
_LEADING = frozenset({"do", "then", "else", "elif", "if", "while", "until", "!", "time", "{"})


def pieces(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Where to cut text, and whether some piece had to be cut inside a statement."""
    scan = _Scan(text)
    scan.run()
    if scan.marks <= MANY:
        return [(0, len(text))], False
    return scan.cut()


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.marks = 0
        self.ends: list[tuple[int, int]] = []  # positions after statements, and the marks until there
        self.limits: list[int] = []  # the position of every PIECE-th mark
        self.stack: list[str] = []
        self.depth = 0
        self.waiting: list[tuple[str, bool]] = []  # here-documents whose text is still to come

    def run(self) -> None:
        """Go through the text once."""
        text = self.text
        position, count = 0, len(text)
        start = True  # a command may begin here
        while position < count:
            inside = self.stack[-1] if self.stack else ""
            if not start and inside != '"' and (skipped := _WORDS.match(text, position)) is not None:
                position = skipped.end()
            match = (_QUOTED if inside == '"' else _MARK).match(text, position)
            if match is None:
                position += 1
                continue
            mark = match[0]
            position = match.end()
            if inside == '"':
                self._quoted(mark)
                continue
            first = mark[0]
            if first == "#":
                if start or text[position - 2 : position - 1].isspace():
                    end = text.find("\n", position)
                    position = count if end < 0 else end
                continue
            if first in "\\'$\"`(){}[<>&|;\n":
                self._count(position)
                position, start = self._mark(mark, position, start)
            else:
                if start:
                    self.depth += (mark in _OPENING) - (mark in _CLOSING)
                start = start and mark in _LEADING

    def _count(self, position: int) -> None:
        self.marks += 1
        if self.marks % PIECE == 0:
            self.limits.append(position)

    def _quoted(self, mark: str) -> None:
        if mark == '"':
            self.stack.pop()
        elif mark in ("$(", "${", "`"):
            self.marks += 1
            self.stack.append("`" if mark == "`" else ")" if mark == "$(" else "}")

    def _mark(self, mark: str, position: int, start: bool) -> tuple[int, bool]:
        stack = self.stack
        if mark[0] in "\n;":
            if mark[0] == "\n" and self.waiting:
                position = self._documents(position - len(mark) + 1)
            if not stack and self.depth <= 0:
                self.ends.append((position, self.marks))
            return position, True
        if mark in ("<<", "<<-"):
            if (found := _DELIMITER.match(self.text, position)) is not None:
                self.waiting.append((found[1] or found[2] or found[3] or "", mark == "<<-"))
                return found.end(), False
        elif mark == '"':
            stack.append('"')
        elif mark == "`":
            if stack and stack[-1] == "`":
                stack.pop()
                return position, False
            stack.append("`")
            return position, True
        elif mark[0] == "$" and len(mark) > 1 and mark[1] in "({":
            stack.extend({"$(": ")", "${": "}", "$((": "))"}[mark])
        elif mark in ("(", "{"):
            stack.append(")" if mark == "(" else "}")
            return position, True
        elif mark in (")", "}"):
            if stack and stack[-1] == mark:
                stack.pop()
            return position, False
        elif mark in ("|", "||", "&&", "&", "|&"):
            return position, True
        return position, start and mark[0] in "<>"

    def _documents(self, position: int) -> int:
        """The position behind the here-documents that begin here."""
        text = self.text
        for delimiter, tabs in self.waiting:
            while position < len(text):
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
                line = text[position:end]
                position = end + 1
                if (line.lstrip("\t") if tabs else line) == delimiter:
                    break
        self.waiting.clear()
        return min(position, len(text))

    def cut(self) -> tuple[list[tuple[int, int]], bool]:
        """Whole statements until a piece has enough marks; a statement with too many is cut short."""
        found: list[tuple[int, int]] = []
        start, before = 0, 0
        spoiled = False
        for position, marks in [*self.ends, (len(self.text), self.marks)]:
            if marks - before < PIECE and position < len(self.text):
                continue
            end = position
            if marks - before > MANY:
                spoiled = True
                end = min(end, next((limit for limit in self.limits if limit > start), end))
            if end > start:
                found.append((start, end))
            start, before = position, marks
        return found, spoiled
