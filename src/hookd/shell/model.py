"""What is known about a shell line: words, redirections, commands, what they do, and what is not known."""

from __future__ import annotations

from typing import Literal

import msgspec

UNKNOWN = "\0"
"""Stands in a word's text for a part whose value cannot be known before the line runs."""

Place = Literal["local", "remote", "container"]


class Word(msgspec.Struct, frozen=True, gc=False):
    """One argument after quotes are removed and known variables, ~ and braces expanded."""

    text: str
    known: bool = True  # no part of text is UNKNOWN
    raw: str = ""  # as written
    glob: bool = False  # an unquoted * ? [ is left in it
    sources: tuple[
        int, ...
    ] = ()  # commands whose output is part of it: $(...), <(...), variables set from one


class Redirect(msgspec.Struct, frozen=True, gc=False):
    """A redirection; for << and <<< the target is the text itself."""

    operator: str  # > >> < >| &> &>> <> <<< << <& >&
    target: Word
    fd: int | None = None
    shared: bool = False  # it belongs to a group or loop, and an earlier command there has it too


class Code(msgspec.Struct, frozen=True, gc=False):
    """A text that a command runs, in another language than the shell's."""

    text: str
    language: str


class Command(msgspec.Struct, frozen=True, gc=False):
    """A simple command that would run, and where it stands."""

    name: str  # base name of the program, "" if unknown, ":" for bare assignments and redirections
    program: Word
    args: tuple[Word, ...] = ()
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    reads_pipe: int | None = None  # the command whose output it reads
    pipe_sources: tuple[int, ...] = ()  # all of them, where a group feeds the pipe
    writes_pipe: int | None = None  # the command that reads its output
    cwd: str | None = None  # where it would run; None if unknown
    wrappers: tuple[str, ...] = ()  # outermost first
    wraps: bool = False  # its operands are code, and that code's commands are listed after it
    wrapped_by: int | None = None  # the command that runs this one
    place: Place = "local"
    as_root: bool = False
    background: bool = False
    conditional: bool = False
    in_loop: bool = False
    endless: bool = False  # the loop has a condition that never fails
    in_function: str | None = None
    in_substitution: bool = False
    stdin_text: str | None = None  # literally known standard input
    code: tuple[Code, ...] = ()  # what it runs in other languages
    start: int = 0
    end: int = 0


Gap = Literal["unread", "unreadable", "unresolved"]
"""Past a limit, so that nobody has read it; not valid shell; or only known when the line runs."""


class Unknown(msgspec.Struct, frozen=True, gc=False):
    """Something in the line that could not be read or resolved."""

    why: str
    start: int
    end: int
    gap: Gap = "unread"


class Script(msgspec.Struct, frozen=True, gc=False):
    """Everything a line would run, in order of appearance."""

    commands: tuple[Command, ...]
    unknowns: tuple[Unknown, ...] = ()


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One thing a command would do."""

    kind: str
    target: Word | None  # a path, url, host or name
    command: int  # index into the script's commands
    details: frozenset[str] = frozenset()
