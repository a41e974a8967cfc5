"""Every kind of statement, and the code inside words."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from hookd.shell import quoting
from hookd.shell.expansion import Expander
from hookd.shell.flow import Flow
from hookd.shell.model import Word
from hookd.shell.parse import Node, parse
from hookd.shell.reading import MAX_WORDS, SEPARATORS, TOO_MANY_WORDS, WORDS
from hookd.shell.state import MAX_DEPTH, Frame, Scope


class Text(Flow):
    """A text and all that is in it."""

    __slots__ = ()

    def whole(self, frame: Frame, scope: Scope) -> str | None:
        """All of it; an error that no statement has told of is told here."""
        root = parse(self.text)
        count = len(self.walker.unknowns)
        said = self.statements(root, frame, scope)
        if root.has_error and len(self.walker.unknowns) == count:
            self._unknown("a part of the command cannot be read", root, frame)
        return said

    def line(self, words: list[Word], frame: Frame, scope: Scope) -> str | None:
        """All of it, where it is one command whose words are told already."""
        start, end = frame.span or (self.base, self.base + len(self.text))
        if len(words) > MAX_WORDS:
            self.walker.unknown(TOO_MANY_WORDS, start, end)
            del words[MAX_WORDS:]
        return self._simple(words, (), (), [], frame, scope, start, end)

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
            return self._command(node, frame, scope, tail)
        if kind == "comment":
            return ""
        self.walker.step()
        if frame.depth >= MAX_DEPTH:
            self.too_deep(node, frame)
            return None
        handler = _HANDLERS.get(kind)
        if handler is not None:
            if kind in _CHAINS:
                return handler(self, node, frame, scope, tail)
            if tail and kind in _BLOCKS:
                return self._group(node, list(tail), frame, scope)
            return handler(self, node, replace(frame, depth=frame.depth + 1), scope, tail)
        if not node.is_named and not node.is_missing:
            return ""
        self._leftover(node, frame, scope)
        return None

    def _declaration(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        """export, declare, local, readonly, typeset, unset."""
        expander = Expander(self, self.text, frame, scope)
        children = node.children
        keyword = self.text[children[0].start_byte : children[0].end_byte]
        words = [Word(keyword, True, keyword)]
        assignments = []
        for child in self._bounded(children[1:], node, frame):
            if child.type == "variable_assignment":
                if scope.hidden is not None and keyword in ("local", "declare", "typeset"):
                    hidden = self.text[child.start_byte : child.end_byte].partition("=")[0]
                    scope.hidden.setdefault(hidden, scope.value(hidden))
                name, value = self._assignment(child, expander, scope)
                assignments.append((name, value))
                if len(words) > 1 and any(word.text[:1] == "-" and "n" in word.text for word in words):
                    scope.variables[name] = None  # it stands for another variable
                elif not name.endswith("[]"):
                    scope.variables[name] = value if value.known or value.sources else None
            elif child.type in WORDS:
                words.extend(expander.words([child]))
            elif child.is_error:
                self._leftover(child, frame, scope)
        if keyword in ("unset", "unsetenv"):
            for word in words[1:]:
                scope.variables[word.text] = Word("")
                scope.functions.pop(word.text, None)
        done, more, after = self._redirects(list(tail), expander)
        start, end = self._span(frame, node)
        self._simple([*words, *more], tuple(assignments), done, after, frame, scope, start, end)
        return ""

    def _assignments(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        expander = Expander(self, self.text, frame, scope)
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        nodes = self._bounded(nodes, node, frame)
        done, _, _ = self._redirects(list(tail), expander)
        start, end = self._span(frame, node)
        pairs = []
        for child in nodes:
            if child.type != "variable_assignment":
                self._leftover(child, frame, scope)
                continue
            name, value = self._assignment(child, expander, scope)
            pairs.append((name, value))
            if not name.endswith("[]"):
                scope.variables[name] = value if value.known or value.sources else None
        self._simple([Word(":", True, "")], tuple(pairs), done, [], frame, scope, start, end)
        return ""

    def _test(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        expander = Expander(self, self.text, frame, scope)
        leaves: list[Node] = []
        waiting = list(node.children)[::-1]
        opening = waiting[-1].type if waiting else "["
        while waiting:
            child = waiting.pop()
            if child.type in WORDS:
                leaves.append(child)
            elif child.is_error:
                self._leftover(child, frame, scope)
            elif child.is_missing:
                self._unknown("a part of the command cannot be read", child, frame)
            else:
                waiting.extend(reversed(child.children))
        words = [word for leaf in leaves for word in expander.words([leaf])]
        done, _, after = self._redirects(list(tail), expander)
        start, end = self._span(frame, node)
        self._simple([Word(opening, True, opening), *words], (), done, after, frame, scope, start, end)
        return ""

    def substitution(self, node: Node, frame: Frame, scope: Scope) -> tuple[str | None, tuple[int, ...]]:
        """The commands in $(...), `...`, <(...) or >(...); their known output."""
        if frame.depth >= MAX_DEPTH:
            self.too_deep(node, frame)
            return None, ()
        children = node.children
        if children[0].type == "`" and "\\" in (code := self.text[node.start_byte + 1 : node.end_byte - 1]):
            return self.backticks(quoting.backticked(code), frame, scope, node.start_byte, node.end_byte)
        inner = self._substituted(frame)
        before = len(self.walker.commands)
        first = next((child for child in children if child.is_named), None)
        if first is not None and first.type == "file_redirect":  # $(< file)
            done, _, _ = self._redirects([first], Expander(self, self.text, inner, scope))
            start, end = self._span(frame, node)
            cat = Word("cat", True, "")
            self._simple([cat], (), done, [], inner, scope.copy(), start, end)
            return None, (before,)
        said = self.statements(node, inner, scope.copy(), children[1:-1])
        sources = self._produced(before, inner)
        if said is not None and children[0].type == "<(":
            self.walker.said[sources] = said
        return said, sources

    def backticks(
        self, code: str, frame: Frame, scope: Scope, start: int, end: int
    ) -> tuple[str | None, tuple[int, ...]]:
        """Commands between backticks where the grammar does not see them."""
        before = len(self.walker.commands)
        said = self.walker.code(
            code,
            replace(self._substituted(frame), span=frame.span or (start + self.base, end + self.base)),
            scope.copy(),
        )
        return said, tuple(range(before, len(self.walker.commands)))

    @staticmethod
    def _substituted(frame: Frame) -> Frame:
        return replace(
            frame, in_substitution=True, depth=frame.depth + 1, heard=True, pipe=(), stdin=None, redirects=()
        )


_CHAINS = frozenset({"list", "pipeline", "redirected_statement", "negated_command"})
_BLOCKS = frozenset({
    "subshell", "compound_statement", "if_statement", "for_statement", "c_style_for_statement",
    "while_statement",
    "case_statement",
})  # fmt: skip
_HANDLERS = {
    "list": Text._list,
    "pipeline": Text._pipeline,
    "redirected_statement": Text._redirected,
    "negated_command": Text._negated,
    "subshell": Text._subshell,
    "compound_statement": Text._compound,
    "if_statement": Text._if,
    "for_statement": Text._for,
    "c_style_for_statement": Text._while,
    "while_statement": Text._while,
    "case_statement": Text._case,
    "function_definition": Text._function,
    "declaration_command": Text._declaration,
    "unset_command": Text._declaration,
    "variable_assignment": Text._assignments,
    "variable_assignments": Text._assignments,
    "test_command": Text._test,
    "do_group": Text._compound,
}
