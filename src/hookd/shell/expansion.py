"""Word nodes to words: quotes removed, what is literally known put in, the rest left as unknown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hookd.patterns import late
from hookd.shell import quoting
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.word_parts import Pieces, fields, joined, transformed

if TYPE_CHECKING:
    from hookd.shell.parse import Node
    from hookd.shell.reader import Reader
    from hookd.shell.state import Frame, Scope, Value

_PLAIN = late(r"[^\\*?\[{~\0]*")
_LITERAL = frozenset({"word", "number", "test_operator"})
_INSIDE_STRING = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_CONTINUED = late(r"(?:\\\n)*")
_BACKTICK = late(r"(?<!\\)`")
_ESCAPED = late(r"\\(.?)", re.DOTALL)
MAX_NESTED = 32
"""How deep one ${...} may be inside another."""


class Expander:
    """Expands the words of one text in one place; the reader walks the code inside them."""

    __slots__ = ("depth", "fed", "frame", "reader", "scope", "sources", "text")

    def __init__(self, reader: Reader, frame: Frame, scope: Scope) -> None:
        self.reader = reader
        self.text = reader.text
        self.frame = frame
        self.scope = scope
        self.sources: tuple[int, ...] = ()
        self.depth = 0  # of ${a:-${b:-...}}
        self.fed: list[Node] = []  # each >(...): it reads what the command writes that is not walked yet

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
                words.extend(fields(pieces, raw, self.scope, self.sources))
        return words

    def word(self, node: Node) -> Word:
        """One word, not split: an assignment's value, a redirection's target."""
        raw = self.text[node.start_byte : node.end_byte]
        if node.type in _LITERAL and _PLAIN.fullmatch(raw):
            return Word(raw, True, raw)
        self.sources = ()
        pieces: Pieces = []
        self._pieces(node, pieces, quoted=False)
        return joined(pieces, raw, self.scope.home, self.sources)

    def document(self, node: Node) -> Word:
        """The text of a here-document whose delimiter is not quoted."""
        self.sources = ()
        pieces: Pieces = []
        self._inside(node, node.start_byte, node.end_byte, pieces, here=True)
        return joined(pieces, "", self.scope.home, self.sources)

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
        elif kind == "process_substitution" and node.children[0].type == ">(":
            self.fed.append(node)
            out.append(("U", UNKNOWN))
        elif kind in ("command_substitution", "process_substitution"):
            output, sources = self.reader.substitution(node, self.frame, self.scope)
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
        if "`" in text and (parts := _BACKTICK.split(text))[2:]:  # the grammar takes them for text in ${...}
            for number, part in enumerate(parts):
                if number % 2 and number < len(parts) - 1:
                    self._backticked(part, out)
                else:
                    self._literal(part, out)
            return
        if "\\" not in text and UNKNOWN not in text:
            out.append(("L", text))
            return
        done = 0
        for match in _ESCAPED.finditer(text):
            if match.start() > done:
                out.append(("L", text[done : match.start()]))
            if match[1] != "\n":
                out.append(("Q", match[1] or "\\"))
            done = match.end()
        if text[done:]:
            out.append(("L", text[done:]))

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
                self._backticked(part, out, start, end)
            else:
                out.append(("Q", quoting.here_document(part)))

    def _backticked(self, text: str, out: Pieces, start: int = 0, end: int = 0) -> None:
        """Code between backticks that the grammar takes for text."""
        code = quoting.backticked(text)
        output, sources = self.reader.backticks(code, self.frame, self.scope, start, end)
        self.sources += sources
        out.append(("Q", output.rstrip("\n")) if output is not None else ("U", UNKNOWN))

    def _arithmetic(self, node: Node, out: Pieces) -> None:
        inside = node.named_children
        if len(inside) == 1 and inside[0].type == "number":
            out.append(("Q", self.text[inside[0].start_byte : inside[0].end_byte]))
            return
        self.sources += self.reader.expressions(node, self.frame, self.scope)
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
                name, _, index = text[child.start_byte : child.end_byte - 1].partition("[")
                apart = index in ("@", "*")
                self.sources += self.reader.expressions(child, self.frame, self.scope)
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

    def _operated(
        self, operator: str, value: Value, rest: list[Node], node: Node, out: Pieces, *, quoted: bool
    ) -> None:
        if self.depth >= MAX_NESTED:
            self.reader.too_deep(node, self.frame)
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
