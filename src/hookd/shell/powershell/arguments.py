"""What stands behind a command's name: words put together of their pieces, lists, and redirections."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.powershell import expressions
from hookd.shell.powershell.values import NOTHING, Value, joined, literal, together

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_PIECES = frozenset({"word", "member", "equals", "splat"})
_PASSED_OVER = frozenset({"newline", "comma", "call", "pipe", "chain", "close", "end"})


class Argument(NamedTuple):
    """One argument of a command."""

    value: Value
    bare: bool = False  # it begins without quotes
    splatted: bool = False

    @property
    def dashed(self) -> bool:
        """Whether it begins as a parameter does."""
        return self.bare and bool(self.value.texts) and self.value.texts[0][:1] == "-"


class Redirect(NamedTuple):
    """Where output goes to."""

    operator: str
    target: Value


def arguments(reader: Reader, start: int, end: int) -> tuple[list[Argument], list[Redirect]]:
    """The arguments of a command, and where its output goes."""
    items = reader.items
    found: list[Argument] = []
    redirects: list[Redirect] = []
    index = start
    while index < end:
        kind = items[index].kind
        if kind in _PASSED_OVER:
            index += 1
        elif kind == "redirect":
            operator = items[index].text
            index += 1
            if "&" not in operator and index < end:
                target, index = argument(reader, index, end)
                redirects.append(Redirect(operator, target.value))
        else:
            first, index = argument(reader, index, end)
            values = [first.value]
            while index < end and items[index].kind == "comma":
                index += 1
                while index < end and items[index].kind == "newline":
                    index += 1
                if index < end:
                    following, index = argument(reader, index, end)
                    values.append(following.value)
            found.append(first._replace(value=together(values)) if len(values) > 1 else first)
    return found, redirects


def argument(reader: Reader, start: int, end: int, *, name: bool = False) -> tuple[Argument, int]:
    """Pieces without a blank between them, as one argument."""
    items = reader.items
    first = items[start]
    if first.kind == "splat":
        return Argument(reader.state.value(first.text[1:]), splatted=True), start + 1
    if first.kind in _PIECES and (start + 1 >= end or items[start + 1].start != first.end):
        return Argument(literal(first.text), first.kind != "equals"), start + 1  # most arguments
    parts: list[Value] = []
    index = start
    while index < end:
        token = items[index]
        if index > start and token.start != items[index - 1].end:
            break
        if token.kind in _PIECES:
            parts.append(literal(token.text))
            index += 1
        elif token.kind in ("literal", "string", "variable") or (
            token.kind == "open" and (token.text == "$(" or (index == start and token.text != "["))
        ):
            value, index = expressions.operand(reader, index, end, in_word=True)
            parts.append(value)
        elif token.kind == "open" and not name and token.text in ("[", "{", "@{"):  # HEAD@{1}, [id].tsx
            closing = min(reader.after(index), end, len(items))
            parts.append(literal(reader.tokens.text[token.start : items[closing - 1].end]))
            index = closing
        else:
            break
    if index == start:
        return Argument(NOTHING), start + 1
    value = parts[0] if len(parts) == 1 else joined(parts)
    return Argument(value, first.kind in ("word", "member")), index
