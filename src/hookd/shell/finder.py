"""Collects the effects of a script; and what the tables tell of a program, for the options it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec

from hookd.shell.model import Command, Effect, Script, Word
from hookd.shell.options import Options, options, told
from hookd.shell.programs import ALIASES, effects_of, names

_ALONE = frozenset({"history", "remote", "database", "service", "package", "environment", "execute", "user"})
"""Kinds that happen without an operand too: the program has something in mind by itself."""
_KAFKA_VERBS = frozenset({"delete", "alter", "create", "describe", "list", "reset-offsets"})
_NONE: frozenset[str] = frozenset()
_CONDITION = re.compile(r"(?=[?!])")
_FETCHERS = names("fetchers")
_DECODERS = names("decoders")
_NAMERS = frozenset("wslpath cygpath realpath readlink dirname basename pwd which whereis".split())
"""They print where a file is, and nothing that is in it."""


class Finder:
    """Collects the effects of one script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.found: list[Effect] = []
        self.index = 0  # of the command at hand

    @property
    def command(self) -> Command:
        """The command at hand."""
        return self.script.commands[self.index]

    def add(self, kind: str, target: Word | None = None, details: Iterable[str] = _NONE) -> None:
        """One more effect of the command at hand."""
        self.found.append(Effect(kind, target, self.index, frozenset(details)))

    def add_all(self, kind: str, targets: Iterable[Word], details: Iterable[str] = _NONE) -> None:
        """The same effect on several targets."""
        known = frozenset(details)
        for target in targets:
            self.found.append(Effect(kind, target, self.index, known))


class Item(msgspec.Struct, frozen=True):
    """One entry of a program's effects."""

    kind: str
    operands: str
    details: frozenset[str]
    needs: tuple[frozenset[str], ...]
    without: tuple[frozenset[str], ...]


@cache
def items(key: str) -> tuple[Item, ...] | None:
    """The effects that a table tells of a program or subcommand; None if it tells nothing."""
    text = effects_of(key)
    return None if text is None else tuple(_item(part) for part in text.split())


def _item(text: str) -> Item:
    head, *conditions = _CONDITION.split(text)
    kind, _, rest = head.partition(":")
    operands, *details = rest.split("+")
    needs, without = (
        tuple(frozenset(part[1:].split("|")) for part in conditions if part[0] == mark) for mark in "?!"
    )
    return Item(kind, operands, frozenset(details), needs, without)


def lookup(name: str, parsed: Options) -> tuple[Item, ...] | None:
    """The most particular entry for a command and its subcommand."""
    for length in range(len(parsed.subcommand), -1, -1):
        found = items(" ".join((name, *parsed.subcommand[:length])))
        if found is not None:
            return found
    return None


def apply(found: tuple[Item, ...], parsed: Options, finder: Finder) -> None:
    """What a table's entry means for these options and operands."""
    flags, shared = parsed.flags, parsed.details
    for item in found:
        if not all(flags & need for need in item.needs) or any(flags & bar for bar in item.without):
            continue
        details = item.details | shared if shared else item.details
        targets = selected(item.operands, parsed)
        if targets is None or (item.operands == "*" and not targets and item.kind in _ALONE):
            finder.add(item.kind, None, details)
        else:
            finder.add_all(item.kind, targets, details)


def selected(selector: str, parsed: Options) -> Iterable[Word] | None:
    """The operands that a selector names; None for an effect without a target."""
    operands = parsed.operands
    if selector == "*":
        return operands
    if selector == ".":
        return None
    if selector == "last":
        return operands[-1:] if len(operands) > 1 else ()
    if selector == "init":
        return operands[:-1] if len(operands) > 1 else operands
    if selector[0] == "=":
        # Where a pattern says which files to take, `!` in front says which to leave.
        return tuple(word for word in parsed.values.get(selector[1:], ()) if word.text[:1] != "!")
    if selector[-1] == "-" and selector[:-1].isdigit():
        return operands[int(selector[:-1]) - 1 :]
    if selector.isdigit():
        return operands[int(selector) - 1 : int(selector)]
    return (Word(selector, True, ""),)


def vendor(command: Command, finder: Finder) -> None:
    """A service's command line: its verb tells."""
    parsed = options(command)
    name = ALIASES.get(command.name, command.name)
    exact = items(" ".join((name, *parsed.subcommand))) if parsed.subcommand else None
    if exact:
        apply(exact, parsed, finder)
        return
    verbs: Sequence[str] = parsed.subcommand
    following = [word.text for word in parsed.operands[:3] if word.known and word.text[:1].isalpha()]
    if name == "kafka-delete-records":
        verbs = following = ["delete"]
    elif name.startswith("kafka"):
        verbs = following = sorted(parsed.flags & _KAFKA_VERBS)
    verb = told(verbs)
    if verb in ("", "read"):  # the word after a noun that reads like a verb: service version activate
        verb = told(word for word in following[:1] if word.isalpha()) or verb
    target = parsed.operands[-1] if parsed.operands else None
    if not (verbs or following) or (parsed.flags & {"help", "version"} and verb != "delete"):
        return
    details = {"read": {"query"}, "delete": {"delete"}, "change": set()}.get(verb, {"unknown-verb"})
    finder.add("fetch" if verb == "read" else "remote", target, details | parsed.details)


def origins(command: Command, script: Script) -> frozenset[str]:
    """Where the code or data that a command reads comes from: from-pipe, from-network."""
    details: set[str] = set()
    if command.pipe_sources:
        details.add("from-pipe")
    waiting = list(command.pipe_sources)
    waiting.extend(source for word in command.args for source in word.sources)
    seen: set[int] = set()
    while waiting:
        source = waiting.pop()
        if source in seen or source >= len(script.commands):
            continue
        seen.add(source)
        found = script.commands[source]
        if found.name in _NAMERS:
            continue
        if found.name in _FETCHERS or found.place not in ("local", command.place):
            details.add("from-network")
        if found.name in _DECODERS:
            details.add("decoded")
        waiting.extend(found.pipe_sources)
        waiting.extend(more for word in found.args for more in word.sources)
    return frozenset(details)
