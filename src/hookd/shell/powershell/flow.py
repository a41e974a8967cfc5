"""What a PowerShell script is known to have set while it is read, and the shell lines that it becomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from hookd.shell.powershell.values import (
    NOTHING,
    UNKNOWN,
    Block,
    Value,
    mark,
    plain_name,
    predefined,
    together,
)

MAX_STEPS = 1_500
MAX_LINES = 300
MAX_DEPTH = 40


class UnreadError(Exception):
    """A bound on what is read is reached; its text says which one."""


class Function(NamedTuple):
    """A function of the script: the names of its parameters with their defaults, and its body."""

    parameters: tuple[tuple[str, Value], ...]
    body: Block


class Flow:
    """What goes through a pipeline: values that are known, or what the shell commands so far print."""

    __slots__ = ("segments", "value")

    def __init__(self) -> None:
        self.segments: list[str] = []
        self.value: Value | None = None


class State:
    """Variables, functions and aliases, and the shell lines so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.variables: dict[str, Value] = {}
        self.functions: dict[str, Function] = {}
        self.aliases: dict[str, str] = {}
        self.branches = 0  # how many conditions and loops we are in
        self.broken = False  # some text of it has a quote or a bracket without its other end
        self._depth = 0
        self._steps = 0
        self._made = 0

    def step(self) -> None:
        """One more statement is read."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise UnreadError("the script has too many statements to be read")

    def emit(self, line: str) -> None:
        """One more line of shell."""
        self.lines.append(line)
        if len(self.lines) > MAX_LINES:
            raise UnreadError("the script has too many commands to be read")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Code inside other code."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadError("the script is nested too deeply to be read")
        yield
        self._depth -= 1

    def value(self, name: str) -> Value:
        """What a variable holds."""
        name = plain_name(name)
        if (held := self.variables.get(name)) is not None:
            return held
        found = predefined(name)
        return UNKNOWN if found is None else found

    def assign(self, name: str, value: Value, *, added: bool = False) -> None:
        """Give a variable a value; inside a branch it may still have the one that it had."""
        name = plain_name(name)
        before = self.variables.get(name)
        if before is not None and (added or self.branches):
            value = together((before, value))
        self.variables[name] = value

    def printed(self, command: str) -> Value:
        """What a shell command prints, kept under a name of its own."""
        self._made += 1
        name = f"v{self._made}"
        self.emit(f'{name}="$({command})"')
        return Value((mark(name),))

    def taken(self, flow: Flow) -> Value:
        """What comes out of a pipeline, as a value."""
        if flow.segments:
            flow.value = self.printed(" | ".join(flow.segments))
            flow.segments = []
        return NOTHING if flow.value is None else flow.value

    def finish(self, flow: Flow) -> None:
        """The end of a pipeline whose output nobody takes."""
        if flow.segments:
            self.emit(" | ".join(flow.segments))
            flow.segments = []
