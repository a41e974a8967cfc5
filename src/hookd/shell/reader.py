"""One text and all that is in it: every statement, and the code inside its words.

What a kind of statement means is a function that gets the reader, the node, and where it stands; the tables
at the end say which. Those functions know only the reader, so that a loop can hold a pipeline that holds a
loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell import flow, pipelines, quoting, simple
from hookd.shell.expansion import Expander
from hookd.shell.model import Gap, Redirect, Word
from hookd.shell.parse import SEPARATORS, WORDS, Node, parse
from hookd.shell.redirects import redirections
from hookd.shell.state import MAX_DEPTH, MAX_WORDS, TOO_MANY_WORDS, Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.commands import Walker

Said = tuple[str | None, tuple[int, ...]]
"""The output of code inside a word, if it is known, and the commands it comes from."""


class Reader:
    """One text being read, and the walker that gets its commands."""

    __slots__ = ("base", "text", "walker")

    def __init__(self, walker: Walker, text: str, base: int = 0) -> None:
        self.walker = walker
        self.text = text
        self.base = base  # where it begins in the text given

    def whole(self, frame: Frame, scope: Scope) -> str | None:
        """All of it; an error that no statement has told of is told here."""
        root = parse(self.text)
        if root.has_error and "<<" in self.text:
            from hookd.shell.repairs import repaired  # few lines need it

            text = repaired(self.text)
            if text is not None and not (mended := parse(text)).has_error:
                span = frame.span or (self.base, self.base + len(self.text))
                return Reader(self.walker, text).statements(mended, replace(frame, span=span), scope)
        count = len(self.walker.unknowns)
        said = self.statements(root, frame, scope)
        if root.has_error and len(self.walker.unknowns) == count:
            self.unreadable(root, frame)
        return said

    def line(self, words: list[Word], frame: Frame, scope: Scope) -> str | None:
        """All of it, where it is one command whose words are told already."""
        span = frame.span or (self.base, self.base + len(self.text))
        if len(words) > MAX_WORDS:
            self.walker.unknown(TOO_MANY_WORDS, *span)
            words = words[:MAX_WORDS]
        return simple.run(self, words, (), (), [], frame, scope, span)

    def statements(
        self, node: Node, frame: Frame, scope: Scope, nodes: Iterable[Node] | None = None
    ) -> str | None:
        """The statements directly in node, one after another; all they print, if it is known."""
        said: str | None = ""
        children = list(nodes) if nodes is not None else node.children
        for number, child in enumerate(children):
            if not child.is_named and child.type in SEPARATORS:
                continue
            here = frame
            if number + 1 < len(children) and children[number + 1].type == "&" and not frame.background:
                here = replace(frame, background=True)
            heard = self.statement(child, here, scope)
            said = said + heard if said is not None and heard is not None else None
        return said

    def statement(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...] = ()) -> str | None:
        """One statement; tail holds redirections that the grammar hung on the list this is the end of."""
        kind = node.type
        if kind == "command":
            return simple.command(self, node, frame, scope, tail)
        if kind == "comment":
            return ""
        self.walker.step()
        if frame.depth >= MAX_DEPTH:
            self.too_deep(node, frame)
            return None
        if (chain := _CHAINS.get(kind)) is not None:
            return chain(self, node, frame, scope, tail)
        if (block := _BLOCKS.get(kind)) is not None:
            if tail:
                return flow.group(self, node, list(tail), frame, scope)
            return block(self, node, replace(frame, depth=frame.depth + 1), scope)
        if (other := _OTHERS.get(kind)) is not None:
            return other(self, node, replace(frame, depth=frame.depth + 1), scope, tail)
        if not node.is_named and not node.is_missing:
            return ""
        self.leftover(node, frame, scope)
        return None

    def leftover(self, node: Node, frame: Frame, scope: Scope) -> None:
        """What the grammar could not place: unknown, but the commands in it are still read."""
        if node.is_error or node.is_missing:
            self.unreadable(node, frame)
        inner = replace(frame, depth=frame.depth + 1)
        words: list[Node] = []
        for child in node.children:
            if child.type in WORDS or (child.type == "command_name"):
                words.append(child)
            else:
                self.statement(child, inner, scope)
        if words:
            Expander(self, inner, scope).words(words)

    def expressions(self, node: Node, frame: Frame, scope: Scope) -> tuple[int, ...]:
        """Arithmetic is ignored, except for the commands substituted in it."""
        found: tuple[int, ...] = ()
        begins = node.start_byte + 3 * (node.type == "arithmetic_expansion")  # behind its own $((
        text = self.text[begins : node.end_byte]
        if not any(mark in text for mark in ("$(", "`", "<(", ">(")):
            return found
        waiting = [node]
        while waiting:
            child = waiting.pop()
            if child.type in ("command_substitution", "process_substitution"):
                found += self.substitution(child, frame, scope)[1]
            else:
                waiting.extend(reversed(child.children))
        return found

    def substitution(self, node: Node, frame: Frame, scope: Scope) -> Said:
        """The commands in $(...), `...`, <(...) or >(...)."""
        if frame.depth >= MAX_DEPTH:
            self.too_deep(node, frame)
            return None, ()
        children = node.children
        if children[0].type == "`" and "\\" in (code := self.text[node.start_byte + 1 : node.end_byte - 1]):
            return self.backticks(quoting.backticked(code), frame, scope, node.start_byte, node.end_byte)
        inner = _substituted(frame)
        before = len(self.walker.commands)
        first = next((child for child in children if child.is_named), None)
        if first is not None and first.type == "file_redirect":  # $(< file)
            done, _, _ = redirections([first], Expander(self, inner, scope))
            cat = Word("cat", True, "")
            simple.run(self, [cat], (), done, [], inner, scope.copy(), self.span(frame, node))
            return None, (before,)
        said = self.statements(node, inner, scope.copy(), children[1:-1])
        sources = self.walker.produced(before, inner)
        if said is not None and children[0].type == "<(":
            self.walker.said[sources] = said
        return said, sources

    def feed(
        self, nodes: Sequence[Node], sources: tuple[int, ...], said: str | None, frame: Frame, scope: Scope
    ) -> None:
        """The commands in each >(...): they read what the commands at these numbers write."""
        walker = self.walker
        for node in nodes:
            if frame.depth >= MAX_DEPTH:
                self.too_deep(node, frame)
                return
            before = len(walker.commands)
            inner = replace(_substituted(frame), pipe=sources, stdin=said, heard=False)
            self.statements(node, inner, scope.copy(), node.children[1:-1])
            readers = tuple(range(before, len(walker.commands)))
            for source in sources:
                walker.mark(source, redirects=_leading_to(readers, walker.commands[source].redirects))

    def backticks(self, code: str, frame: Frame, scope: Scope, start: int, end: int) -> Said:
        """Commands between backticks where the grammar does not see them."""
        before = len(self.walker.commands)
        span = frame.span or (start + self.base, end + self.base)
        said = self.walker.code(code, replace(_substituted(frame), span=span), scope.copy())
        return said, tuple(range(before, len(self.walker.commands)))

    def span(self, frame: Frame, node: Node, end: Node | None = None) -> tuple[int, int]:
        """Where a node is in the text given."""
        if frame.span is not None:
            return frame.span
        return node.start_byte + self.base, (end or node).end_byte + self.base

    def bounded(self, nodes: list[Node], node: Node, frame: Frame) -> list[Node]:
        """As many of a statement's words as are read."""
        if len(nodes) <= MAX_WORDS:
            return nodes
        self.unknown(TOO_MANY_WORDS, node, frame)
        return nodes[:MAX_WORDS]

    def unknown(self, why: str, node: Node, frame: Frame, gap: Gap = "unread") -> None:
        """Something in a node that was not read."""
        self.walker.unknown(why, *self.span(frame, node), gap)

    def unreadable(self, node: Node, frame: Frame) -> None:
        """A node that the grammar could not make sense of."""
        self.unknown("a part of the command cannot be read", node, frame, "unreadable")

    def too_deep(self, node: Node, frame: Frame) -> None:
        """Code inside other code that is not followed any further."""
        self.unknown("commands are nested too deeply", node, frame)


def _leading_to(readers: tuple[int, ...], redirects: tuple[Redirect, ...]) -> tuple[Redirect, ...]:
    """Redirections with the commands that read what goes into a `> >(...)`."""
    return tuple(
        replace(item, target=replace(item.target, sources=readers)) if item.target.raw[:2] == ">(" else item
        for item in redirects
    )


def _substituted(frame: Frame) -> Frame:
    return replace(
        frame, in_substitution=True, depth=frame.depth + 1, heard=True, pipe=(), stdin=None, redirects=()
    )


Block = Callable[[Reader, Node, Frame, Scope], str | None]
Tailed = Callable[[Reader, Node, Frame, Scope, tuple[Node, ...]], str | None]

_CHAINS: dict[str, Tailed] = {
    "list": pipelines.and_or,
    "pipeline": pipelines.pipeline,
    "redirected_statement": flow.redirected,
    "negated_command": pipelines.negated,
}
"""Statements around others; they take no depth, and hand redirections on to their last one."""
_BLOCKS: dict[str, Block] = {
    "subshell": flow.subshell,
    "compound_statement": flow.compound,
    "do_group": flow.compound,
    "if_statement": flow.if_statement,
    "for_statement": flow.for_loop,
    "c_style_for_statement": flow.while_loop,
    "while_statement": flow.while_loop,
    "case_statement": flow.case_statement,
}
"""Statements whose redirections belong to every command inside."""
_OTHERS: dict[str, Tailed] = {
    "function_definition": flow.definition,
    "declaration_command": simple.declaration,
    "unset_command": simple.declaration,
    "variable_assignment": simple.assignments,
    "variable_assignments": simple.assignments,
    "test_command": simple.test,
}
