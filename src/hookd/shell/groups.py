"""Subshells and groups, and the redirections that belong to a whole statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell import simple
from hookd.shell.expansion import Expander
from hookd.shell.model import Redirect
from hookd.shell.parse import REDIRECTS, Node
from hookd.shell.pipelines import afterwards
from hookd.shell.redirects import captured, redirections
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.commands import Walker
    from hookd.shell.reader import Reader

_TAKING_A_TAIL = frozenset({
    "list", "pipeline", "negated_command", "redirected_statement", "command", "function_definition",
})  # fmt: skip
"""Statements that know what to do with redirections behind them."""


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
        done, words, after = redirections(redirects, Expander(reader, frame, scope))
        span = reader.span(frame, node)
        if words:
            return simple.run(reader, words, (), done, after, frame, scope, span)
        return simple.bare(reader, (), done, frame, scope, span)
    if body.type in _TAKING_A_TAIL:
        return reader.statement(body, frame, scope, tuple(redirects))
    return group(reader, body, redirects, frame, scope)


def group(reader: Reader, body: Node, redirects: list[Node], frame: Frame, scope: Scope) -> str | None:
    """Redirections of a compound statement: every command inside has them, the first opens the file."""
    walker = reader.walker
    done, words, after = redirections(redirects, Expander(reader, frame, scope))
    stdin = frame.stdin
    for redirect in done:
        if redirect.operator in ("<<", "<<<"):
            stdin = redirect.target.text
    kept = tuple(redirect for redirect in done if redirect.operator not in ("<<", "<<<"))
    before = len(walker.commands)
    inner = replace(frame, redirects=frame.redirects + kept, stdin=stdin, heard=frame.heard or bool(after))
    said = reader.statement(body, inner, scope)
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
