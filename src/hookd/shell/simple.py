"""Simple commands in a tree, and those with a form of their own: words, assignments and redirections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.patterns import late
from hookd.shell.expansion import Expander
from hookd.shell.model import UNKNOWN, Command, Redirect, Word
from hookd.shell.parse import REDIRECTS, SEPARATORS, WORDS, Node
from hookd.shell.pipelines import afterwards
from hookd.shell.programs import is_known
from hookd.shell.redirects import captured, redirections
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.reader import Reader

Assignments = tuple[tuple[str, Word], ...]
Span = tuple[int, int]


def command(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """A command as it is written; its known output."""
    nodes: list[Node] = []
    redirects: list[Node] = []
    assigned: list[Node] = []
    for child in node.children:
        kind = child.type
        if kind in WORDS or kind == "command_name":
            nodes.append(child)
        elif kind == "variable_assignment":
            assigned.append(child)
        elif kind in REDIRECTS:
            redirects.append(child)
        elif kind == "subshell":  # `f (a)`: not valid, but its commands are there to be read
            reader.statement(child, frame, scope)
        elif kind == "ERROR":
            reader.unreadable(child, frame)
            nodes.extend(part for part in child.children if part.type in WORDS)
        elif not child.is_named and kind not in SEPARATORS:  # a lone "-", and other marks that are words here
            nodes.append(child)
    redirects.extend(tail)
    nodes = reader.bounded(nodes, node, frame)
    expander = Expander(reader, frame, scope)
    assignments: Assignments = ()
    if assigned:
        assigned = reader.bounded(assigned, node, frame)
        assignments = tuple(assignment(reader, child, expander, scope) for child in assigned)
    if nodes and nodes[0].type == "command_name":
        inside = nodes[0].children
        if nodes[0].start_byte == nodes[0].end_byte:
            nodes.pop(0)
        elif len(inside) == 1:
            nodes[0] = inside[0]
    if nodes and redirects and nodes[-1].type == "number" and nodes[-1].end_byte == redirects[0].start_byte:
        nodes.pop()  # `0<<< x`, `0< <(x)`: a descriptor that the grammar takes for a word
    words = expander.words(nodes)
    done, words_after, after = redirections(redirects, expander)
    words.extend(words_after)
    span = reader.span(frame, node, tail[-1] if tail else None)
    if not words:
        if nodes and not assignments and not done:
            words = [Word("", True, reader.text[nodes[0].start_byte : nodes[-1].end_byte])]
        else:
            return bare(reader, assignments, done, frame, scope, span)
    return run(reader, words, assignments, done, after, frame, scope, span, expander.fed)


def run(
    reader: Reader,
    words: list[Word],
    assignments: Assignments,
    redirects: tuple[Redirect, ...],
    after: list[Node],
    frame: Frame,
    scope: Scope,
    span: Span,
    fed: Sequence[Node] = (),
) -> str | None:
    """A command whose words are known goes to the walker; its known output.

    `fed` has each >(...) that it writes to.
    """
    index = len(reader.walker.commands)
    if words[0].raw == "}" and len(words) == 1:  # closes what the grammar took for words
        return ""
    if frame.redirects:
        redirects = redirects + frame.redirects
    stdin = frame.stdin
    for redirect in redirects:
        if redirect.operator in ("<<", "<<<"):
            stdin = redirect.target.text + ("\n" if redirect.operator == "<<<" else "")
        elif redirect.operator == "<" and not redirect.shared:
            stdin = None
    here = frame
    if frame.redirects or after or fed:
        here = replace(frame, redirects=(), heard=frame.heard or bool(after or fed))
    found = made(words, assignments, redirects, stdin, frame, scope, span)
    said = reader.walker.simple(found, here, scope)
    if fed:
        reader.feed(fed, (index,), said, frame, scope)
    if after:
        return afterwards(reader, after, index, said, frame, scope)
    return None if captured(redirects) else said


def made(
    words: Sequence[Word],
    assignments: Assignments,
    redirects: tuple[Redirect, ...],
    stdin: str | None,
    frame: Frame,
    scope: Scope,
    span: Span,
) -> Command:
    """A command, with all that its place tells of it."""
    pipe = frame.pipe
    return Command(
        name_of(words[0]), words[0], tuple(words[1:]), assignments, redirects,
        pipe[-1] if pipe else None, pipe,
        None, scope.cwd, frame.wrappers, False, frame.wrapped_by, frame.place, frame.as_root,
        frame.background, frame.conditional, frame.in_loop, frame.endless, frame.in_function,
        frame.in_substitution, stdin, (), span[0], span[1],
    )  # fmt: skip


def bare(
    reader: Reader,
    assignments: Assignments,
    redirects: tuple[Redirect, ...],
    frame: Frame,
    scope: Scope,
    span: Span,
) -> str:
    """Assignments that stay, and redirections that only open a file."""
    for name, value in assignments:
        scope.assign(name, value)
    run(reader, [Word(":", True, "")], assignments, redirects, [], frame, scope, span)
    return ""


def assignment(reader: Reader, node: Node, expander: Expander, scope: Scope) -> tuple[str, Word]:
    """Its name and value; arrays and += are put into the scope here, which a scalar's caller does."""
    children = node.children
    name = reader.text[children[0].start_byte : children[0].end_byte]
    if children[0].type == "subscript":
        reader.expressions(children[0], expander.frame, scope)
    value_nodes = [child for child in children[1:] if child.is_named]
    if len(value_nodes) == 1 and value_nodes[0].type == "array":
        item_nodes = [child for child in value_nodes[0].children if child.type in WORDS]
        items = tuple(expander.words(reader.bounded(item_nodes, node, expander.frame)))
        before = scope.value(name)
        added = children[1].type == "+="
        scope.variables[name] = (before + items if isinstance(before, tuple) else items) if added else items
        sources = tuple(source for item in items for source in item.sources)
        return f"{name}[]", Word(
            " ".join(item.text for item in items), all(item.known for item in items), "", False, sources
        )
    if not value_nodes:
        value = Word("")
    elif len(value_nodes) == 1:
        value = expander.word(value_nodes[0])
    else:
        value = Word(UNKNOWN, False, reader.text[node.start_byte : node.end_byte])
    if len(children) > 1 and children[1].type == "+=":
        before = scope.value(name)
        text = before.text if isinstance(before, Word) else UNKNOWN
        value = replace(value, text=text + value.text, known=value.known and UNKNOWN not in text)
    return name, value


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
            name, value = assignment(reader, child, expander, scope)
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
    run(reader, [*words, *more], tuple(pairs), done, after, frame, scope, reader.span(frame, node))
    return ""


def assignments(reader: Reader, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
    """a=b, and a=b c=d without a command."""
    expander = Expander(reader, frame, scope)
    nodes = [node] if node.type == "variable_assignment" else node.named_children
    nodes = reader.bounded(nodes, node, frame)
    done, _, _ = redirections(list(tail), expander)
    pairs = []
    for child in nodes:
        if child.type != "variable_assignment":
            reader.leftover(child, frame, scope)
            continue
        name, value = assignment(reader, child, expander, scope)
        pairs.append((name, value))
        if not name.endswith("[]"):
            scope.assign(name, value)
    run(reader, [Word(":", True, "")], tuple(pairs), done, [], frame, scope, reader.span(frame, node))
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
    run(
        reader,
        [Word(opening, True, opening), *words],
        (),
        done,
        after,
        frame,
        scope,
        reader.span(frame, node),
    )
    return ""


_SHELL_VARIABLE = late(r'"?\$\{?(?:SHELL|BASH|0)(?::?[-=?][^}]*)?\}?"?')


def name_of(program: Word) -> str:
    """The base name of a program, "" if it is not known; a variable that holds the shell is one."""
    name = program.text.rpartition("/")[2] if "/" in program.text else program.text
    if program.glob or UNKNOWN in name or len(name) > 200:
        return "bash" if program.text == UNKNOWN and _SHELL_VARIABLE.fullmatch(program.raw) else ""
    if not name.islower() or name.endswith(".exe"):  # some file systems do not care
        lowered = name.lower().removesuffix(".exe")
        return lowered if is_known(lowered) else name
    return name
