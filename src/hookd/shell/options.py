"""A command's words told apart: options, their values, operands, subcommand.

The tables are strings, read when a program is first met. An option is written `long-name,s,alias`: its
first name is the one reported, names of one letter are short options. `=` behind it: it takes a value; `?`:
it takes one only when attached. `@`: the first operand is a subcommand, which has an entry of its own ("git
push") or is read by the same rules; for the command lines of services, words up to the first verb are
subcommands ("gcloud compute instances delete"). `+`: options end at the first operand. `%`: long options
have one dash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.programs import ALIASES, VENDORS, names, options_of

_DETAILS = names("details")


class Options(msgspec.Struct, frozen=True, gc=False):
    """What a command was told."""

    flags: frozenset[str]
    values: Mapping[str, Sequence[Word]]
    operands: tuple[Word, ...]
    subcommand: tuple[str, ...] = ()

    @property
    def details(self) -> frozenset[str]:
        """Options that are worth telling with an effect, under their own name."""
        return self.flags & _DETAILS

    @property
    def first(self) -> Word | None:
        """The first operand."""
        return self.operands[0] if self.operands else None

    def given(self, *names: str) -> list[Word]:
        """The values of some options, in the order of the names."""
        return [word for name in names for word in self.values.get(name, ())]


class Table(msgspec.Struct, frozen=True):
    """The options of one program or subcommand."""

    short: dict[str, tuple[str, str]]
    long: dict[str, tuple[str, str]]
    nested: bool = False
    stops: bool = False
    one_dash: bool = False


@cache
def table(key: str) -> Table | None:
    """The table of a program or subcommand, None if there is none."""
    text = options_of(key)
    if text is None:
        return None
    short: dict[str, tuple[str, str]] = {}
    long: dict[str, tuple[str, str]] = {}
    marks = ""
    for item in text.split():
        if item in ("@", "+", "%"):
            marks += item
            continue
        takes = item[-1] if item[-1] in "=?" else ""
        first, *others = (item[:-1] if takes else item).split(",")
        for name in (first, *others):
            (short if len(name) == 1 else long)[name] = (first, takes)
    return Table(short, long, "@" in marks, "+" in marks or "@" in marks, "%" in marks)


_PLAIN = Table({}, {})
_VERBS = {
    **dict.fromkeys(names("reads"), "read"),
    **dict.fromkeys(names("changes"), "change"),
    **dict.fromkeys(names("deletes"), "delete"),
}
_PARTS = re.compile(r"[:_\-/.]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CLOUDS = frozenset({"aws", "az", "gcloud", "oci", "ibmcloud", "aliyun"})
"""Their first word is a service, never a verb."""


_RECENT = 64
_recent: dict[int, tuple[Command, Options]] = {}


def options(command: Command) -> Options:
    """A command's options, by its program's table; without one, options are taken to have no values.

    Effects and rules ask about the same command one after another, so the latest answers are kept.
    """
    found = _recent.get(id(command))
    if found is None or found[0] is not command:
        if len(_recent) >= _RECENT:
            _recent.clear()
        found = _recent[id(command)] = (command, split(command.name, command.args))
    return found[1]


def split(name: str, args: Sequence[Word]) -> Options:
    """The options of a program called name."""
    key = ALIASES.get(name, name)
    found = table(key) or _PLAIN
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    operands: list[Word] = []
    subcommand: tuple[str, ...] = ()
    rest = read(args, found, flags, values, operands)
    while found.nested and len(subcommand) < 5:
        if not operands:
            break
        word = operands.pop(0)
        if not word.known:
            subcommand = (*subcommand, "")
            operands.extend(rest)
            break
        name_below = word.text
        below = table(f"{key} {name_below}")
        if below is None and name_below.isupper():  # shouted: it is read as what was meant
            name_below = name_below.lower()
            below = table(f"{key} {name_below}")
        subcommand = (*subcommand, name_below if below is not None else word.text)
        key = f"{key} {name_below}"
        following = [*operands, *rest]
        operands = []
        if below is None:
            deeper = name in VENDORS and (
                not told(subcommand[-1:]) or (len(subcommand) == 1 and name in _CLOUDS)
            )
            below = Table(found.short, found.long, deeper, deeper, found.one_dash)
        elif not below.short and not below.long:  # an entry that tells effects only
            below = Table(found.short, found.long, below.nested, below.stops, found.one_dash)
        found = below
        rest = read(following, found, flags, values, operands)
    operands.extend(rest)
    return Options(frozenset(flags), values, tuple(operands), subcommand)


def read(
    words: Sequence[Word],
    found: Table,
    flags: set[str],
    values: dict[str, list[Word]],
    operands: list[Word],
) -> list[Word]:
    """Sort words into flags, values and operands; what is left over after the end of options."""
    index, count = 0, len(words)
    while index < count:
        word = words[index]
        index += 1
        text = word.text
        if len(text) < 2 or text[0] != "-":
            operands.append(word)
            if found.stops:
                return list(words[index:])
            continue
        if text == "--":
            if found.stops and index < count:
                operands.append(words[index])
                index += 1
            elif not found.stops:
                flags.add("--")
            return list(words[index:])
        if text[1] == "-" or (found.one_dash and len(text) > 2):
            name, equals, value = text.lstrip("-").partition("=")
            canonical, takes = _long(name, found)
            flags.add(canonical)
            if equals:
                _add(values, canonical, Word(value, UNKNOWN not in value, value, word.glob, word.sources))
            elif takes == "=" and index < count:
                _add(values, canonical, words[index])
                index += 1
            continue
        position = 1
        while position < len(text):
            letter = text[position]
            position += 1
            canonical, takes = found.short.get(letter, (letter, ""))
            flags.add(canonical)
            if not takes:
                continue
            attached = text[position:]
            if attached:
                attached = attached[1:] if attached[0] == "=" and len(attached) > 1 else attached
                _add(
                    values,
                    canonical,
                    Word(attached, UNKNOWN not in attached, attached, word.glob, word.sources),
                )
            elif takes == "=" and index < count:
                _add(values, canonical, words[index])
                index += 1
            break
    return []


def _long(name: str, found: Table) -> tuple[str, str]:
    exact = found.long.get(name)
    if exact is not None:
        return exact
    if found.one_dash and name in found.short:
        return found.short[name]
    if name and UNKNOWN not in name:
        candidates = {entry for key, entry in found.long.items() if key.startswith(name)}
        if len(candidates) == 1:
            return candidates.pop()
        if name.isupper() and name.lower() in found.long:
            return found.long[name.lower()]
    return name, ""


def _add(values: dict[str, list[Word]], name: str, word: Word) -> None:
    values.setdefault(name, []).append(word)


def told(words: Iterable[str]) -> str:
    """What the last verb in a service's command line says: "delete", "change", "read", or "" without one."""
    verdict = ""
    for word in words:
        lowered = _HUMP.sub("-", word).lower()
        for part in (lowered, *_PARTS.split(lowered)[:3]):
            if part in _VERBS:
                verdict = _VERBS[part]
                break
    return verdict
