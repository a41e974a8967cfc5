"""What is known while a line is walked: variables, functions, the working directory, and where we stand."""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from hookd.shell.model import Place, Redirect, Word
from hookd.shell.word_parts import BLANKS

if TYPE_CHECKING:
    from hookd.shell.parse import Node

Value = Word | tuple[Word, ...] | None  # a text, an array, or set to something that cannot be known
MAX_LENGTH = 200_000
"""Longer texts are read up to here."""
MAX_DEPTH = 32
"""How deep commands may be inside other commands."""
MAX_WORDS = 4_000
"""A command with more words is read up to there."""
TOO_MANY_WORDS = "a command has too many words to be read"
BLANK = Word(BLANKS)


class Frame(msgspec.Struct, frozen=True, gc=False):
    """The place a command is found in."""

    wrappers: tuple[str, ...] = ()
    wrapped_by: int | None = None
    place: Place = "local"
    as_root: bool = False
    background: bool = False
    conditional: bool = False
    in_loop: bool = False
    endless: bool = False
    in_function: str | None = None
    in_substitution: bool = False
    depth: int = 0
    span: tuple[int, int] | None = None  # of the outer command, when the text walked is not the text given
    pipe: tuple[int, ...] = ()
    stdin: str | None = None
    redirects: tuple[Redirect, ...] = ()
    heard: bool = False  # its output is wanted: a substitution or a pipe takes it
    plain: bool = False  # functions and aliases are passed over


class Function(msgspec.Struct, frozen=True, gc=False):
    """A function's body, and the text it is in."""

    body: Node
    text: str
    redirects: tuple[Node, ...] = ()


class Scope:
    """Variables, functions and aliases, and the working directory."""

    __slots__ = ("aliases", "arguments", "cwd", "functions", "hidden", "home", "previous", "variables")

    def __init__(self, cwd: str | None, home: str, variables: Mapping[str, Value]) -> None:
        self.cwd = cwd
        self.previous: str | None = None
        self.home = home
        self.variables = dict(variables)
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, Word] = {}
        self.arguments: tuple[Word, ...] | None = None
        self.hidden: dict[str, Value] | None = None  # what local variables of the function hide

    def copy(self, arguments: tuple[Word, ...] | None = None) -> Scope:
        """A scope of its own, for a subshell; for a script, with arguments of its own, too."""
        scope = Scope(self.cwd, self.home, self.variables)
        scope.previous = self.previous
        scope.functions = dict(self.functions)
        scope.aliases = dict(self.aliases)
        scope.arguments = self.arguments if arguments is None else arguments
        scope.hidden = None if self.hidden is None else dict(self.hidden)
        return scope

    def value(self, name: str) -> Value:
        """A variable's value, None if it cannot be known."""
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return Word(self.home)
        if name == "PWD":
            return Word(self.cwd) if self.cwd is not None else None
        if name == "OLDPWD":
            return Word(self.previous) if self.previous is not None else None
        if name == "IFS":
            return BLANK
        if self.arguments is not None and name.isdigit():
            number = int(name)
            return self.arguments[number - 1] if 0 < number <= len(self.arguments) else Word("")
        return None

    @property
    def separators(self) -> str:
        """What parts the words of a value; an IFS that is not known is taken for the usual one."""
        given = self.variables.get("IFS")
        return given.text if isinstance(given, Word) and given.known else BLANKS

    def assign(self, name: str, value: Word) -> None:
        """Give a variable a value; one that tells nothing makes it unknown."""
        self.variables[name] = value if value.known or value.sources else None

    def hide(self, name: str) -> None:
        """A variable is the function's own until that returns; outside of functions it stays what it is."""
        if self.hidden is not None:
            self.hidden.setdefault(name, self.value(name))

    @contextmanager
    def call(self, arguments: tuple[Word, ...]) -> Iterator[None]:
        """Inside a function: arguments of its own, and local variables that are gone afterwards."""
        outside = self.arguments, self.hidden
        hidden: dict[str, Value] = {}
        self.arguments, self.hidden = arguments, hidden
        try:
            yield
        finally:
            self.variables.update(hidden)
            self.arguments, self.hidden = outside

    def enter(self, path: str | None) -> None:
        """Follow a cd."""
        self.previous = self.cwd
        if path is None or "\0" in path:
            self.cwd = None
        elif path.startswith("/"):
            self.cwd = os.path.normpath(path)
        elif self.cwd is not None:
            self.cwd = os.path.normpath(os.path.join(self.cwd, path))

    def forget(self) -> None:
        """After code that was not seen any variable may have another value."""
        self.variables = dict.fromkeys(self.variables)

    def merge(self, other: Scope, *, stay: bool = False) -> None:
        """What is still known where this path and another one meet; `stay`: this one's cd does not count."""
        if stay:
            self.cwd = other.cwd
        for name in self.variables.keys() | other.variables.keys():
            if self.value(name) != other.value(name):
                self.variables[name] = None
        if self.cwd != other.cwd:
            self.cwd = None
        self.functions.update(other.functions)
        self.aliases.update(other.aliases)
