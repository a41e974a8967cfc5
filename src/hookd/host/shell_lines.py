"""A shell line as the agent's permission rules see it: its simple commands as plain text."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hookd.shell.parse import Node

_COMMANDS = frozenset({"command", "declaration_command", "unset_command", "test_command"})
_EXPANSIONS = frozenset({"simple_expansion", "expansion", "command_substitution", "process_substitution"})
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
LONGEST = 100_000


class Line(NamedTuple):
    """One command."""

    text: str
    """Its words with a blank between them, without quotes, assignments in front and redirections."""
    open: bool
    """Whether parts of it are only known when it runs."""


@lru_cache(maxsize=256)
def lines_of(command: str) -> tuple[Line, ...]:
    """Every command in a line, also those inside substitutions; what cannot be parsed is one command."""
    from hookd.shell.parse import parse

    command = command[:LONGEST]
    root = parse(command)
    found = tuple(_found(root, command))
    if root.has_error or not found:
        return (*found, Line(" ".join(command.split()), False))
    return found


def _found(root: "Node", command: str) -> Iterator[Line]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _COMMANDS:
            words = (
                [child for child in node.children if child.type not in {"variable_assignment", *_REDIRECTS}]
                if node.type == "command"
                else list(node.children)
            )
            text = " ".join(_text(word, command) for word in words)
            is_open = any(_expands(word) for word in words)
            yield Line(text, is_open)
            if text.startswith("xargs "):
                yield Line(text.removeprefix("xargs "), is_open)
        waiting.extend(reversed(node.children))


def _text(node: "Node", command: str) -> str:
    source = command[node.start_byte : node.end_byte]
    if node.type == "raw_string":
        return source[1:-1]
    if node.type == "string":
        return source.removeprefix('"').removesuffix('"')
    if node.type == "concatenation":
        return "".join(_text(child, command) for child in node.children)
    return source


def _expands(node: "Node") -> bool:
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.type in _EXPANSIONS:
            return True
        waiting.extend(found.children)
    return False
