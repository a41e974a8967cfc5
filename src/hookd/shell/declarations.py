"""Statements that are commands to the shell and have a form of their own to the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookd.shell import simple
from hookd.shell.expansion import Expander
from hookd.shell.model import Word
from hookd.shell.parse import WORDS, Node
from hookd.shell.redirects import redirections
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.reader import Reader


def declaration(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """export, declare, local, readonly, typeset, unset."""
    expander = Expander(reader, frame, scope)
    children = node.children
    keyword = reader.text[children[0].start_byte : children[0].end_byte]
    words = [Word(keyword, True, keyword)]
    pairs = []
    for child in reader.bounded(children[1:], node, frame):
        if child.type == "variable_assignment":
            if keyword in ("local", "declare", "typeset"):
                scope.hide(reader.text[child.start_byte : child.end_byte].partition("=")[0])
            name, value = simple.assignment(reader, child, expander, scope)
            pairs.append((name, value))
            if len(words) > 1 and any(word.text[:1] == "-" and "n" in word.text for word in words):
                scope.variables[name] = None  # it stands for another variable
            elif not name.endswith("[]"):
                scope.assign(name, value)
        elif child.type in WORDS:
            words.extend(expander.words([child]))
        elif child.is_error:
            reader.leftover(child, frame, scope)
    if keyword in ("unset", "unsetenv"):
        for word in words[1:]:
            scope.variables[word.text] = Word("")
            scope.functions.pop(word.text, None)
    done, more, after = redirections(list(tail), expander)
    start, end = reader.span(frame, node)
    simple.run(reader, [*words, *more], tuple(pairs), done, after, frame, scope, start, end)
    return ""


def assignments(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """a=b, and a=b c=d without a command."""
    expander = Expander(reader, frame, scope)
    nodes = [node] if node.type == "variable_assignment" else node.named_children
    nodes = reader.bounded(nodes, node, frame)
    done, _, _ = redirections(list(tail), expander)
    start, end = reader.span(frame, node)
    pairs = []
    for child in nodes:
        if child.type != "variable_assignment":
            reader.leftover(child, frame, scope)
            continue
        name, value = simple.assignment(reader, child, expander, scope)
        pairs.append((name, value))
        if not name.endswith("[]"):
            scope.assign(name, value)
    simple.run(reader, [Word(":", True, "")], tuple(pairs), done, [], frame, scope, start, end)
    return ""


def test(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """[ a ], [[ a ]]."""
    expander = Expander(reader, frame, scope)
    leaves: list[Node] = []
    waiting = list(node.children)[::-1]
    opening = waiting[-1].type if waiting else "["
    while waiting:
        child = waiting.pop()
        if child.type in WORDS:
            leaves.append(child)
        elif child.is_error:
            reader.leftover(child, frame, scope)
        elif child.is_missing:
            reader.unreadable(child, frame)
        else:
            waiting.extend(reversed(child.children))
    words = [word for leaf in leaves for word in expander.words([leaf])]
    done, _, after = redirections(list(tail), expander)
    start, end = reader.span(frame, node)
    simple.run(reader, [Word(opening, True, opening), *words], (), done, after, frame, scope, start, end)
    return ""
