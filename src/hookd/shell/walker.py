"""Collects the commands of a line while it is walked, and goes into whatever they run in turn."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hookd.shell import flow, output, wrappers
from hookd.shell.model import UNKNOWN, Command, Unknown, Word
from hookd.shell.plain import plain_words
from hookd.shell.programs import is_known
from hookd.shell.reader import Reader
from hookd.shell.redirects import shared
from hookd.shell.simple import name_of
from hookd.shell.state import MAX_DEPTH, MAX_LENGTH, Frame, Scope

MAX_COMMANDS = 600
MAX_STATEMENTS = 5_000
"""A loop inside a loop inside a loop is walked so many times that its commands alone are no bound."""
MAX_FAILURES = 3
"""After so many pieces of a long text that cannot be read the rest is left unread."""
SHORT = 1_000
"""A text shorter than this is never cut into pieces."""


class TooManyError(Exception):
    """A bound on what is walked is reached."""


class Walker:
    """Walks trees and collects commands and unknowns."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.unknowns: list[Unknown] = []
        self.calls: list[str] = []  # functions being walked
        self.walked = 0  # statements
        self.said: dict[tuple[int, ...], str] = {}  # known output of process substitutions, by their commands

    def walk(self, text: str, frame: Frame, scope: Scope) -> None:
        """The outermost text."""
        try:
            self._read(text, frame, scope)
        except TooManyError as error:
            self.unknown(str(error), 0, len(text))

    def _read(self, text: str, frame: Frame, scope: Scope) -> str | None:
        """Shell code; a long one piece by piece."""
        if (words := plain_words(text)) is not None:
            return Reader(self, text).line(words, frame, scope)
        if len(text) < SHORT:
            return Reader(self, text).whole(frame, scope)
        from hookd.shell.layout import pieces  # few lines are long

        parts, spoiled = pieces(text)
        if spoiled:
            start, end = frame.span or (0, len(text))
            self.unknown("a part of the command is too intricate to be read", start, end)
        said: str | None = ""
        failed = 0
        for start, end in parts:
            count = len(self.unknowns)
            heard = Reader(self, text[start:end], start).whole(frame, scope)
            said = said + heard if said is not None and heard is not None else None
            failed += len(self.unknowns) > count
            if failed > MAX_FAILURES and end < len(text):
                self.unknown("the rest of the command is not read", *(frame.span or (end, len(text))))
                break
        return said

    def step(self) -> None:
        """One more statement is walked."""
        self.walked += 1
        if self.walked > MAX_STATEMENTS:
            raise TooManyError("there are loops in loops that are not followed to their end")

    def unknown(self, why: str, start: int, end: int) -> None:
        """Something that could not be resolved; the same thing is said once."""
        found = Unknown(why, start, end)
        if (not self.unknowns or self.unknowns[-1] != found) and len(self.unknowns) < MAX_COMMANDS:
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
        return self._read(text, replace(frame, depth=frame.depth + 1), scope)

    def simple(self, command: Command, frame: Frame, scope: Scope) -> str | None:
        """A command whose words are known: recorded, then whatever it runs in turn; its known output."""
        commands = self.commands
        if len(commands) >= MAX_COMMANDS:
            raise TooManyError(f"there are more than {MAX_COMMANDS} commands")
        index = len(commands)
        commands.append(command)
        if not command.name:
            self.unknown("the command's name is not known", command.start, command.end)
            if command.program.text == UNKNOWN and command.args and is_known(command.args[0].text):
                # `$SUDO rm x`: the variable may well be empty, or hold a wrapper
                guessed = replace(frame, wrappers=(*frame.wrappers, "?"))
                self.inner(command.args, command, index, guessed, scope)
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
                name_of(program), program, tuple(words[1:]), outer.assignments + assignments,
                shared(outer.redirects), outer.reads_pipe, outer.pipe_sources, None, scope.cwd,
                frame.wrappers, False, index,
                frame.place, frame.as_root, frame.background, frame.conditional, frame.in_loop, frame.endless,
                frame.in_function,
                frame.in_substitution, outer.stdin_text if stdin is None else stdin, outer.start, outer.end,
            ),
            frame,
            scope,
        )  # fmt: skip

    def produced(self, before: int, frame: Frame) -> tuple[int, ...]:
        """The commands from index before on whose output goes on: not those inside substitutions."""
        commands = self.commands
        found = tuple(
            index
            for index in range(before, len(commands))
            if commands[index].in_substitution == frame.in_substitution
        )
        return found or tuple(range(before, len(commands)))

    def mark(self, index: int, **changes: object) -> None:
        """Facts about a recorded command that are known only after what follows it."""
        self.commands[index] = replace(self.commands[index], **changes)

    def _call(self, command: Command, index: int, frame: Frame, scope: Scope) -> str | None:
        function = scope.functions[command.name]
        if self.calls.count(command.name) > 1 or len(self.calls) >= MAX_DEPTH:
            return None
        self.calls.append(command.name)
        self.mark(index, wraps=True)
        inside = replace(
            frame,
            in_function=command.name,
            depth=frame.depth + 1,
            span=(command.start, command.end),
            redirects=command.redirects,
            pipe=command.pipe_sources,
            stdin=command.stdin_text,
        )
        try:
            with scope.call(command.args):
                return flow.call(Reader(self, function.text), function, inside, scope)
        finally:
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
