"""How a cmdlet's arguments are given: by position, by name, by the beginning of a name, by splatting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.powershell.values import NOTHING, Value, together

if TYPE_CHECKING:
    from hookd.shell.powershell.arguments import Argument

_DASHED = re.compile(r"-(?P<name>[A-Za-z_]\w*)(?::(?P<value>.*))?", re.DOTALL)


class Specification(NamedTuple):
    """A cmdlet's parameters."""

    positions: tuple[str, ...]
    rest: str  # the one that takes every argument left over
    names: dict[str, str]  # as written, and what it is
    switches: frozenset[str]

    def named(self, written: str) -> str | None:
        """The parameter of a name, or of the beginning of one: of several the first."""
        written = written.lower()
        if (exact := self.names.get(written)) is not None:
            return exact
        return next((meant for name, meant in self.names.items() if name.startswith(written)), None)


@cache
def specification(text: str) -> Specification:
    """From `path* destination / recurse! force! lp=path`, as `cmdlets.txt` explains it."""
    first, _, others = text.partition("/")
    names: dict[str, str] = {}
    switches: set[str] = set()
    for item in f"{first} {others}".split():
        written, _, meant = item.strip("*!").partition("=")
        meant = meant or written
        names.setdefault(written, meant)
        if item.endswith("!"):
            switches.add(meant)
    positions = first.split()
    rest = next((item[:-1] for item in positions if item.endswith("*")), "")
    return Specification(tuple(item.strip("*!") for item in positions), rest, names, frozenset(switches))


class Bound:
    """Arguments by the parameters they are for."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.switches: set[str] = set()
        self.rest: list[Value] = []

    def get(self, *names: str) -> Value:
        """The values of parameters, together."""
        return together(self.values[name] for name in names if name in self.values)

    def put(self, name: str, value: Value) -> None:
        """One more value for a parameter."""
        self.values[name] = together((self.values[name], value)) if name in self.values else value


def dashed(argument: Argument) -> re.Match[str] | None:
    """The name, and perhaps the value, that an argument has the form of a parameter with."""
    if not argument.dashed or len(argument.value.texts) != 1:
        return None
    return _DASHED.fullmatch(argument.value.texts[0])


def bind(arguments: Sequence[Argument], text: str) -> Bound:
    """The arguments of a cmdlet, by its parameters."""
    known = specification(text)
    bound = Bound()
    positional: list[Value] = []
    rest = iter(arguments)
    for argument in rest:
        if argument.splatted:
            _splat(bound, known, argument.value)
        elif (written := dashed(argument)) is None:
            positional.append(argument.value)
        elif (name := known.named(written["name"])) is None:
            continue  # what stands behind it is taken for an operand
        elif name in known.switches:
            if (written["value"] or "").strip("$").lower() != "false":
                bound.switches.add(name)
        else:
            given = written["value"]
            value = next(rest, None) if given is None or given == "" else None
            bound.put(name, Value((given,)) if given else value.value if value is not None else NOTHING)
    _place(bound, known, positional)
    return bound


def _splat(bound: Bound, known: Specification, given: Value) -> None:
    """@parameters: a table of them, or a list."""
    for written, value in (given.table or {}).items():
        name = known.named(written) or written
        if name in known.switches:
            bound.switches.add(name)
        else:
            bound.put(name, value)
    if given.table is None:
        bound.rest.append(given)


def _place(bound: Bound, known: Specification, positional: Iterable[Value]) -> None:
    free = [name for name in known.positions if name not in bound.values]
    for value in positional:
        if free:
            bound.put(free[0], value)
            if free[0] != known.rest:
                free.pop(0)
        else:
            bound.rest.append(value)
