"""Branches, loops and functions: every branch is walked, a loop's body once for each known item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.patterns import late
from hookd.shell.expansion import Expander
from hookd.shell.groups import group
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.parse import REDIRECTS, WORDS, Node
from hookd.shell.state import Frame, Function, Scope

if TYPE_CHECKING:
    from hookd.shell.reader import Reader

MAX_ITEMS = 12
"""How many items of a literal list a loop is walked for."""
CALLED_BY_SHELL = frozenset(
    "command_not_found_handle command_not_found_handler precmd preexec chpwd periodic zshexit TRAPEXIT "
    "TRAPDEBUG TRAPZERR TRAPINT fish_prompt fish_command_not_found".split()
)
"""Functions that need no call: a shell runs them when it sees fit."""
_ENDLESS = late(
    r"(?:while\s+(?:true|:|\[+\s*1\s*\]+|\(\(\s*1\s*\)\))|until\s+false|for\s*\(\([^;]*;\s*;[^;]*\)\))[\s;]*"
)


def if_statement(reader: Reader, node: Node, frame: Frame, scope: Scope) -> None:
    """Every branch is walked; afterwards only what all of them agree on is known."""
    before: Scope | None = None
    paths: list[Scope] = []
    inner = frame
    for child in node.children:
        kind = child.type
        if kind == "then":
            before = scope.copy()
            inner = frame if frame.conditional else replace(frame, conditional=True)
        elif kind in ("elif_clause", "else_clause"):
            branch = (before or scope).copy()
            reader.statements(child, replace(frame, conditional=True, depth=frame.depth + 1), branch)
            paths.append(branch)
        elif child.is_named:
            reader.statement(child, inner, scope)
        elif child.is_missing:
            reader.unreadable(child, frame)
    for path in paths or ([before] if before is not None else []):
        scope.merge(path)


def for_loop(reader: Reader, node: Node, frame: Frame, scope: Scope) -> None:
    """Walked for each item of its list, as far as they are known."""
    name = ""
    values: list[Node] = []
    body: Node | None = None
    listed = False
    for child in node.children:
        kind = child.type
        if kind == "variable_name" and not name:
            name = reader.text[child.start_byte : child.end_byte]
        elif kind == "in":
            listed = True
        elif kind in ("do_group", "compound_statement"):
            body = child
        elif kind in WORDS:
            values.append(child)
        elif child.is_error or child.is_missing:
            reader.unreadable(child, frame)
    items = Expander(reader, frame, scope).words(reader.bounded(values, node, frame))
    if not listed:
        items = list(scope.arguments) if scope.arguments is not None else [Word(UNKNOWN, False)]
    if body is None:
        return
    inner = replace(frame, in_loop=True, conditional=True)
    if len(items) > MAX_ITEMS:
        reader.unknown("a loop has too many items to follow", node, frame)
        items = [*items[:MAX_ITEMS], Word(UNKNOWN, False)]
    for item in items:
        scope.variables[name] = item if item.known or item.text != UNKNOWN or item.sources else None
        reader.statements(body, inner, scope)


def while_loop(reader: Reader, node: Node, frame: Frame, scope: Scope) -> None:
    """Walked once, and again if it changed what was known at its start."""
    inner = replace(frame, in_loop=True, endless=frame.endless or _endless(reader, node))
    before = scope.copy()
    count = len(reader.walker.commands)
    for _ in range(2):
        for child in node.children:
            if child.type == "do_group":
                reader.statements(child, replace(inner, conditional=True), scope)
            elif child.type in ("c_style_for_statement",) or child.is_named:
                _part(reader, child, inner, scope)
        changed = {
            name
            for name, value in before.variables.items()
            if value is not None and scope.variables.get(name) != value
        }
        if not changed or scope.cwd != before.cwd or len(reader.walker.commands) - count > MAX_ITEMS:
            break
        for name in changed:
            before.variables.pop(name)
    scope.merge(before)


def _endless(reader: Reader, node: Node) -> bool:
    head = reader.text[node.start_byte : node.end_byte].partition("do")[0]
    return _ENDLESS.fullmatch(head) is not None


def _part(reader: Reader, child: Node, frame: Frame, scope: Scope) -> None:
    if child.is_error:
        reader.leftover(child, frame, scope)
    elif child.type.endswith(("_expression", "number", "word")):
        reader.expressions(child, frame, scope)
    else:
        reader.statement(child, frame, scope)


def case_statement(reader: Reader, node: Node, frame: Frame, scope: Scope) -> None:
    """Every case is walked, each from what was known before."""
    inner = replace(frame, conditional=True)
    before = scope.copy()
    for child in node.children:
        if child.type == "case_item":
            branch = before.copy()
            parts = child.children
            border = next((number for number, part in enumerate(parts) if part.type == ")"), 0)
            reader.statements(child, inner, branch, parts[border + 1 :])
            scope.merge(branch)
        elif child.is_error or child.is_missing:
            reader.unreadable(child, frame)
        elif child.type in WORDS:
            Expander(reader, frame, scope).word(child)


def definition(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """A function is kept for its calls; one that a shell calls by itself is walked at once."""
    name, body = "", None
    redirects = list(tail)
    for child in node.children:
        if child.type == "word" and not name:
            name = reader.text[child.start_byte : child.end_byte]
        elif child.type in REDIRECTS:
            redirects.append(child)
        elif child.is_named:
            body = child if body is None else body
            if child.is_error or child.is_missing:
                reader.unreadable(child, frame)
    if name and body is not None:
        function = scope.functions[name] = Function(body, reader.text, tuple(redirects))
        if name in CALLED_BY_SHELL:
            inside = replace(frame, in_function=name, conditional=True)
            call(reader, function, inside, scope.copy())
    return ""


def call(reader: Reader, function: Function, frame: Frame, scope: Scope) -> str | None:
    """A function's body where it is called."""
    if function.redirects:
        return group(reader, function.body, list(function.redirects), frame, scope)
    return reader.statement(function.body, frame, scope)
