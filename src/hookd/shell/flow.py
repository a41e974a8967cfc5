"""Statements around others: groups, branches, loops and functions, and the redirections of a whole one.

Every branch is walked, a loop's body for the known items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.patterns import late
from hookd.shell import simple
from hookd.shell.expansion import Expander
from hookd.shell.model import UNKNOWN, Redirect, Word
from hookd.shell.parse import REDIRECTS, WORDS, Node
from hookd.shell.pipelines import afterwards
from hookd.shell.programs import is_known
from hookd.shell.redirects import captured, redirections
from hookd.shell.repeats import MANY, followed
from hookd.shell.state import Frame, Function, Scope

if TYPE_CHECKING:
    from hookd.shell.commands import Walker
    from hookd.shell.reader import Reader

CALLED_BY_SHELL = frozenset(
    "command_not_found_handle command_not_found_handler precmd preexec chpwd periodic zshexit TRAPEXIT "
    "TRAPDEBUG TRAPZERR TRAPINT fish_prompt fish_command_not_found".split()
)
"""Functions that need no call: a shell runs them when it sees fit."""
_TAKING_A_TAIL = frozenset({
    "list", "pipeline", "negated_command", "redirected_statement", "command", "function_definition",
})  # fmt: skip
"""Statements that know what to do with redirections behind them."""
_ENDLESS = late(
    r"(?:while\s+(?:true|:|\[+\s*1\s*\]+|\(\(\s*1\s*\)\))|until\s+false|for\s*\(\([^;]*;\s*;[^;]*\)\))[\s;]*"
)


def redirected(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """A statement with redirections, or redirections alone."""
    body: Node | None = None
    redirects: list[Node] = []
    for child in node.children:
        if child.type in REDIRECTS:
            redirects.append(child)
        elif child.is_named and body is None and child.type != "comment":
            body = child
    redirects.extend(tail)
    if body is None:
        expander = Expander(reader, frame, scope)
        done, words, after = redirections(redirects, expander)
        span = reader.span(frame, node)
        if words:
            return simple.run(reader, words, (), done, after, frame, scope, span, expander.fed)
        return simple.bare(reader, (), done, frame, scope, span)
    if body.type in _TAKING_A_TAIL:
        return reader.statement(body, frame, scope, tuple(redirects))
    return group(reader, body, redirects, frame, scope)


def group(reader: Reader, body: Node, redirects: list[Node], frame: Frame, scope: Scope) -> str | None:
    """Redirections of a compound statement: every command inside has them, the first opens the file."""
    walker = reader.walker
    expander = Expander(reader, frame, scope)
    done, words, after = redirections(redirects, expander)
    stdin = frame.stdin
    for redirect in done:
        if redirect.operator in ("<<", "<<<"):
            stdin = redirect.target.text
    kept = tuple(redirect for redirect in done if redirect.operator not in ("<<", "<<<"))
    before = len(walker.commands)
    heard = frame.heard or bool(after or expander.fed)
    inner = replace(frame, redirects=frame.redirects + kept, stdin=stdin, heard=heard)
    said = reader.statement(body, inner, scope)
    if expander.fed:
        reader.feed(expander.fed, walker.produced(before, frame), said, frame, scope)
    if kept:
        _share(walker, before, kept)
    if len(walker.commands) == before and kept:
        simple.bare(reader, (), kept, frame, scope, reader.span(frame, body))
    if words:
        reader.unreadable(body, frame)
    if after:
        return afterwards(reader, after, max(len(walker.commands) - 1, 0), said, frame, scope)
    return None if captured(kept) else said


def _share(walker: Walker, before: int, kept: tuple[Redirect, ...]) -> None:
    for index in range(before + 1, len(walker.commands)):
        redirects = walker.commands[index].redirects
        if any(item in kept for item in redirects):
            walker.mark(
                index,
                redirects=tuple(replace(item, shared=True) if item in kept else item for item in redirects),
            )


def subshell(reader: Reader, node: Node, frame: Frame, scope: Scope) -> str | None:
    """( a; b ): what it changes is gone afterwards."""
    return reader.statements(node, frame, scope.copy())


def compound(reader: Reader, node: Node, frame: Frame, scope: Scope) -> str | None:
    """{ a; b; }, do a; b; done, and (( arithmetic ))."""
    if node.child_count and node.children[0].type == "((":
        reader.expressions(node, frame, scope)
        return ""
    return reader.statements(node, frame, scope)


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
    for item in followed(items, lambda word: word.text, lambda why: reader.unknown(why, node, frame)):
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
        if not changed or scope.cwd != before.cwd or len(reader.walker.commands) - count > MANY:
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
    """A function is kept for its calls; one that is called without being named here is walked at once."""
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
        if name in CALLED_BY_SHELL or (name.isidentifier() and is_known(name)):  # in a program's place
            inside = replace(frame, in_function=name, conditional=True)
            call(reader, function, inside, scope.copy())
    return ""


def call(reader: Reader, function: Function, frame: Frame, scope: Scope) -> str | None:
    """A function's body where it is called."""
    if function.redirects:
        return group(reader, function.body, list(function.redirects), frame, scope)
    return reader.statement(function.body, frame, scope)
