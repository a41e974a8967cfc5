"""PowerShell expressions: what is known of their value, and the commands and calls that they hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hookd.shell.powershell import objects, static_calls
from hookd.shell.powershell.values import (
    NOTHING,
    UNKNOWN,
    Block,
    Value,
    joined,
    literal,
    parent,
    tainted,
    together,
)

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_OPERATORS = frozenset("+ - * / % .. -f -join -split -replace ? : ?? ! -not ++ -- -bnot".split())
_OPERATOR = re.compile(
    r"-[ic]?(?:eq|ne|gt|ge|lt|le|like|notlike|match|notmatch|contains|notcontains|in|notin|replace|split)"
    r"|-(?:and|or|xor|not|is|isnot|as|f|join|band|bor|bxor|shl|shr)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\{(\d+)(?:,-?\d+)?(?::[^}]*)?\}")
_SAME = frozenset(
    "fullname path value tostring psitem source content name literalpath pspath definition".split()
)
"""Members that say what their object is."""
_FOLDER = frozenset("directory directoryname parent psparentpath".split())


def expression(reader: Reader, start: int, end: int) -> Value:
    """Operands and operators from left to right; a comma makes a list."""
    items = reader.items
    result: Value | None = None
    operator = ""
    index = start
    while index < end:
        token = items[index]
        if token.kind in ("newline", "comma", "equals", "close", "pipe", "chain", "call", "end"):
            index += 1
            continue
        if token.kind == "word" and (token.text in _OPERATORS or _OPERATOR.fullmatch(token.text)):
            operator = token.text.lower()
            index += 1
            continue
        value, index = _list(reader, index, end)
        if result is not None or operator == "-join":
            value = _combined(result or NOTHING, operator, value)
        result = value
        operator = ""
    return NOTHING if result is None else result


def _list(reader: Reader, start: int, end: int) -> tuple[Value, int]:
    value, index = operand(reader, start, end)
    values = [value]
    while index < end and reader.items[index].kind == "comma":
        index += 1
        while index < end and reader.items[index].kind == "newline":
            index += 1
        if index < end and not _is_operator(reader, index):
            value, index = operand(reader, index, end)
            values.append(value)
    return together(values) if len(values) > 1 else value, index


def _is_operator(reader: Reader, index: int) -> bool:
    token = reader.items[index]
    return token.kind == "word" and token.text in _OPERATORS


def _combined(left: Value, operator: str, right: Value) -> Value:
    if operator == "+":
        if len(left.texts) <= 1 and len(right.texts) <= 1 and left.table is None:
            return joined([left, right])
        return together((left, right))
    if operator in ("", ":", "??"):
        return together((left, right))
    if operator == "?":
        return right
    if operator == "-f":
        return _formatted(left, right)
    if operator == "-join":
        return Value((right.text.join(left.texts),)) if left.texts else Value(("".join(right.texts),))
    return tainted(left, right)


def _formatted(pattern: Value, given: Value) -> Value:
    def filled(found: re.Match[str]) -> str:
        number = int(found[1]) if len(found[1]) < 4 else len(given.texts)
        return given.texts[number] if number < len(given.texts) else tainted(given).text

    return literal(_PLACEHOLDER.sub(filled, pattern.text))


def operand(reader: Reader, start: int, end: int, *, in_word: bool = False) -> tuple[Value, int]:
    """A value with the members, indexes and calls behind it."""
    token = reader.items[start]
    index = reader.after(start)
    kind = token.kind
    if kind in ("literal", "word", "member", "text"):
        value = literal(token.text)
    elif kind == "string":
        value = _string(reader, start)
    elif kind == "variable":
        value = reader.state.value(token.text)
    elif kind == "splat":
        value = reader.state.value(token.text[1:])
    elif kind == "open":
        if token.text == "[":
            return _typed(reader, start, end)
        value = _opened(reader, start, min(index - 1, end))
    else:
        return NOTHING, start + 1
    if kind in ("literal", "string") and in_word:
        return value, min(index, end)  # "a".b is one text there
    return _behind(reader, value, index, end)


def _opened(reader: Reader, start: int, closing: int) -> Value:
    opening = reader.items[start].text
    if opening == "{":
        return Value(block=Block(reader.tokens, start + 1, closing))
    if opening == "@{":
        return _table(reader, start + 1, closing)
    return reader.run(start + 1, closing, wanted=True)


def _string(reader: Reader, start: int) -> Value:
    """A text with variables and commands in it."""
    items = reader.items
    closing = reader.after(start) - 1
    parts: list[Value] = []
    index = start + 1
    while index < min(closing, len(items)):
        token = items[index]
        if token.kind == "variable":
            parts.append(reader.state.value(token.text))
        elif token.kind == "open":
            parts.append(reader.run(index + 1, min(reader.after(index) - 1, closing), wanted=True))
        else:
            parts.append(literal(token.text))
        index = reader.after(index)
    return joined(parts) if parts else literal("")


def _table(reader: Reader, start: int, end: int) -> Value:
    """@{ name = value; ... }."""
    items = reader.items
    table: dict[str, Value] = {}
    index = start
    while index < end:
        if items[index].kind != "equals":
            index = reader.after(index)
            continue
        key = items[index - 1].text if index > start else ""
        index += 1
        while index < end and items[index].text == "\n":
            index += 1
        if index < end and items[index].kind != "newline":
            with reader.state.deeper():
                index, table[key] = reader.statement(index, end, wanted=True)
    return Value(together(table.values()).texts, "", table)


def _typed(reader: Reader, start: int, end: int) -> tuple[Value, int]:
    """[Type]::Member, [Type]::Member(...), or a cast."""
    items = reader.items
    closing = min(reader.after(start) - 1, len(items) - 1)
    name = reader.tokens.text[items[start].end : items[closing].start].strip().lower().removeprefix("system.")
    index = closing + 1
    if index < end and items[index].kind == "member" and items[index].text[:2] == "::":
        member = items[index].text[2:].lower()
        index += 1
        if index < end and _is_called(reader, index):
            given = _given(reader, index, end)
            value = static_calls.static_call(reader, name, member, given)
            index = reader.after(index)
        else:
            value = static_calls.static_member(name, member)
        return _behind(reader, value, index, end)
    if index >= end or items[index].kind in (
        "newline",
        "close",
        "comma",
        "equals",
        "pipe",
        "word",
        "redirect",
    ):
        if index < end and items[index].kind == "word" and name == "char":
            return static_calls.character(literal(items[index].text)), index + 1
        return UNKNOWN, index
    with reader.state.deeper():
        value, index = operand(reader, index, end)
    if name == "char":
        return static_calls.character(value), index
    return value._replace(kind="wmi") if name in ("wmi", "wmiclass") else value, index


def _is_called(reader: Reader, index: int) -> bool:
    token = reader.items[index]
    return token.kind == "open" and token.text == "(" and token.start == reader.items[index - 1].end


def _given(reader: Reader, start: int, end: int) -> list[Value]:
    """The arguments of a call."""
    closing = min(reader.after(start) - 1, end)
    found: list[Value] = []
    index = begin = start + 1
    with reader.state.deeper():
        while index <= closing:
            if index == closing or reader.items[index].kind == "comma":
                if index > begin:
                    found.append(expression(reader, begin, index))
                begin = index + 1
            index = min(reader.after(index), closing) if index < closing else index + 1
    return found


def _behind(reader: Reader, value: Value, index: int, end: int) -> tuple[Value, int]:
    """Members, calls and indexes right behind a value."""
    items = reader.items
    while index < end and items[index].start == items[index - 1].end:
        token = items[index]
        if token.kind == "member":
            name = token.text.lstrip("?.:").lower()
            index += 1
            if index < end and _is_called(reader, index):
                given = _given(reader, index, end)
                index = reader.after(index)
                value = objects.call(reader, value, name, given)
            elif index < end and items[index].kind == "open" and items[index].text == "{":
                given = [_opened(reader, index, min(reader.after(index) - 1, end))]  # .ForEach{ }
                index = reader.after(index)
                value = objects.call(reader, value, name, given)
            else:
                value = member(value, name)
        elif token.kind == "open" and token.text == "[":
            value = _indexed(reader, value, index + 1, min(reader.after(index) - 1, end))
            index = reader.after(index)
        else:
            break
    return value, min(index, end)


def _indexed(reader: Reader, value: Value, start: int, end: int) -> Value:
    with reader.state.deeper():
        key = expression(reader, start, end)
    if value.table is not None and key.known:
        return value.entry(key.text.lower()) or UNKNOWN
    return value


def member(value: Value, name: str) -> Value:
    """A property of a value."""
    if value.table is not None:
        if (found := value.entry(name)) is not None:
            return found
        if name in ("keys", "key", "name"):
            return Value(tuple(value.table))
        return Value(value.texts) if name in ("values", "value") else tainted(value)
    if name in _FOLDER:
        return parent(value)
    if name in _SAME or value.kind in ("process", "service"):
        return value
    return tainted(value)
