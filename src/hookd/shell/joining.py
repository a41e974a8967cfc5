"""Commands put together: lists, pipelines, groups, and the redirections that belong to them."""

from __future__ import annotations

from msgspec.structs import replace

from hookd.shell.expansion import Expander
from hookd.shell.model import Redirect
from hookd.shell.parse import Node
from hookd.shell.reading import REDIRECTS, Reader, captured
from hookd.shell.state import Frame, Scope

_GROUPS = frozenset({"list", "pipeline", "negated_command", "redirected_statement"})
_TESTS = frozenset({"[", "[[", "test", "false", "grep"})


class Joining(Reader):
    """Lists, pipelines and groups."""

    __slots__ = ()

    def _list(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
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
        before_first = len(self.walker.commands)
        for number, part in enumerate(parts):
            if not part.is_named:
                operator = part.type
                continue
            before = None
            here = frame
            if number:
                here = frame if frame.conditional else replace(frame, conditional=True)
                if operator == "||" or self._only_tests(before_first):
                    before = scope.copy()
            heard = self.statement(part, here, scope, tail if number == last else ())
            said = said + heard if said is not None and heard is not None and operator != "||" else None
            if before is not None:
                if operator == "||":
                    scope.cwd, before.cwd = before.cwd, before.cwd
                scope.merge(before)
        return said

    def _only_tests(self, first: int) -> bool:
        names = [command.name for command in self.walker.commands[first:]]
        return bool(names) and names[-1] in _TESTS

    def _pipeline(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        return self._stages(node, frame, scope, tail, first=frame.pipe, said=frame.stdin)

    def _stages(
        self,
        node: Node,
        frame: Frame,
        scope: Scope,
        tail: tuple[Node, ...],
        *,
        first: tuple[int, ...],
        said: str | None,
    ) -> str | None:
        walker = self.walker
        stages = [child for child in node.children if child.is_named and child.type != "comment"]
        sources = first
        for number, stage in enumerate(stages):
            last = number == len(stages) - 1
            here = replace(frame, pipe=sources, stdin=said, heard=frame.heard or not last)
            before = len(walker.commands)
            said = self.statement(
                stage, here, scope if len(stages) == 1 else scope.copy(), tail if last else ()
            )
            produced = self._produced(before, frame)
            if sources and number + bool(first) and len(walker.commands) > before:
                for source in sources:
                    if walker.commands[source].writes_pipe is None:
                        walker.mark(source, writes_pipe=before)
            sources = produced
        return said

    def _produced(self, before: int, frame: Frame) -> tuple[int, ...]:
        """The commands from index before on whose output goes on: not those inside substitutions."""
        commands = self.walker.commands
        found = tuple(
            index
            for index in range(before, len(commands))
            if commands[index].in_substitution == frame.in_substitution
        )
        return found or tuple(range(before, len(commands)))

    def _afterwards(
        self, after: list[Node], index: int, said: str | None, frame: Frame, scope: Scope
    ) -> str | None:
        """What stands on a here-document's first line behind it."""
        sources = (index,)
        for node in after:
            if node.type == "pipeline":
                said = self._stages(node, frame, scope, (), first=sources, said=said)
            elif node.type in ("&&", "||"):
                frame = replace(frame, conditional=True)
            elif node.is_named:
                heard = self.statement(node, frame, scope)
                said = said + heard if said is not None and heard is not None else None
        return said

    def _redirected(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        body: Node | None = None
        redirects: list[Node] = []
        for child in node.children:
            if child.type in REDIRECTS:
                redirects.append(child)
            elif child.is_named and body is None and child.type != "comment":
                body = child
        redirects.extend(tail)
        if body is None:
            expander = Expander(self, self.text, frame, scope)
            done, words, after = self._redirects(redirects, expander)
            start, end = self._span(frame, node)
            if words:
                return self._simple(words, (), done, after, frame, scope, start, end)
            return self._bare((), done, frame, scope, start, end)
        if body.type in _GROUPS or body.type in ("command", "function_definition"):
            return self.statement(body, frame, scope, tuple(redirects))
        return self._group(body, redirects, frame, scope)

    def _group(self, body: Node, redirects: list[Node], frame: Frame, scope: Scope) -> str | None:
        """Redirections of a compound statement: every command inside has them, the first opens the file."""
        expander = Expander(self, self.text, frame, scope)
        done, words, after = self._redirects(redirects, expander)
        stdin = frame.stdin
        for redirect in done:
            if redirect.operator in ("<<", "<<<"):
                stdin = redirect.target.text
        kept = tuple(redirect for redirect in done if redirect.operator not in ("<<", "<<<"))
        before = len(self.walker.commands)
        inner = replace(
            frame, redirects=frame.redirects + kept, stdin=stdin, heard=frame.heard or bool(after)
        )
        said = self.statement(body, inner, scope)
        self._share(before, kept)
        if len(self.walker.commands) == before and kept:
            start, end = self._span(frame, body)
            self._bare((), kept, frame, scope, start, end)
        if words:
            self._unknown("a part of the command cannot be read", body, frame)
        if after:
            return self._afterwards(after, max(len(self.walker.commands) - 1, 0), said, frame, scope)
        return None if captured(kept) else said

    def _share(self, before: int, kept: tuple[Redirect, ...]) -> None:
        if not kept:
            return
        for index in range(before + 1, len(self.walker.commands)):
            command = self.walker.commands[index]
            if any(item in kept for item in command.redirects):
                self.walker.mark(
                    index,
                    redirects=tuple(
                        replace(item, shared=True) if item in kept else item for item in command.redirects
                    ),
                )

    def _negated(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        said: str | None = ""
        for child in node.children:
            if child.is_named:
                said = self.statement(child, frame, scope, tail)
        return said

    def _subshell(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:  # noqa: ARG002
        return self.statements(node, frame, scope.copy())

    def _compound(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:  # noqa: ARG002
        if node.child_count and node.children[0].type == "((":
            self.expressions(node, frame, scope)
            return ""
        return self.statements(node, frame, scope)
