"""The part of YAML that front matter is written in: nested maps, lists, scalars, text blocks.

Anchors, tags and several documents are not part of it; whoever writes those gets a ValueError that says so.
"""

import json
import re
from typing import Any, NamedTuple

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s'"\[\]{},#&*!|>%@`-][^:#]*?|-[^\s:#][^:#]*?)\s*:(?:\s+(.*))?\Z"""
)
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_BLOCK = re.compile(r"([|>])([-+]?)[1-9]?\Z")
DEEPEST = 50


class _Line(NamedTuple):
    indent: int
    text: str
    number: int


def load(text: str) -> Any:
    """The value that the text describes; raises ValueError where it is something else than this YAML."""
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        if "\t" in raw[: len(raw) - len(raw.lstrip())]:
            raise ValueError(f"line {number} is indented with a tab")
        lines.append(_Line(len(raw) - len(raw.lstrip(" ")), raw.strip(), number))
    reader = _Reader(lines)
    value = reader.block(0, 0)
    if (left := reader.peek()) is not None:
        raise ValueError(f"line {left.number} is not indented like the lines before it")
    return value


class _Reader:
    """Walks over the lines once."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.at = 0

    def peek(self) -> _Line | None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.text and not line.text.startswith("#"):
                return line
            self.at += 1
        return None

    def block(self, least: int, depth: int) -> Any:
        """The map, list or scalar that begins here, indented at least so far."""
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        line = self.peek()
        if line is None or line.indent < least:
            return None
        if line.text == "-" or line.text.startswith("- "):
            return self._list(line.indent, depth)
        if _KEY.match(_uncommented(line.text)):
            return self._map(line.indent, depth)
        self.at += 1
        return scalar(_uncommented(line.text), line.number)

    def _list(self, indent: int, depth: int) -> list[Any]:
        items = []
        while (line := self.peek()) is not None and line.indent == indent:
            if line.text != "-" and not line.text.startswith("- "):
                break
            rest = line.text[1:].strip()
            if not rest or rest.startswith("#"):
                self.at += 1
                items.append(self.block(indent + 1, depth + 1))
                continue
            # What follows the dash is the first line of a block that is indented as far as it stands.
            inner = indent + len(line.text) - len(line.text[1:].lstrip())
            if _BLOCK.match(rest):
                self.at += 1
                items.append(self._text(indent, rest))
                continue
            self.lines[self.at] = _Line(inner, rest, line.number)
            items.append(self.block(inner, depth + 1))
        return items

    def _map(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self.peek()) is not None and line.indent == indent:
            matched = _KEY.match(_uncommented(line.text))
            if matched is None:
                raise ValueError(f"line {line.number} is no key and value")
            key = str(scalar(matched[1], line.number))
            rest = (matched[2] or "").strip()
            self.at += 1
            if _BLOCK.match(rest):
                found[key] = self._text(indent, rest)
            elif rest:
                found[key] = scalar(rest, line.number)
            else:
                following = self.peek()
                # A list may stand as far left as the key it belongs to.
                same = following is not None and following.indent == indent and following.text.startswith("-")
                found[key] = self.block(indent if same else indent + 1, depth + 1)
        return found

    def _text(self, indent: int, style: str) -> str:
        """A block of text: kept line by line with `|`, folded with `>`."""
        lines: list[str] = []
        first: int | None = None
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.text and line.indent <= indent:
                break
            if line.text and first is None:
                first = line.indent
            lines.append(" " * (line.indent - (first or 0)) + line.text if line.text else "")
            self.at += 1
        while lines and not lines[-1]:
            lines.pop()
        joined = "\n".join(lines) if style[0] == "|" else re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(lines))
        return joined if "-" in style else joined + "\n"


def scalar(text: str, number: int) -> Any:
    """One value on a line."""
    if text[:1] in "&*!%@`" and text:
        raise ValueError(f"line {number} uses a part of YAML that is not supported here")
    if text.startswith('"'):
        try:
            return json.loads(text, strict=False)
        except ValueError:
            raise ValueError(f"line {number} has a string that does not end") from None
    if text.startswith("'"):
        if len(text) < 2 or not text.endswith("'"):
            raise ValueError(f"line {number} has a string that does not end")
        return text[1:-1].replace("''", "'")
    if text[:1] in "[{" and text:
        return _flow(text, number)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def _flow(text: str, number: int) -> Any:
    """A list or map on one line."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    inner = text[1:-1].strip()
    if text.startswith("[") and text.endswith("]"):
        return [scalar(part, number) for part in _parts(inner, number)]
    if text.startswith("{") and text.endswith("}"):
        pairs = [_KEY.match(part) for part in _parts(inner, number)]
        if all(pairs):
            return {str(scalar(pair[1], number)): scalar(pair[2] or "", number) for pair in pairs if pair}
    raise ValueError(f"line {number} has a list or map that cannot be read")


def _parts(text: str, number: int) -> list[str]:
    """What stands between the commas that are in no quotes and no inner list or map."""
    parts, depth, quote, begin = [], 0, "", 0
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "," and not depth:
            parts.append(text[begin:index].strip())
            begin = index + 1
    if depth or quote:
        raise ValueError(f"line {number} has a list or map that does not end")
    parts.append(text[begin:].strip())
    return parts if text and parts[-1] else parts[:-1]


def _uncommented(text: str) -> str:
    """The line without a comment at its end."""
    quote = ""
    for index, sign in enumerate(text):
        if quote:
            if sign == quote and text[index - 1] != "\\":
                quote = ""
        elif sign in "\"'" and (index == 0 or text[index - 1] in " :[{,-"):
            quote = sign
        elif sign == "#" and index and text[index - 1] == " ":
            return text[:index].rstrip()
    return text
