"""A wrapper met in its place, and the ways it can go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from hookd.shell.model import UNKNOWN, Code, Command, Word
from hookd.shell.redirects import shared
from hookd.shell.simple import Assignments, made
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.commands import Walker


class Run(msgspec.Struct, frozen=True, gc=False):
    """A wrapper met in its place, and the ways it can go on."""

    walker: Walker
    command: Command
    index: int
    frame: Frame
    scope: Scope

    def within(self, label: str, **changes: object) -> Frame:
        """The frame of what runs inside."""
        return replace(
            self.frame,
            wrappers=(*self.frame.wrappers, label),
            wrapped_by=self.index,
            span=(self.command.start, self.command.end),
            redirects=(),
            **changes,
        )

    def words(
        self,
        words: Sequence[Word],
        frame: Frame,
        *,
        assignments: Assignments = (),
        stdin: str | None = None,
        plain: bool = True,
    ) -> None:
        """A command given as words."""
        outer = self.command
        if words and outer.name:  # without a name it is only guessed to run them
            self.walker.mark(self.index, wraps=True)
        while words and words[0].raw in ("{", "}"):  # `time { a; }` is words to the grammar
            words = words[1:]
        if words:
            frame = replace(frame, depth=frame.depth + 1, plain=plain)
            stdin = outer.stdin_text if stdin is None else stdin
            given = outer.assignments + assignments
            span = outer.start, outer.end
            inner = made(words, given, shared(outer.redirects), stdin, frame, self.scope, span)
            self.walker.simple(inner, frame, self.scope)

    def code(self, text: str, label: str, frame: Frame | None = None, scope: Scope | None = None) -> None:
        """Shell code; a text that is wholly unknown is said to be so."""
        if not text.strip(UNKNOWN + " \t\n"):
            if text.strip():
                self.unknown(f"{label} runs code that is not known")
            return
        self.walker.mark(self.index, wraps=True)
        frame = frame or self.within(label)
        frame = replace(frame, pipe=self.command.pipe_sources, stdin=self.command.stdin_text)
        self.walker.code(text, frame, scope if scope is not None else self.scope.copy())

    def codes(self, words: Iterable[Word], label: str, frame: Frame | None = None) -> None:
        """Shell code in each of some words."""
        for word in words:
            self.code(word.text, label, frame)

    def runs(self, code: Code) -> None:
        """A text in another language that the command runs."""
        self.walker.mark(self.index, code=(*self.walker.commands[self.index].code, code))

    def unknown(self, why: str) -> None:
        """Something about this command that is only known when it runs."""
        self.walker.unknown(why, self.command.start, self.command.end, "unresolved")

    def unread(self, why: str) -> None:
        """Something about this command that is past a limit, so that nobody has read it."""
        self.walker.unknown(why, self.command.start, self.command.end)


def joined(words: Iterable[Word]) -> str:
    """Words as the code that they make together."""
    return " ".join(word.text for word in words)
