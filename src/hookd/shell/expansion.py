"""Word nodes to words: quotes removed, what is literally known put in, the rest left as unknown."""

from __future__ import annotations

import fnmatch
import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from hookd.patterns import late
from hookd.shell import quoting
from hookd.shell.model import UNKNOWN, Word

if TYPE_CHECKING:
    from hookd.shell.parse import Node
    from hookd.shell.state import Frame, Scope, Value

# A word under construction is a list of (kind, text):
#   L literal, Q quoted, X expanded without quotes (blanks split it), U unknown, B the border of two words
Pieces = list[tuple[str, str]]

_PLAIN = late(r"[^\\*?\[{~\0]*")
_GLOB = late(r"[*?\[]")
_LITERAL = frozenset({"word", "number", "test_operator"})
_INSIDE_STRING = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_CONTINUED = late(r"(?:\\\n)*")
_BACKTICK = late(r"(?<!\\)`")
_ESCAPED = late(r"\\(.?)", re.DOTALL)
MAX_WORD = 200_000
"""A value that grows beyond this is given up as unknown."""
MAX_RAW = 1_000
MAX_NESTED = 32
"""How deep one ${...} may be inside another."""
MAX_BRACES = 1_000
"""A word longer than this is not looked at for brace lists."""


class Runner(Protocol):
    """Walks the code inside a word and tells its output, if that is known, and its commands."""

    def too_deep(self, node: Node, frame: Frame) -> None: ...
    def expressions(self, node: Node, frame: Frame, scope: Scope) -> tuple[int, ...]: ...
    def substitution(self, node: Node, frame: Frame, scope: Scope) -> tuple[str | None, tuple[int, ...]]: ...
    def backticks(
        self, code: str, frame: Frame, scope: Scope, start: int, end: int
    ) -> tuple[str | None, tuple[int, ...]]: ...


class Expander:
    """Expands the words of one text in one place."""

    __slots__ = ("depth", "frame", "runner", "scope", "sources", "text")

    def __init__(self, runner: Runner, text: str, frame: Frame, scope: Scope) -> None:
        self.runner = runner
        self.text = text
        self.frame = frame
        self.scope = scope
        self.sources: tuple[int, ...] = ()
        self.depth = 0  # of ${a:-${b:-...}}

    def words(self, nodes: list[Node]) -> list[Word]:
        """The words that nodes become; nodes that touch are one word."""
        words: list[Word] = []
        text = self.text
        index, count = 0, len(nodes)
        while index < count:
            node = nodes[index]
            start, end = node.start_byte, node.end_byte
            index += 1
            group = None
            while index < count and (
                (beginning := nodes[index].start_byte) == end
                or (text[end] == "\\" and _CONTINUED.fullmatch(text, end, beginning))
            ):
                group = group or [node]
                group.append(nodes[index])
                end = nodes[index].end_byte
                index += 1
            raw = text[start:end]
            if group is None and node.type in _LITERAL and _PLAIN.fullmatch(raw):
                words.append(Word(raw, True, raw))
            else:
                self.sources = ()
                pieces: Pieces = []
                for part in group or (node,):
                    self._pieces(part, pieces, quoted=False)
                words.extend(self._fields(pieces, raw))
        return words

    def word(self, node: Node) -> Word:
        """One word, not split: an assignment's value, a redirection's target."""
        raw = self.text[node.start_byte : node.end_byte]
        if node.type in _LITERAL and _PLAIN.fullmatch(raw):
            return Word(raw, True, raw)
        self.sources = ()
        pieces: Pieces = []
        self._pieces(node, pieces, quoted=False)
        return self._joined(pieces, raw)

    def document(self, node: Node) -> Word:
        """The text of a here-document whose delimiter is not quoted."""
        self.sources = ()
        pieces: Pieces = []
        self._inside(node, node.start_byte, node.end_byte, pieces, here=True)
        return self._joined(pieces, "")

    def _joined(self, pieces: Pieces, raw: str) -> Word:
        if pieces and pieces[0][0] == "L":
            pieces[0] = ("L", self._tilde(pieces[0][1], alone=len(pieces) == 1))
        if sum(len(text) for _, text in pieces) > MAX_WORD:
            return Word(UNKNOWN, False, raw[:MAX_RAW], False, self.sources)
        text = "".join(text for _, text in pieces)
        glob = any(kind in "LX" and _GLOB.search(part) for kind, part in pieces)
        return Word(text, UNKNOWN not in text, raw, glob, self.sources)

    def _fields(self, pieces: Pieces, raw: str) -> list[Word]:
        if sum(len(text) for _, text in pieces) > MAX_WORD:
            return [Word(UNKNOWN, False, raw[:MAX_RAW], False, self.sources)]
        if len(raw) < MAX_BRACES and any(kind == "L" and "{" in text for kind, text in pieces):
            literal = "".join(text for kind, text in pieces if kind == "L")
            if "," in literal or ".." in literal:
                variants = quoting.braces([(char, kind) for kind, text in pieces for char in text])
                if len(variants) > 1:
                    return [word for variant in variants for word in self._split(_runs(variant), raw)]
        return self._split(pieces, raw)

    def _split(self, pieces: Pieces, raw: str) -> list[Word]:
        if pieces and pieces[0][0] == "L":
            pieces[0] = ("L", self._tilde(pieces[0][1], alone=len(pieces) == 1))
        words: list[Word] = []
        current = ""
        begun = glob = False

        def finish() -> None:
            nonlocal current, begun, glob
            if begun:
                words.append(Word(current, UNKNOWN not in current, raw, glob, self.sources))
            current, begun, glob = "", False, False

        for kind, text in pieces:
            if kind == "B":
                finish()
            elif kind == "X":
                if text[:1].isspace():
                    finish()
                parts = text.split()
                for number, part in enumerate(parts):
                    if number:
                        finish()
                    current, begun = current + part, True
                    glob = glob or bool(_GLOB.search(part))
                if parts and text[-1:].isspace():
                    finish()
            else:
                current, begun = current + text, True
                if kind == "L":
                    glob = glob or bool(_GLOB.search(text))
        finish()
        return words

    def _tilde(self, text: str, *, alone: bool) -> str:
        if text.startswith("~/") or (text == "~" and alone):
            return self.scope.home + text[1:]
        return text

    def _pieces(self, node: Node, out: Pieces, *, quoted: bool) -> None:
        kind = node.type
        if kind == "string":
            self._inside(node, node.start_byte + 1, node.end_byte - 1, out, here=False)
        elif kind == "raw_string":
            out.append(("Q", self.text[node.start_byte + 1 : node.end_byte - 1]))
        elif kind == "simple_expansion":
            self._variable(self.text[node.start_byte + 1 : node.end_byte], out, quoted=quoted)
        elif kind == "expansion":
            self._parameter(node, out, quoted=quoted)
        elif kind in ("command_substitution", "process_substitution"):
            output, sources = self.runner.substitution(node, self.frame, self.scope)
            self.sources += sources
            if kind == "process_substitution" or output is None:
                out.append(("U", UNKNOWN))
            else:
                out.append(("Q" if quoted else "X", output.rstrip("\n")))
        elif kind == "ansi_c_string":
            out.append(("Q", quoting.ansi_c(self.text[node.start_byte + 2 : node.end_byte - 1])))
        elif kind in ("concatenation", "command_name", "translated_string", "array", "ERROR"):
            for child in node.children:
                self._pieces(child, out, quoted=quoted)
        elif kind == "arithmetic_expansion":
            self._arithmetic(node, out)
        elif kind == "$":
            if node.next_sibling is None or node.next_sibling.type != "string":
                out.append(("L", "$"))
        else:
            self._literal(self.text[node.start_byte : node.end_byte], out)

    def _literal(self, text: str, out: Pieces) -> None:
        if "\\" not in text and UNKNOWN not in text:
            out.append(("L", text))
            return
        done = 0
        for match in _ESCAPED.finditer(text):
            self._loose(text[done : match.start()], out)
            if match[1] != "\n":
                out.append(("Q", match[1] or "\\"))
            done = match.end()
        self._loose(text[done:], out)

    @staticmethod
    def _loose(text: str, out: Pieces) -> None:
        if text:
            out.append(("L", text))

    def _inside(self, node: Node, start: int, end: int, out: Pieces, *, here: bool) -> None:
        """What stands between double quotes or in a here-document: expansions, and the text between them."""
        position = start
        for child in node.children:
            if child.type in _INSIDE_STRING:
                self._between(position, child.start_byte, out, here=here)
                self._pieces(child, out, quoted=True)
                position = child.end_byte
        self._between(position, max(position, end), out, here=here)
        if not out:
            out.append(("Q", ""))

    def _between(self, start: int, end: int, out: Pieces, *, here: bool) -> None:
        text = self.text[start:end]
        if not here:
            if text:
                out.append(("Q", quoting.double_quoted(text)))
            return
        for number, part in enumerate(parts := _BACKTICK.split(text)):
            if number % 2 and number < len(parts) - 1:  # the grammar takes them for text here
                code = quoting.backticked(part)
                output, sources = self.runner.backticks(code, self.frame, self.scope, start, end)
                self.sources += sources
                out.append(("Q", output.rstrip("\n")) if output is not None else ("U", UNKNOWN))
            else:
                out.append(("Q", quoting.here_document(part)))

    def _arithmetic(self, node: Node, out: Pieces) -> None:
        inside = node.named_children
        if len(inside) == 1 and inside[0].type == "number":
            out.append(("Q", self.text[inside[0].start_byte : inside[0].end_byte]))
            return
        self.sources += self.runner.expressions(node, self.frame, self.scope)
        out.append(("U", UNKNOWN))

    def _variable(self, name: str, out: Pieces, *, quoted: bool) -> None:
        if name in "@*" and self.scope.arguments is not None:
            self._put(self.scope.arguments, out, quoted=quoted, apart=name == "@" or not quoted)
        elif name == "#" and self.scope.arguments is not None:
            out.append(("Q", str(len(self.scope.arguments))))
        else:
            self._put(self.scope.value(name), out, quoted=quoted, apart=False)

    def _put(self, value: Value, out: Pieces, *, quoted: bool, apart: bool) -> None:
        if value is None:
            out.append(("U", UNKNOWN))
        elif isinstance(value, tuple):
            if not apart:
                value = value[:1]
            for number, item in enumerate(value):
                if number:
                    out.append(("B", ""))
                self._put(item, out, quoted=quoted, apart=False)
        else:
            self.sources += value.sources
            out.append(("Q" if quoted else "X", value.text))

    def _parameter(self, node: Node, out: Pieces, *, quoted: bool) -> None:
        """${...}: what can be told of it."""
        children = node.children[1:-1]
        text = self.text
        operator, name, rest = "", "", []
        length = indirect = apart = False
        index: str | None = None
        for number, child in enumerate(children):
            kind = child.type
            if not name and kind == "#" and number == 0 and len(children) > 1:
                length = True
            elif not name and kind == "!":
                indirect = True
            elif not name and kind in ("variable_name", "special_variable_name"):
                name = text[child.start_byte : child.end_byte]
            elif not name and kind == "subscript":
                name, index = self._subscript(child)
                apart = index in ("@", "*")
            elif name and not operator and not child.is_named:
                operator = kind
                rest = children[number + 1 :]
                break
        value = self.scope.value(name) if name else None
        if name in ("@", "*"):
            value, apart = self.scope.arguments, True
        if index is not None and not apart and isinstance(value, tuple):
            value = value[int(index)] if index.isdigit() and int(index) < len(value) else None
        if indirect:
            value = self.scope.value(value.text) if isinstance(value, Word) and value.known else None
        if length:
            known = isinstance(value, Word) and value.known
            out.append(("Q", str(len(value.text))) if known else ("U", UNKNOWN))  # type: ignore[union-attr]
        elif not operator:
            self._put(value, out, quoted=quoted, apart=apart)
        else:
            self._operated(operator, value, rest, node, out, quoted=quoted)

    def _subscript(self, node: Node) -> tuple[str, str]:
        name, _, index = self.text[node.start_byte : node.end_byte - 1].partition("[")
        return name, index

    def _operated(
        self, operator: str, value: Value, rest: list[Node], node: Node, out: Pieces, *, quoted: bool
    ) -> None:
        if self.depth >= MAX_NESTED:
            self.runner.too_deep(node, self.frame)
            out.append(("U", UNKNOWN))
            return
        operand: Pieces = []
        self.depth += 1
        for child in rest:
            self._pieces(child, operand, quoted=quoted)
        self.depth -= 1
        if operator in (":-", "-", ":=", "="):
            if isinstance(value, Word) and (value.text or operator in ("-", "=")):
                self._put(value, out, quoted=quoted, apart=False)
            else:
                out.extend(operand or [("Q", "")])
        elif operator in (":?", "?"):
            self._put(value, out, quoted=quoted, apart=False)
        elif operator in (":+", "+"):
            if isinstance(value, Word) and value.known:
                out.extend(operand if value.text else [("Q", "")])
            else:
                out.append(("U", UNKNOWN))
        else:
            literal = "".join(text for _, text in operand)
            known = isinstance(value, Word) and value.known and UNKNOWN not in literal
            written = self.text[rest[0].start_byte if rest else node.end_byte - 1 : node.end_byte - 1]
            result = transformed(value.text, operator, written) if known else None  # type: ignore[union-attr]
            if known:
                self.sources += value.sources  # type: ignore[union-attr]
            out.append(("U", UNKNOWN) if result is None else ("Q" if quoted else "X", result))


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
        if _GLOB.search(pattern) or "\\" in pattern or not pattern:
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
