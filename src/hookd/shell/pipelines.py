"""Commands one behind another: lists, pipelines, and what follows a here-document's first line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell.parse import Node
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.reader import Reader

_TESTS = frozenset({"[", "[[", "test", "false", "grep"})


def and_or(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """a && b, a || b: a chain leans to the left, so it is unrolled rather than recursed into."""
    parts: list[Node] = []
    current = node
    while current.type == "list":
        children = current.children
        parts.extend(reversed(children[1:]))
        current = children[0]
    parts.append(current)
    parts.reverse()
    said: str | None = ""
    operator = ""
    last = len(parts) - 1
    before_first = len(reader.walker.commands)
    for number, part in enumerate(parts):
        if not part.is_named:
            operator = part.type
            continue
        before = None
        here = frame
        if number:
            here = frame if frame.conditional else replace(frame, conditional=True)
            if operator == "||" or _ends_with_test(reader, before_first):
                before = scope.copy()
        heard = reader.statement(part, here, scope, tail if number == last else ())
        said = said + heard if said is not None and heard is not None and operator != "||" else None
        if before is not None:
            scope.merge(before, stay=operator == "||")
    return said


def _ends_with_test(reader: Reader, first: int) -> bool:
    """Whether the last of the commands from an index on only tests something."""
    commands = reader.walker.commands
    return len(commands) > first and commands[-1].name in _TESTS


def pipeline(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """a | b: what a command prints is what the next one reads."""
    return _stages(reader, node, frame, scope, tail, first=frame.pipe, said=frame.stdin)


def _stages(
    reader: Reader,
    node: Node,
    frame: Frame,
    scope: Scope,
    tail: tuple[Node, ...],
    *,
    first: tuple[int, ...],
    said: str | None,
) -> str | None:
    walker = reader.walker
    stages = [child for child in node.children if child.is_named and child.type != "comment"]
    sources = first
    for number, stage in enumerate(stages):
        last = number == len(stages) - 1
        here = replace(frame, pipe=sources, stdin=said, heard=frame.heard or not last)
        before = len(walker.commands)
        said = reader.statement(
            stage, here, scope if len(stages) == 1 else scope.copy(), tail if last else ()
        )
        produced = walker.produced(before, frame)
        if sources and number + bool(first) and len(walker.commands) > before:
            for source in sources:
                if walker.commands[source].writes_pipe is None:
                    walker.mark(source, writes_pipe=before)
        sources = produced
    return said


def afterwards(
    reader: Reader, after: list[Node], index: int, said: str | None, frame: Frame, scope: Scope
) -> str | None:
    """What stands on a here-document's first line behind it."""
    sources = (index,)
    for node in after:
        if node.type == "pipeline":
            said = _stages(reader, node, frame, scope, (), first=sources, said=said)
        elif node.type in ("&&", "||"):
            frame = replace(frame, conditional=True)
        elif node.is_named:
            heard = reader.statement(node, frame, scope)
            said = said + heard if said is not None and heard is not None else None
    return said


def negated(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """! a."""
    said: str | None = ""
    for child in node.children:
        if child.is_named:
            said = reader.statement(child, frame, scope, tail)
    return said
