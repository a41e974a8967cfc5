"""Edits strict JSON as text: what an edit does not name stays byte for byte.

Edits follow the file's own style: newline, indent, the space around colons and commas, and whether a
container lies on one line. Removing what was inserted restores the exact text, with one exception:
an insert into an empty container (or a blank document) replaces whatever whitespace it held, and no
later removal can know it. A caller who wants it back keeps `source(place)` from before the insert and
hands it to `replace_source`.
"""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from hookd.errors import SettingsError

# A name or an index per level; of several members with one name it means the last, as readers do.
Place = tuple[str | int, ...]

# Deeper than any settings file, and far from Python's own limit on recursion.
MAX_DEPTH = 128

_BOM = "\ufeff"
_SPACE = re.compile(r"[ \t\r\n]*")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_INDENT = re.compile(_BOM + r"?([ \t]*)")


class Child(NamedTuple):
    """A member of an object, with the place of its name, or an element of an array."""

    key: str | int
    node: "Node"
    name: tuple[int, int] | None = None

    @property
    def start(self) -> int:
        return self.name[0] if self.name else self.node.start

    @property
    def end(self) -> int:
        return self.node.end


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where in the text it stands."""

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] = ()


class Document:
    """A JSON text; every edit makes another document."""

    def __init__(self, text: str, name: str = "settings") -> None:
        self.text = text
        self.name = name
        self.root = _Parser(self).document()

    def get(self, place: Place) -> Node | None:
        """The value at `place`, if there is one."""
        node = self.root
        for key in place:
            found = next((child.node for child in reversed(node.children) if child.key == key), None)
            if found is None:
                return None
            node = found
        return node

    def source(self, place: Place) -> str:
        """The text of the value at `place`; a blank document has an empty one."""
        node = self._at(place)
        return self.text[node.start : node.end]

    def insert(self, place: Place, value: object, key: str | None = None) -> "Document":
        """Adds a last member (with `key`) or a last element to the container at `place`."""
        node = self._at(place)
        if not node.children:
            return self.replace(place, [value] if key is None else {key: value})
        last = node.children[-1]
        separator = self._separator(node)
        lines = bool(_NEWLINE.search(separator)) or self._spans_lines(last.node)
        rendered = self._render(value, _last_indent(self.text[: last.end] + separator), lines)
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + self._colon
        return self._spliced(last.end, last.end, separator + name + rendered)

    def remove(self, place: Place) -> "Document":
        """Takes out the member or element at `place`; the last one out leaves bare brackets."""
        siblings, at = self._siblings(place)
        if len(siblings) == 1:
            parent = self._at(place[:-1])
            return self._spliced(parent.start + 1, parent.end - 1, "")
        if at + 1 < len(siblings):
            return self._spliced(siblings[at].start, siblings[at + 1].start, "")
        return self._spliced(siblings[at - 1].end, siblings[at].end, "")

    def replace(self, place: Place, value: object) -> "Document":
        """Puts `value` in the place of the one at `place`, laid out like it."""
        node = self._at(place)
        lines = self._spans_lines(node) if node.children else self._stands_on_own_line(place)
        return self.replace_source(place, self._render(value, _last_indent(self.text[: node.start]), lines))

    def replace_source(self, place: Place, source: str) -> "Document":
        """Puts literal JSON in the place of the value at `place`."""
        node = self._at(place)
        return self._spliced(node.start, node.end, source)

    def error(self, problem: str, at: int, hint: str | None = None) -> SettingsError:
        """An error that says where in the file the problem is."""
        before = self.text[:at].removeprefix(_BOM)
        lines = _NEWLINE.split(before)
        return SettingsError(f"{self.name}:{len(lines)}:{len(lines[-1]) + 1}: {problem}", hint=hint)

    def _at(self, place: Place) -> Node:
        node = self.get(place)
        if node is None:
            raise KeyError(place)
        return node

    def _siblings(self, place: Place) -> tuple[tuple[Child, ...], int]:
        """The child at `place` and its siblings, and its position among them."""
        node = self._at(place)
        siblings = self._at(place[:-1]).children
        return siblings, next(at for at, child in enumerate(siblings) if child.node is node)

    def _spliced(self, start: int, end: int, source: str) -> "Document":
        return Document(self.text[:start] + source + self.text[end:], self.name)

    def _lead(self, node: Node) -> str:
        return self.text[node.start + 1 : node.children[0].start]

    def _separator(self, node: Node) -> str:
        """What to write between the container's last child and one more."""
        if len(node.children) > 1:
            return self.text[node.children[-2].end : node.children[-1].start]
        lead = self._lead(node)
        return f",{lead}" if _NEWLINE.search(lead) else self._comma

    def _spans_lines(self, node: Node) -> bool:
        return _NEWLINE.search(self.text, node.start, node.end) is not None

    def _stands_on_own_line(self, place: Place) -> bool:
        if not place:
            return True
        siblings, at = self._siblings(place)
        before = siblings[at - 1].end if at else self._at(place[:-1]).start
        return _NEWLINE.search(self.text, before, siblings[at].start) is not None

    def _render(self, value: object, indent: str, lines: bool) -> str:
        if not lines:
            return json.dumps(value, ensure_ascii=False, separators=(self._comma, self._colon))
        text = json.dumps(value, ensure_ascii=False, indent=self._unit, separators=(",", self._colon))
        return text.replace("\n", self._newline + indent)  # a JSON string never holds a raw newline

    @property
    def _colon(self) -> str:
        """The colon as the first member has it."""
        for child in self.root.children[:1]:
            if child.name and not _NEWLINE.search(self.text, child.name[1], child.node.start):
                return self.text[child.name[1] : child.node.start]
        return ": "

    @property
    def _comma(self) -> str:
        """The comma between neighbours on one line: as tight as the colon."""
        return "," if self._colon.endswith(":") else ", "

    @property
    def _newline(self) -> str:
        found = _NEWLINE.search(self.text)
        return found.group() if found else "\n"

    @property
    def _unit(self) -> str:
        """One step of indentation, as the first container that shows one has it."""
        for node in _containers(self.root):
            lead = self._lead(node)
            inner, outer = _last_indent(lead), _last_indent(self.text[: node.start])
            if _NEWLINE.search(lead) and inner.startswith(outer) and inner != outer:
                return inner[len(outer) :]
        return "  "


def _containers(node: Node) -> Iterator[Node]:
    if node.children:
        yield node
    for child in node.children:
        yield from _containers(child.node)


def _last_indent(text: str) -> str:
    """The whitespace that starts the last line of `text`."""
    found = _INDENT.match(_NEWLINE.split(text)[-1])
    return found.group(1) if found else ""


class _Parser:
    """Recursive descent over the containers; the standard library reads the scalars."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.error = document.error
        self.at = 1 if self.text.startswith(_BOM) else 0

    def document(self) -> Node:
        start = self.at
        if not self.peek():
            return Node(start, start, {})  # blank: an empty object to be
        root = self.value(0)
        if self.peek():
            raise self.unexpected("the end of the file")
        return root

    def peek(self) -> str:
        """The next character that is no whitespace, or "" at the end."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        first, start = self.peek(), self.at
        if depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} levels deep", start)
        if first == "{":
            members = tuple(self.children("}", depth + 1))
            return Node(start, self.at, {child.key: child.node.value for child in members}, members)
        if first == "[":
            elements = tuple(self.children("]", depth + 1))
            return Node(start, self.at, [child.node.value for child in elements], elements)
        value = self.scalar()
        return Node(start, self.at, value)

    def children(self, close: str, depth: int) -> Iterator[Child]:
        self.at += 1
        if self.peek() != close:
            for index in itertools.count():
                yield self.member(depth) if close == "}" else Child(index, self.value(depth))
                if self.peek() != ",":
                    break
                self.at += 1
        if self.peek() != close:
            raise self.unexpected(f"a comma or {close}")
        self.at += 1

    def member(self, depth: int) -> Child:
        if self.peek() != '"':
            raise self.unexpected("a name in double quotes")
        start, key = self.at, self.scalar()
        end = self.at
        if self.peek() != ":":
            raise self.unexpected("a colon")
        self.at += 1
        return Child(key, self.value(depth), (start, end))

    def scalar(self) -> Any:
        try:
            value, self.at = _SCALARS.raw_decode(self.text, self.at)
        except ValueError as error:
            if isinstance(error, json.JSONDecodeError) and self.text.startswith('"', self.at):
                raise self.error(f"not valid JSON: {error.msg}", error.pos) from None
            raise self.unexpected("a value") from None
        return value

    def unexpected(self, wanted: str) -> SettingsError:
        found = self.text[self.at : self.at + 1]
        hint = "comments are not JSON: remove them" if found in ("/", "#") else None
        return self.error(f"expected {wanted}, found {found or 'the end of the file'}", self.at, hint)


def _integer(digits: str) -> float:
    """An int, or a float where the digits are so many that Python refuses to count them."""
    return int(digits) if len(digits) < 600 else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_SCALARS = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse_constant)
