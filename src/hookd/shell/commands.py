"""Tree to every simple command that would run, in order, with what is known of its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from hookd.shell import output, wrappers
from hookd.shell.expansion import Expander
from hookd.shell.model import UNKNOWN, Command, Redirect, Script, Unknown, Word
from hookd.shell.parse import Node, parse
from hookd.shell.state import Frame, Function, Scope

MAX_LENGTH = 200_000
MAX_COMMANDS = 1_000
MAX_DEPTH = 32
MAX_ITEMS = 12
"""How many items of a literal list a loop is walked for."""

_WORDS = frozenset({
    "word", "string", "raw_string", "concatenation", "simple_expansion", "expansion", "command_substitution",
    "process_substitution", "ansi_c_string", "number", "brace_expression", "arithmetic_expansion", "regex",
    "extglob_pattern", "translated_string", "test_operator", "variable_name", "special_variable_name", "$", "==",
    "=~", "=", "subscript", "array",
})  # fmt: skip
_GROUPS = frozenset({"list", "pipeline", "negated_command", "redirected_statement"})
_SEPARATORS = frozenset(
    {";", "&", "\n", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", ";;", ";&", ";;&", "do", "done"}
)
_ODD_BLANK = re.compile(
    "[\\u00a0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202a-\\u202f\\u205f\\u2060\\u2066-\\u2069\\u3000\\ufeff]"
)
_TESTS = frozenset({"[", "[[", "test", "false", "grep"})


def script(text: str, *, cwd: str = "/", home: str = "/home/user", env: Mapping[str, str] = {}) -> Script:  # noqa: B006
    """Everything that text would run. It never raises; what it cannot read is in the unknowns."""
    walker = Walker()
    if len(text) > MAX_LENGTH:
        walker.unknown("the command is too long to be read", MAX_LENGTH, len(text))
        text = text[:MAX_LENGTH]
    if "\0" in text:
        walker.unknown("there is a NUL character", text.index("\0"), text.index("\0") + 1)
    if not text.isascii() and (odd := _ODD_BLANK.search(text)):
        walker.unknown("there is a character that looks like a blank or hides text", odd.start(), odd.end())
    scope = Scope(cwd, home, {name: Word(value) for name, value in env.items()})
    walker.walk(text, Frame(), scope)
    return Script(tuple(walker.commands), tuple(walker.unknowns))


class _Full(Exception):
    """The bound on commands is reached."""


class Walker:
    """Walks trees and collects commands and unknowns."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.unknowns: list[Unknown] = []
        self.calls: list[str] = []  # functions being walked
        self.said: dict[tuple[int, ...], str] = {}  # known output of process substitutions, by their commands

    def walk(self, text: str, frame: Frame, scope: Scope) -> None:
        """The outermost text."""
        try:
            _Text(self, text).statements(parse(text), frame, scope)
        except _Full:
            self.unknown(f"there are more than {MAX_COMMANDS} commands", 0, len(text))

    def unknown(self, why: str, start: int, end: int) -> None:
        """Something that could not be resolved; the same thing is said once."""
        found = Unknown(why, start, end)
        if not self.unknowns or self.unknowns[-1] != found:
            if len(self.unknowns) < MAX_COMMANDS:
                self.unknowns.append(found)

    def code(self, text: str, frame: Frame, scope: Scope) -> str | None:
        """A text that a command runs as shell code; its known output."""
        start, end = frame.span or (0, 0)
        if frame.depth >= MAX_DEPTH:
            self.unknown("commands are nested too deeply", start, end)
            return None
        if len(text) > MAX_LENGTH:
            self.unknown("the command is too long to be read", start, end)
            return None
        return _Text(self, text).statements(parse(text), replace(frame, depth=frame.depth + 1), scope)

    def simple(self, command: Command, frame: Frame, scope: Scope) -> str | None:
        """A command whose words are known: recorded, then whatever it runs in turn; its known output."""
        commands = self.commands
        if len(commands) >= MAX_COMMANDS:
            raise _Full
        index = len(commands)
        commands.append(command)
        if not command.name:
            self.unknown("the command's name is not known", command.start, command.end)
        elif not frame.plain and command.name in scope.functions and command.program.text == command.name:
            return self._call(command, index, frame, scope)
        elif not frame.plain and command.name in scope.aliases and command.program.text == command.name:
            return self._alias(command, index, frame, scope)
        if frame.depth >= MAX_DEPTH:
            self.unknown("commands are nested too deeply", command.start, command.end)
            return None
        wrappers.unwrap(self, command, index, frame, scope)
        if frame.heard:
            return output.of(commands[index])
        return None

    def inner(
        self,
        words: Sequence[Word],
        outer: Command,
        index: int,
        frame: Frame,
        scope: Scope,
        *,
        assignments: tuple[tuple[str, Word], ...] = (),
        stdin: str | None = None,
        plain: bool = True,
    ) -> str | None:
        """The command that a wrapper runs, given as words."""
        while words and words[0].raw in ("{", "}"):  # `time { a; }` is words to the grammar
            words = words[1:]
        if not words:
            return None
        program = words[0]
        frame = replace(frame, span=(outer.start, outer.end), depth=frame.depth + 1, plain=plain)
        return self.simple(
            Command(
                name_of(program), program, tuple(words[1:]), outer.assignments + assignments, _shared(outer.redirects),
                outer.reads_pipe, outer.pipe_sources, None, scope.cwd, frame.wrappers, False, index, frame.place,
                frame.as_root, frame.background, frame.conditional, frame.in_loop, frame.in_function,
                frame.in_substitution, outer.stdin_text if stdin is None else stdin, outer.start, outer.end,
            ),
            frame,
            scope,
        )  # fmt: skip

    def mark(self, index: int, **changes: object) -> None:
        """Facts about a recorded command that are known only after what follows it."""
        self.commands[index] = replace(self.commands[index], **changes)

    def _call(self, command: Command, index: int, frame: Frame, scope: Scope) -> str | None:
        function = scope.functions[command.name]
        if self.calls.count(command.name) > 1 or len(self.calls) >= MAX_DEPTH:
            return None
        self.calls.append(command.name)
        saved, scope.arguments = scope.arguments, command.args
        self.mark(index, wraps=True)
        try:
            return _Text(self, function.text).statement(
                function.body,
                replace(
                    frame,
                    in_function=command.name,
                    depth=frame.depth + 1,
                    span=(command.start, command.end),
                    redirects=command.redirects,
                    pipe=command.pipe_sources,
                    stdin=command.stdin_text,
                ),
                scope,
            )
        finally:
            scope.arguments = saved
            self.calls.pop()

    def _alias(self, command: Command, index: int, frame: Frame, scope: Scope) -> str | None:
        self.mark(index, wraps=True)
        rest = " ".join(output.quoted(word) for word in command.args)
        inner = replace(
            frame,
            plain=True,
            wrappers=(*frame.wrappers, "alias"),
            wrapped_by=index,
            span=(command.start, command.end),
        )
        return self.code(f"{scope.aliases[command.name].text} {rest}", inner, scope)


def _shared(redirects: tuple[Redirect, ...]) -> tuple[Redirect, ...]:
    return (
        tuple(item if item.shared else replace(item, shared=True) for item in redirects) if redirects else ()
    )


def name_of(program: Word) -> str:
    """The base name of a program, "" if it is not known."""
    name = program.text.rpartition("/")[2] if "/" in program.text else program.text
    if program.glob or UNKNOWN in name or len(name) > 200:
        return ""
    return name


class _Text:
    """One text being walked."""

    __slots__ = ("text", "walker")

    def __init__(self, walker: Walker, text: str) -> None:
        self.walker = walker
        self.text = text

    def statements(
        self, node: Node, frame: Frame, scope: Scope, nodes: Iterable[Node] | None = None
    ) -> str | None:
        """The statements directly in node, one after another; all they print, if it is known."""
        said: str | None = ""
        children = list(nodes) if nodes is not None else node.children
        for number, child in enumerate(children):
            if not child.is_named and child.type in _SEPARATORS:
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
        if frame.depth >= MAX_DEPTH:
            self._unknown("commands are nested too deeply", node, frame)
            return None
        handler = _HANDLERS.get(kind)
        if handler is not None:
            if kind in _CHAINS:
                return handler(self, node, frame, scope, tail)
            if tail and kind in _BLOCKS:
                return self._group(node, list(tail), frame, scope)
            return handler(self, node, replace(frame, depth=frame.depth + 1), scope, tail)
        if kind == "comment" or (not node.is_named and not node.is_missing):
            return ""
        return self._leftover(node, frame, scope)

    def _unknown(self, why: str, node: Node, frame: Frame) -> None:
        start, end = frame.span or (node.start_byte, node.end_byte)
        self.walker.unknown(why, start, end)

    def _leftover(self, node: Node, frame: Frame, scope: Scope) -> None:
        """What the grammar could not place: unknown, but the commands in it are still read."""
        if node.is_error or node.is_missing:
            self._unknown("a part of the command cannot be read", node, frame)
        inner = replace(frame, depth=frame.depth + 1)
        words: list[Node] = []
        for child in node.children:
            if child.type in _WORDS or (child.type == "command_name"):
                words.append(child)
            else:
                self.statement(child, inner, scope)
        if words:
            Expander(self, self.text, inner, scope).words(words)

    # Simple commands

    def _command(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        nodes: list[Node] = []
        redirects: list[Node] = []
        assigned: list[Node] = []
        for child in node.children:
            kind = child.type
            if kind in _WORDS or kind == "command_name":
                nodes.append(child)
            elif kind == "variable_assignment":
                assigned.append(child)
            elif kind in _REDIRECTS:
                redirects.append(child)
            elif kind == "subshell":  # `f (a)`: not valid, but its commands are there to be read
                self.statement(child, frame, scope)
            elif kind == "ERROR":
                self._unknown("a part of the command cannot be read", child, frame)
                nodes.extend(part for part in child.children if part.type in _WORDS)
            elif (
                not child.is_named and kind not in _SEPARATORS
            ):  # a lone "-", and other marks that are words here
                nodes.append(child)
        redirects.extend(tail)
        expander = Expander(self, self.text, frame, scope)
        assignments = tuple(self._assignment(child, expander, frame, scope) for child in assigned)
        if nodes and nodes[0].type == "command_name":
            inside = nodes[0].children
            if nodes[0].start_byte == nodes[0].end_byte:
                nodes.pop(0)
            elif len(inside) == 1:
                nodes[0] = inside[0]
        words = expander.words(nodes)
        done, words_after, after = self._redirects(redirects, expander)
        words.extend(words_after)
        start, end = frame.span or (
            node.start_byte,
            max(node.end_byte, *(item.end_byte for item in tail)) if tail else node.end_byte,
        )
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
            name_of(program), program, tuple(words[1:]), assignments, redirects, pipe[-1] if pipe else None, pipe,
            None, scope.cwd, frame.wrappers, False, frame.wrapped_by, frame.place, frame.as_root, frame.background,
            frame.conditional, frame.in_loop, frame.in_function, frame.in_substitution, stdin, start, end,
        )  # fmt: skip
        here = (
            replace(frame, redirects=(), heard=frame.heard or bool(after))
            if frame.redirects or after
            else frame
        )
        said = walker.simple(command, here, scope)
        if after:
            return self._afterwards(after, index, said, frame, scope)
        return None if _captured(redirects) else said

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
        return self._simple(words, assignments, redirects, [], frame, scope, start, end) and None or ""

    def _assignment(self, node: Node, expander: Expander, frame: Frame, scope: Scope) -> tuple[str, Word]:
        """Its name and value; arrays and += are put into the scope here, which a scalar's caller does."""
        children = node.children
        name = self.text[children[0].start_byte : children[0].end_byte]
        value_nodes = [child for child in children[1:] if child.is_named]
        if len(value_nodes) == 1 and value_nodes[0].type == "array":
            items = tuple(
                expander.words([child for child in value_nodes[0].children if child.type in _WORDS])
            )
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
        """Redirections, the arguments the grammar took for targets, and what follows a here-document's opening."""
        if not nodes:
            return (), [], []
        done: list[Redirect] = []
        words: list[Word] = []
        after: list[Node] = []
        for node in nodes:
            if node.type == "file_redirect":
                self._file_redirect(node, expander, done, words)
            elif node.type == "herestring_redirect":
                value = next((child for child in node.children if child.type in _WORDS), None)
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
            elif child.type in _WORDS:
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
            elif kind in _WORDS:
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

    # Compositions

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

    def _redirected(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        body: Node | None = None
        redirects: list[Node] = []
        for child in node.children:
            if child.type in _REDIRECTS:
                redirects.append(child)
            elif child.is_named and body is None and child.type != "comment":
                body = child
        redirects.extend(tail)
        if body is None:
            expander = Expander(self, self.text, frame, scope)
            done, words, after = self._redirects(redirects, expander)
            start, end = frame.span or (node.start_byte, node.end_byte)
            if words:
                return self._simple(words, (), done, after, frame, scope, start, end)
            return self._bare((), done, frame, scope, start, end)
        if body.type in _GROUPS or body.type == "command":
            return self.statement(body, frame, scope, tuple(redirects))
        return self._group(body, redirects, frame, scope)

    def _group(self, body: Node, redirects: list[Node], frame: Frame, scope: Scope) -> str | None:
        """Redirections of a compound statement: every command inside has them, the first one opens the file."""
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
            start, end = frame.span or (body.start_byte, body.end_byte)
            self._bare((), kept, frame, scope, start, end)
        if words:
            self._unknown("a part of the command cannot be read", body, frame)
        if after:
            return self._afterwards(after, max(len(self.walker.commands) - 1, 0), said, frame, scope)
        return None if _captured(kept) else said

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
            self._expressions(node, frame, scope)
            return ""
        return self.statements(node, frame, scope)

    def _if(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> None:  # noqa: ARG002
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
                self.statements(child, replace(frame, conditional=True, depth=frame.depth + 1), branch)
                paths.append(branch)
            elif child.is_named:
                self.statement(child, inner, scope)
            elif child.is_missing:
                self._unknown("a part of the command cannot be read", child, frame)
        for path in paths or ([before] if before is not None else []):
            scope.merge(path)

    def _for(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> None:  # noqa: ARG002
        name = ""
        values: list[Node] = []
        body: Node | None = None
        listed = False
        for child in node.children:
            kind = child.type
            if kind == "variable_name" and not name:
                name = self.text[child.start_byte : child.end_byte]
            elif kind == "in":
                listed = True
            elif kind in ("do_group", "compound_statement"):
                body = child
            elif kind in _WORDS:
                values.append(child)
            elif child.is_error or child.is_missing:
                self._unknown("a part of the command cannot be read", child, frame)
        items = Expander(self, self.text, frame, scope).words(values)
        if not listed:
            items = list(scope.arguments) if scope.arguments is not None else [Word(UNKNOWN, False)]
        if body is None:
            return
        inner = replace(frame, in_loop=True, conditional=True)
        if len(items) > MAX_ITEMS:
            self._unknown("a loop has too many items to follow", node, frame)
            items = [*items[:MAX_ITEMS], Word(UNKNOWN, False)]
        for item in items:
            scope.variables[name] = item if item.known or item.text != UNKNOWN or item.sources else None
            self.statements(body, inner, scope)

    def _while(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> None:  # noqa: ARG002
        """Walked once, and again if it changed what was known at its start."""
        inner = replace(frame, in_loop=True)
        before = scope.copy()
        count = len(self.walker.commands)
        for _ in range(2):
            for child in node.children:
                if child.type == "do_group":
                    self.statements(child, replace(inner, conditional=True), scope)
                elif child.type in ("c_style_for_statement",) or child.is_named:
                    self._part(child, inner, scope)
            changed = {
                name
                for name, value in before.variables.items()
                if value is not None and scope.variables.get(name) != value
            }
            if not changed or scope.cwd != before.cwd or len(self.walker.commands) - count > MAX_ITEMS:
                break
            for name in changed:
                before.variables.pop(name)
        scope.merge(before)

    def _part(self, child: Node, frame: Frame, scope: Scope) -> None:
        if child.type in _HANDLERS or child.type == "command":
            self.statement(child, frame, scope)
        elif child.is_error:
            self._leftover(child, frame, scope)
        else:
            self._expressions(child, frame, scope)

    def _case(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> None:  # noqa: ARG002
        inner = replace(frame, conditional=True)
        before = scope.copy()
        for child in node.children:
            if child.type == "case_item":
                branch = before.copy()
                parts = child.children
                border = next((number for number, part in enumerate(parts) if part.type == ")"), 0)
                self.statements(child, inner, branch, parts[border + 1 :])
                scope.merge(branch)
            elif child.is_error or child.is_missing:
                self._unknown("a part of the command cannot be read", child, frame)
            elif child.type in _WORDS:
                Expander(self, self.text, frame, scope).word(child)

    def _function(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:  # noqa: ARG002
        name, body = "", None
        for child in node.children:
            if child.type == "word" and not name:
                name = self.text[child.start_byte : child.end_byte]
            elif child.is_named:
                body = child if body is None else body
                if child.is_error or child.is_missing:
                    self._unknown("a part of the command cannot be read", child, frame)
        if name and body is not None:
            holder = node if any(child.type in _REDIRECTS for child in node.children) else body
            scope.functions[name] = Function(holder if holder is not node else body, self.text)
        return ""

    def _declaration(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        """export, declare, local, readonly, typeset, unset."""
        expander = Expander(self, self.text, frame, scope)
        children = node.children
        keyword = self.text[children[0].start_byte : children[0].end_byte]
        words = [Word(keyword, True, keyword)]
        assignments = []
        for child in children[1:]:
            if child.type == "variable_assignment":
                name, value = self._assignment(child, expander, frame, scope)
                assignments.append((name, value))
                if not name.endswith("[]"):
                    scope.variables[name] = value if value.known or value.sources else None
            elif child.type in _WORDS:
                words.extend(expander.words([child]))
            elif child.is_error:
                self._leftover(child, frame, scope)
        if keyword in ("unset", "unsetenv"):
            for word in words[1:]:
                scope.variables[word.text] = Word("")
                scope.functions.pop(word.text, None)
        done, more, after = self._redirects(list(tail), expander)
        start, end = frame.span or (node.start_byte, node.end_byte)
        self._simple([*words, *more], tuple(assignments), done, after, frame, scope, start, end)
        return ""

    def _assignments(self, node: Node, frame: Frame, scope: Scope, tail: tuple[Node, ...]) -> str | None:
        expander = Expander(self, self.text, frame, scope)
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        done, _, _ = self._redirects(list(tail), expander)
        start, end = frame.span or (node.start_byte, node.end_byte)
        pairs = []
        for child in nodes:
            if child.type != "variable_assignment":
                self._leftover(child, frame, scope)
                continue
            name, value = self._assignment(child, expander, frame, scope)
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
            if child.type in _WORDS:
                leaves.append(child)
            elif child.is_error:
                self._leftover(child, frame, scope)
            elif child.is_missing:
                self._unknown("a part of the command cannot be read", child, frame)
            else:
                waiting.extend(reversed(child.children))
        words = [word for leaf in leaves for word in expander.words([leaf])]
        done, _, after = self._redirects(list(tail), expander)
        start, end = frame.span or (node.start_byte, node.end_byte)
        self._simple([Word(opening, True, opening), *words], (), done, after, frame, scope, start, end)
        return ""

    def _expressions(self, node: Node, frame: Frame, scope: Scope) -> None:
        """Arithmetic is ignored, except for the commands substituted in it."""
        waiting = [node]
        while waiting:
            child = waiting.pop()
            if child.type in ("command_substitution", "process_substitution"):
                self.substitution(child, frame, scope)
            else:
                waiting.extend(child.children)

    # Code inside words

    def substitution(self, node: Node, frame: Frame, scope: Scope) -> tuple[str | None, tuple[int, ...]]:
        """The commands in $(...), `...`, <(...) or >(...); their known output."""
        if frame.depth >= MAX_DEPTH:
            self._unknown("commands are nested too deeply", node, frame)
            return None, ()
        children = node.children
        if children[0].type == "`" and "\\" in (code := self.text[node.start_byte + 1 : node.end_byte - 1]):
            from hookd.shell.quoting import backticked  # only for nested backticks

            return self.backticks(backticked(code), frame, scope, node.start_byte, node.end_byte)
        inner = self._substituted(frame)
        before = len(self.walker.commands)
        first = next((child for child in children if child.is_named), None)
        if first is not None and first.type == "file_redirect":  # $(< file)
            done, _, _ = self._redirects([first], Expander(self, self.text, inner, scope))
            start, end = frame.span or (node.start_byte, node.end_byte)
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
            code, replace(self._substituted(frame), span=frame.span or (start, end)), scope.copy()
        )
        return said, tuple(range(before, len(self.walker.commands)))

    @staticmethod
    def _substituted(frame: Frame) -> Frame:
        return replace(
            frame, in_substitution=True, depth=frame.depth + 1, heard=True, pipe=(), stdin=None, redirects=()
        )


def _captured(redirects: tuple[Redirect, ...]) -> bool:
    """Whether standard output goes elsewhere."""
    return any(item.operator in (">", ">>", ">|", "&>", "&>>") and item.fd in (None, 1) for item in redirects)


_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_CHAINS = frozenset({"list", "pipeline", "redirected_statement", "negated_command"})
_BLOCKS = frozenset({
    "subshell", "compound_statement", "if_statement", "for_statement", "c_style_for_statement", "while_statement",
    "case_statement", "function_definition",
})  # fmt: skip
_HANDLERS = {
    "list": _Text._list,
    "pipeline": _Text._pipeline,
    "redirected_statement": _Text._redirected,
    "negated_command": _Text._negated,
    "subshell": _Text._subshell,
    "compound_statement": _Text._compound,
    "if_statement": _Text._if,
    "for_statement": _Text._for,
    "c_style_for_statement": _Text._while,
    "while_statement": _Text._while,
    "case_statement": _Text._case,
    "function_definition": _Text._function,
    "declaration_command": _Text._declaration,
    "unset_command": _Text._declaration,
    "variable_assignment": _Text._assignments,
    "variable_assignments": _Text._assignments,
    "test_command": _Text._test,
    "do_group": _Text._compound,
}
