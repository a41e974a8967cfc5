"""Simple commands in a tree: their words, assignments and redirections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell.expansion import Expander
from hookd.shell.model import UNKNOWN, Command, Redirect, Word
from hookd.shell.parse import Node
from hookd.shell.programs import is_known
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.walker import Walker

MAX_WORDS = 4_000
"""A command with more words is read up to there."""
TOO_MANY_WORDS = "a command has too many words to be read"

WORDS = frozenset({
    "word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution",
    "process_substitution", "ansi_c_string", "number", "brace_expression", "arithmetic_expansion", "regex",
    "extglob_pattern", "translated_string", "test_operator", "variable_name", "special_variable_name", "$",
    "==",
    "=~", "=", "subscript", "array",
})  # fmt: skip
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
SEPARATORS = frozenset(
    {";", "&", "\n", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", ";;", ";&", ";;&", "do", "done"}
)


class Reader:
    """One text being walked. What is built on top of simple commands is in the classes that follow."""

    __slots__ = ("base", "text", "walker")

    def __init__(self, walker: Walker, text: str, base: int = 0) -> None:
        self.walker = walker
        self.text = text
        self.base = base  # where it begins in the text given

    def statement(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...] = ()) -> str | None:
        """One statement; tail holds redirections that the grammar hung on the list this is the end of."""
        raise NotImplementedError

    def statements(
        self, node: Node, frame: Frame, scope: Scope, nodes: Iterable[Node] | None = None
    ) -> str | None:
        """The statements directly in node, one after another; all they print, if it is known."""
        raise NotImplementedError

    def substitution(self, node: Node, frame: Frame, scope: Scope) -> tuple[str | None, tuple[int, ...]]:
        """The commands in $(...), `...`, <(...) or >(...); their known output."""
        raise NotImplementedError

    def backticks(
        self, code: str, frame: Frame, scope: Scope, start: int, end: int
    ) -> tuple[str | None, tuple[int, ...]]:
        """Commands between backticks where the grammar does not see them."""
        raise NotImplementedError

    def _leftover(self, node: Node, frame: Frame, scope: Scope) -> None:
        """What the grammar could not place: unknown, but the commands in it are still read."""
        if node.is_error or node.is_missing:
            self._unknown("a part of the command cannot be read", node, frame)
        inner = replace(frame, depth=frame.depth + 1)
        words: list[Node] = []
        for child in node.children:
            if child.type in WORDS or (child.type == "command_name"):
                words.append(child)
            else:
                self.statement(child, inner, scope)
        if words:
            Expander(self, self.text, inner, scope).words(words)

    def too_deep(self, node: Node, frame: Frame) -> None:
        """Code inside other code that is not followed any further."""
        self._unknown("commands are nested too deeply", node, frame)

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

    def _afterwards(
        self, after: list[Node], index: int, said: str | None, frame: Frame, scope: Scope
    ) -> str | None:
        """What stands on a here-document's first line behind it."""
        raise NotImplementedError

    def _span(self, frame: Frame, node: Node, end: Node | None = None) -> tuple[int, int]:
        """Where a node is in the text given."""
        if frame.span is not None:
            return frame.span
        return node.start_byte + self.base, (end or node).end_byte + self.base

    def _bounded(self, nodes: list[Node], node: Node, frame: Frame) -> list[Node]:
        """As many of a statement's words as are read."""
        if len(nodes) > MAX_WORDS:
            self._unknown(TOO_MANY_WORDS, node, frame)
        return nodes[:MAX_WORDS]

    def _unknown(self, why: str, node: Node, frame: Frame) -> None:
        self.walker.unknown(why, *self._span(frame, node))

    def _command(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
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
                self.statement(child, frame, scope)
            elif kind == "ERROR":
                self._unknown("a part of the command cannot be read", child, frame)
                nodes.extend(part for part in child.children if part.type in WORDS)
            elif (
                not child.is_named and kind not in SEPARATORS
            ):  # a lone "-", and other marks that are words here
                nodes.append(child)
        redirects.extend(tail)
        if len(nodes) > MAX_WORDS or len(assigned) > MAX_WORDS:
            self._unknown(TOO_MANY_WORDS, node, frame)
            del nodes[MAX_WORDS:], assigned[MAX_WORDS:]
        expander = Expander(self, self.text, frame, scope)
        assignments = tuple(self._assignment(child, expander, scope) for child in assigned)
        if nodes and nodes[0].type == "command_name":
            inside = nodes[0].children
            if nodes[0].start_byte == nodes[0].end_byte:
                nodes.pop(0)
            elif len(inside) == 1:
                nodes[0] = inside[0]
        words = expander.words(nodes)
        done, words_after, after = self._redirects(redirects, expander)
        words.extend(words_after)
        start, end = self._span(frame, node, tail[-1] if tail else None)
        if not words:
            if node.type == "command" and nodes and not assignments and not done:
                words = [Word("", True, self.text[nodes[0].start_byte : nodes[-1].end_byte])]
            else:
                return self._bare(assignments, done, frame, scope, start, end)
        return self._simple(words, assignments, done, after, frame, scope, start, end)

    def _simple(
        self,
        words: list[Word],
        assignments: tuple[tuple[str, Word], ...],
        redirects: tuple[Redirect, ...],
        after: list[Node],
        frame: Frame,
        scope: Scope,
        start: int,
        end: int,
    ) -> str | None:
        walker = self.walker
        index = len(walker.commands)
        program = words[0]
        if program.raw == "}" and len(words) == 1:  # closes what the grammar took for words
            return ""
        if frame.redirects:
            redirects = redirects + frame.redirects
        stdin, pipe = frame.stdin, frame.pipe
        for redirect in redirects:
            if redirect.operator in ("<<", "<<<"):
                stdin = redirect.target.text + ("\n" if redirect.operator == "<<<" else "")
            elif redirect.operator == "<" and not redirect.shared:
                stdin = None
        command = Command(
            name_of(program), program, tuple(words[1:]), assignments, redirects,
            pipe[-1] if pipe else None, pipe,
            None, scope.cwd, frame.wrappers, False, frame.wrapped_by, frame.place, frame.as_root,
            frame.background, frame.conditional, frame.in_loop, frame.endless, frame.in_function,
            frame.in_substitution, stdin, start, end,
        )  # fmt: skip
        here = (
            replace(frame, redirects=(), heard=frame.heard or bool(after))
            if frame.redirects or after
            else frame
        )
        said = walker.simple(command, here, scope)
        if after:
            return self._afterwards(after, index, said, frame, scope)
        return None if captured(redirects) else said

    def _bare(
        self,
        assignments: tuple[tuple[str, Word], ...],
        redirects: tuple[Redirect, ...],
        frame: Frame,
        scope: Scope,
        start: int,
        end: int,
    ) -> str | None:
        """Assignments that stay, and redirections that only open a file."""
        for name, value in assignments:
            scope.variables[name] = value if value.known or value.sources else None
        words = [Word(":", True, "")]
        return (self._simple(words, assignments, redirects, [], frame, scope, start, end) and None) or ""

    def _assignment(self, node: Node, expander: Expander, scope: Scope) -> tuple[str, Word]:
        """Its name and value; arrays and += are put into the scope here, which a scalar's caller does."""
        children = node.children
        name = self.text[children[0].start_byte : children[0].end_byte]
        if children[0].type == "subscript":
            self.expressions(children[0], expander.frame, scope)
        value_nodes = [child for child in children[1:] if child.is_named]
        if len(value_nodes) == 1 and value_nodes[0].type == "array":
            item_nodes = [child for child in value_nodes[0].children if child.type in WORDS]
            items = tuple(expander.words(self._bounded(item_nodes, node, expander.frame)))
            before = scope.value(name)
            added = children[1].type == "+="
            scope.variables[name] = (
                (before + items if isinstance(before, tuple) else items) if added else items
            )
            sources = tuple(source for item in items for source in item.sources)
            return f"{name}[]", Word(
                " ".join(item.text for item in items), all(item.known for item in items), "", False, sources
            )
        if not value_nodes:
            value = Word("")
        elif len(value_nodes) == 1:
            value = expander.word(value_nodes[0])
        else:
            value = Word(UNKNOWN, False, self.text[node.start_byte : node.end_byte])
        if len(children) > 1 and children[1].type == "+=":
            before = scope.value(name)
            text = before.text if isinstance(before, Word) else UNKNOWN
            value = replace(value, text=text + value.text, known=value.known and UNKNOWN not in text)
        return name, value

    def _redirects(
        self, nodes: list[Node], expander: Expander
    ) -> tuple[tuple[Redirect, ...], list[Word], list[Node]]:
        """Redirections, arguments the grammar took for targets, and what follows a here-document's start."""
        if not nodes:
            return (), [], []
        done: list[Redirect] = []
        words: list[Word] = []
        after: list[Node] = []
        for node in nodes:
            if node.type == "file_redirect":
                self._file_redirect(node, expander, done, words)
            elif node.type == "herestring_redirect":
                value = next((child for child in node.children if child.type in WORDS), None)
                done.append(Redirect("<<<", expander.word(value) if value is not None else Word("")))
            else:
                self._here_document(node, expander, done, words, after)
        return tuple(done), words, after

    def _file_redirect(self, node: Node, expander: Expander, done: list[Redirect], words: list[Word]) -> None:
        operator, fd = "", None
        targets: list[Node] = []
        for child in node.children:
            if child.type == "file_descriptor":
                number = self.text[child.start_byte : child.end_byte]
                fd = int(number) if number.isdigit() and len(number) < 6 else None
            elif child.type == "ERROR":
                if operator == "<" and self.text[child.start_byte : child.end_byte] == ">":
                    operator = "<>"
            elif child.type in WORDS:
                targets.append(child)
            elif not child.is_named and not operator:
                operator = child.type
        values = expander.words(targets)
        if operator.endswith("-"):
            words.extend(values)
            done.append(Redirect(operator[:-1], Word("-"), fd))
            return
        done.append(Redirect(operator or ">", values[0] if values else Word(UNKNOWN, False), fd))
        words.extend(values[1:])

    def _here_document(
        self, node: Node, expander: Expander, done: list[Redirect], words: list[Word], after: list[Node]
    ) -> None:
        quoted = tabs = False
        body: Node | None = None
        before = node.prev_sibling
        if before is not None:  # the grammar drops a lone "-" that stands before <<
            lost = self.text[before.end_byte : node.start_byte].replace("\\\n", " ").split()
            words.extend(Word(part, True, part) for part in lost)
        extra: list[Node] = []
        end = node.end_byte
        for child in node.children:
            kind = child.type
            if kind == "heredoc_start":
                quoted = any(mark in self.text[child.start_byte : child.end_byte] for mark in "'\"\\")
            elif kind == "<<-":
                tabs = True
            elif kind == "heredoc_body":
                body = child
            elif kind == "heredoc_end":
                end = child.start_byte
            elif kind == "file_redirect":
                self._file_redirect(child, expander, done, words)
            elif kind == "herestring_redirect":
                done.append(Redirect("<<<", Word(UNKNOWN, False)))
            elif kind in WORDS:
                extra.append(child)
            elif kind in ("&&", "||", "|", "|&") or (child.is_named and kind != "file_descriptor"):
                after.append(child)
        words.extend(expander.words(extra))
        if body is None:
            text = Word("")
        elif quoted:
            text = Word(self.text[body.start_byte : max(end, body.end_byte)])
        else:
            text = expander.document(body)
        if tabs:
            text = replace(text, text=re.sub(r"(?m)^\t+", "", text.text))
        done.append(Redirect("<<", text))


def captured(redirects: tuple[Redirect, ...]) -> bool:
    """Whether standard output goes elsewhere."""
    return any(item.operator in (">", ">>", ">|", "&>", "&>>") and item.fd in (None, 1) for item in redirects)


def shared(redirects: tuple[Redirect, ...]) -> tuple[Redirect, ...]:
    return (
        tuple(item if item.shared else replace(item, shared=True) for item in redirects) if redirects else ()
    )


def name_of(program: Word) -> str:
    """The base name of a program, "" if it is not known."""
    name = program.text.rpartition("/")[2] if "/" in program.text else program.text
    if program.glob or UNKNOWN in name or len(name) > 200:
        return ""
    if not name.islower() or name.endswith(".exe"):  # some file systems do not care
        lowered = name.lower().removesuffix(".exe")
        return lowered if is_known(lowered) else name
    return name
