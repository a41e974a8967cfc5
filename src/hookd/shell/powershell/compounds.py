"""Statements that begin with a keyword: branches, loops, functions and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookd.shell.powershell import expressions
from hookd.shell.powershell.flow import Function
from hookd.shell.powershell.values import NOTHING, UNKNOWN, Block, Value, together

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

Parameters = tuple[tuple[str, Value], ...]
_BLOCKS = frozenset(
    "if elseif else while until switch for foreach do try catch finally trap begin process end dynamicparam "
    "clean class enum parallel sequence inlinescript data".split()
)
_WORDS_BEFORE = frozenset({"switch", "class", "enum", "foreach", "data"})
"""Keywords that may have words in front of what they open."""
_DEFINING = frozenset("function filter workflow configuration".split())
_LEAVING = frozenset("return throw exit break continue".split())
_ENDING = frozenset({"newline", "chain", "pipe", "close"})


def statement(reader: Reader, start: int, end: int, wanted: bool) -> tuple[int, Value] | None:
    """A statement with a keyword; None if it is none."""
    items = reader.items
    keyword = items[start].text.lower()
    if keyword in _BLOCKS:
        return _block(reader, keyword, start, end, wanted)
    if keyword in _LEAVING:
        if start + 1 < end and items[start + 1].kind not in _ENDING:
            with reader.state.deeper():
                return reader.statement(start + 1, end, wanted=wanted)
        return start + 1, NOTHING
    if keyword in _DEFINING:
        return _definition(reader, start, end)
    if keyword == "param" and reader.opens(start + 1, end, "("):
        return parameters(reader, start, end)[0], NOTHING
    if keyword == "using" and start + 1 < end and items[start + 1].kind == "word":
        while start < end and items[start].kind != "newline":
            start += 1
        return start, NOTHING
    if keyword[:1] == ":" and start + 1 < end and items[start + 1].text.lower() in _BLOCKS:
        return start + 1, NOTHING  # the name of a loop
    return None


def _block(reader: Reader, keyword: str, start: int, end: int, wanted: bool) -> tuple[int, Value] | None:
    """What stands in parentheses, then the block."""
    items = reader.items
    index = start + 1
    while index < end and not reader.opens(index, end, "(", "{"):
        kind = items[index].kind
        if kind not in ("word", "member", "open", "comma", "literal", "variable") or (
            kind == "word" and keyword not in _WORDS_BEFORE
        ):
            return None
        index = reader.after(index)
    state = reader.state
    state.branches += 1
    try:
        if reader.opens(index, end, "("):
            closing = min(reader.after(index) - 1, end)
            _condition(reader, keyword, index + 1, closing)
            index = closing + 1
            while index < end and items[index].text == "\n":
                index += 1
        if not reader.opens(index, end, "{"):
            return (index, NOTHING) if keyword in ("while", "until") else None
        closing = min(reader.after(index) - 1, end)
        if keyword in ("switch", "class", "enum"):
            value = _blocks_inside(reader, index + 1, closing, wanted)
        else:
            value = reader.run(index + 1, closing, wanted=wanted)
    finally:
        state.branches -= 1
    return closing + 1, value


def _condition(reader: Reader, keyword: str, start: int, end: int) -> None:
    items = reader.items
    variables = reader.state.variables
    if keyword == "foreach" and start + 1 < end and items[start].kind == "variable":
        variables[items[start].text] = reader.run(start + 2, end, wanted=True)
    elif keyword == "switch":
        variables["_"] = reader.run(start, end, wanted=True)
    else:
        reader.run(start, end, wanted=True)


def _blocks_inside(reader: Reader, start: int, end: int, wanted: bool) -> Value:
    """The cases of a switch, the methods of a class."""
    found: list[Value] = []
    while start < end:
        if reader.opens(start, end, "{"):
            found.append(reader.run(start + 1, min(reader.after(start) - 1, end), wanted=wanted))
        start = reader.after(start)
    return together(found)


def _definition(reader: Reader, start: int, end: int) -> tuple[int, Value] | None:
    """function Name(parameters) { body }: kept for its calls."""
    items = reader.items
    index = start + 1
    name = ""
    while index < end and items[index].kind in ("word", "member"):
        name += items[index].text
        index += 1
    named: Parameters = ()
    if reader.opens(index, end, "("):
        named = _named(reader, index + 1, min(reader.after(index) - 1, end))
        index = reader.after(index)
    while index < end and items[index].text == "\n":
        index += 1
    if not name or not reader.opens(index, end, "{"):
        return None
    body = Block(reader.tokens, index + 1, min(reader.after(index) - 1, end))
    if not named:
        begin, named = parameters(reader, body.start, body.end)
        body = body._replace(start=begin)
    reader.state.functions[name.rpartition(":")[2].lower()] = Function(named, body)
    return reader.after(index), NOTHING


def parameters(reader: Reader, start: int, end: int) -> tuple[int, Parameters]:
    """Where a body begins behind its `param(...)`, and the parameters' names and defaults."""
    items = reader.items
    index = start
    while index < end and (items[index].kind == "newline" or reader.opens(index, end, "[")):
        index = reader.after(index)
    if index < end and items[index].text.lower() == "param" and reader.opens(index + 1, end, "("):
        return reader.after(index + 1), _named(reader, index + 2, min(reader.after(index + 1) - 1, end))
    return start, ()


def _named(reader: Reader, start: int, end: int) -> Parameters:
    items = reader.items
    found: list[tuple[str, Value]] = []
    index = start
    while index < end:
        name = items[index].text
        is_name = items[index].kind == "variable"
        index = reader.after(index)
        if not is_name:
            continue
        default = UNKNOWN
        if index < end and items[index].kind == "equals":
            begin = index + 1
            while index < end and items[index].kind != "comma":
                index = reader.after(index)
            default = expressions.expression(reader, begin, min(index, end))
        found.append((name, default))
    return tuple(found)
