"""Assignments: to variables, to those of the environment, to members of tables and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.powershell.flow import Function
from hookd.shell.powershell.values import NOTHING, Value, is_variable, joined, path, quoted, together

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_OPERATORS = frozenset("+ - * / % ??".split())


class _Target(NamedTuple):
    name: str  # "" for a member of a type
    member: str = ""


def statement(reader: Reader, start: int, end: int) -> tuple[int, Value] | None:
    """$a = ..., [int]$a += ..., $a.b = ..., $a, $b = ..., [Type]::Name = ...; None if it is none of these."""
    items = reader.items
    targets: list[_Target] = []
    index = start
    while True:
        found = _target(reader, index, end)
        if found is None or found[1] >= end:
            return None
        target, index = found
        targets.append(target)
        if items[index].kind != "comma":
            break
        index += 1
    operator = ""
    if items[index].kind == "word" and items[index].text in _OPERATORS and index + 1 < end:
        operator = items[index].text
        index += 1
    if items[index].kind != "equals":
        return None
    index += 1
    while index < end and items[index].text == "\n":
        index += 1
    if index >= end:
        return index, NOTHING
    with reader.state.deeper():
        after, value = reader.statement(index, end, wanted=True)
    for target in targets:
        _assign(reader, target, value, operator)
    return after, value


def _target(reader: Reader, index: int, end: int) -> tuple[_Target, int] | None:
    items = reader.items
    while reader.opens(index, end, "["):
        index = reader.after(index)
    if index >= end:
        return None
    token = items[index]
    if token.kind == "variable":
        name, member = token.text, ""
    elif token.kind == "member" and token.text[:2] == "::":
        name, member = "", token.text
    else:
        return None
    index += 1
    while index < end and (items[index].kind == "member" or reader.opens(index, end, "[")):
        inside = items[index + 1 : reader.after(index) - 1]
        if items[index].kind == "member":
            member = items[index].text.lstrip(".")
        elif len(inside) == 1 and inside[0].kind == "literal":
            member = inside[0].text
        else:
            member = "[]"
        index = reader.after(index)
    return _Target(name, member.lower()), min(index, end)


def _assign(reader: Reader, target: _Target, value: Value, operator: str) -> None:
    state = reader.state
    name = target.name
    if not name:
        return
    before = state.value(name)
    if target.member:
        state.variables[name] = Value(
            together((before, value)).texts, before.kind, {**(before.table or {}), target.member: value}
        )
    elif name.startswith("env:"):
        if is_variable(variable := name[4:].upper()):
            text = " ".join(joined([value]).texts)
            text = path(text).replace(";", ":") if variable == "PATH" else text
            state.emit(f"export {variable}={quoted(text)}")
    elif name.startswith("function:") and value.block is not None:
        state.functions[name[9:]] = Function((), value.block)
    elif operator == "+":
        if len(before.texts) == 1 and len(value.texts) == 1 and before.table is None:
            value = together((joined([before, value]), value))
        state.assign(name, value, added=True)
    else:
        state.assign(name, value)
