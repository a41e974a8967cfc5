"""A wrapper met in its place, and the ways it can go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.walker import Walker


class Run:
    """A wrapper met in its place, and the ways it can go on."""

    __slots__ = ("command", "frame", "index", "scope", "walker")

    def __init__(self, walker: Walker, command: Command, index: int, frame: Frame, scope: Scope) -> None:
        self.walker = walker
        self.command = command
        self.index = index
        self.frame = frame
        self.scope = scope

    def within(self, label: str, **changes: object) -> Frame:
        """The frame of what runs inside."""
        command = self.command
        wrappers = (*self.frame.wrappers, label)
        return replace(
            self.frame,
            wrappers=wrappers,
            wrapped_by=self.index,
            span=(command.start, command.end),
            redirects=(),
            **changes,
        )

    def words(
        self,
        words: Sequence[Word],
        label: str,
        frame: Frame | None = None,
        *,
        assignments: tuple[tuple[str, Word], ...] = (),
        stdin: str | None = None,
        plain: bool = True,
    ) -> None:
        """A command given as words."""
        if words:
            self.walker.mark(self.index, wraps=True)
            self.walker.inner(
                words,
                self.command,
                self.index,
                frame or self.within(label),
                self.scope,
                assignments=assignments,
                stdin=stdin,
                plain=plain,
            )

    def code(
        self, word: Word | None, label: str, frame: Frame | None = None, scope: Scope | None = None
    ) -> None:
        """Shell code; a word that is wholly unknown is said to be so."""
        if word is None:
            return
        if not word.text.strip(UNKNOWN + " \t\n"):
            if word.text.strip():
                self.unknown(f"{label} runs code that is not known")
            return
        self.walker.mark(self.index, wraps=True)
        frame = frame or self.within(label)
        frame = replace(frame, pipe=self.command.pipe_sources, stdin=self.command.stdin_text)
        self.walker.code(word.text, frame, scope if scope is not None else self.scope.copy())

    def unknown(self, why: str) -> None:
        """Something about this command that cannot be known."""
        self.walker.unknown(why, self.command.start, self.command.end)


def joined(words: Sequence[Word]) -> Word | None:
    if not words:
        return None
    text = " ".join(word.text for word in words)
    return Word(
        text, UNKNOWN not in text, text, False, tuple(source for word in words for source in word.sources)
    )
