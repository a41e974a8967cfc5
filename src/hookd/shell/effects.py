"""Commands to effects: what each would read, write, delete, send or change.

What a program's entry in the tables says becomes effects; a few programs need more than a table and have a
function in `special`. A program that no table knows has one effect, `execute` with the detail
`unknown-program`. A command that only wraps others has none of its own: theirs are listed with them.

Kinds: read, write, overwrite, append, delete, move, permission, owner, execute, fetch, send, listen, process,
service, package, mount, format, history, remote, database, environment, power, user, unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from hookd.shell.model import Command, Redirect, Script, Word
from hookd.shell.options import Options, options
from hookd.shell.programs import (
    ALIASES,
    LANGUAGES,
    SHELLS,
    VENDORS,
    WRAPPING,
    effects_of,
    has_subcommands,
    names,
)
from hookd.shell.verbs import told


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One thing a command would do."""

    kind: str
    target: Word | None  # a path, url, host or name
    command: int  # index into the script's commands
    details: frozenset[str] = frozenset()


class Item(msgspec.Struct, frozen=True):
    """One entry of a program's effects."""

    kind: str
    operands: str
    details: frozenset[str]
    needs: tuple[frozenset[str], ...]
    without: tuple[frozenset[str], ...]


DETAILS = names("details")
"""Options that are worth telling with an effect, under their own name."""

_REDIRECTED = {
    ">": "overwrite",
    ">|": "overwrite",
    "&>": "overwrite",
    ">&": "overwrite",
    ">>": "append",
    "&>>": "append",
    "<": "read",
    "<>": "write",
}
_ALONE = frozenset({"history", "remote", "database", "service", "package", "environment", "execute", "user"})
"""Kinds that happen without an operand too: the program has something in mind by itself."""
_NONE: frozenset[str] = frozenset()
_LOADERS = names("loading-variables")
"""Variables that change what other programs load, trust or talk to."""


@cache
def items(key: str) -> tuple[Item, ...] | None:
    """The effects that a table tells of a program or subcommand; None if it tells nothing."""
    text = effects_of(key)
    if text is None:
        return None
    return tuple(_item(part) for part in text.split())


def _item(text: str) -> Item:
    head, *conditions = _conditions(text)
    kind, _, rest = head.partition(":")
    operands, *details = rest.split("+")
    needs = tuple(frozenset(part[1:].split("|")) for part in conditions if part[0] == "?")
    without = tuple(frozenset(part[1:].split("|")) for part in conditions if part[0] == "!")
    return Item(kind, operands, frozenset(details), needs, without)


def _conditions(text: str) -> list[str]:
    parts = [""]
    for char in text:
        if char in "?!":
            parts.append("")
        parts[-1] += char
    return parts


class Finder:
    """Collects the effects of one script."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.found: list[Effect] = []
        self.index = 0

    def add(self, kind: str, target: Word | None = None, details: Iterable[str] = _NONE) -> None:
        """One more effect of the command at hand."""
        self.found.append(Effect(kind, target, self.index, frozenset(details)))

    def add_all(self, kind: str, targets: Iterable[Word], details: Iterable[str] = _NONE) -> None:
        """The same effect on several targets."""
        known = frozenset(details)
        for target in targets:
            self.found.append(Effect(kind, target, self.index, known))


def effects(script: Script) -> tuple[Effect, ...]:
    """What the commands of a script would do, in order."""
    finder = Finder(script)
    for index, command in enumerate(script.commands):
        finder.index = index
        if command.redirects:
            _redirects(command, finder)
        if command.assignments:
            _assignments(command, finder)
        _command(command, finder)
    return tuple(finder.found)


def _redirects(command: Command, finder: Finder) -> None:
    for redirect in command.redirects:
        if redirect.shared or redirect.operator not in _REDIRECTED:
            continue
        target = redirect.target
        if target.text in ("/dev/null", "/dev/stderr", "/dev/stdout", "/dev/stdin", "/dev/tty", "-", ""):
            continue
        if redirect.operator in (">&", "<&") and (target.text.isdigit() or target.text.rstrip("-").isdigit()):
            continue
        if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            finder.add("fetch" if redirect.operator == "<" else "send", target, ("socket",))
        elif not (target.sources and target.text == "\0"):  # > >(command): the command is listed
            finder.add(_REDIRECTED[redirect.operator], target)


def _assignments(command: Command, finder: Finder) -> None:
    if (
        command.wrapped_by is not None
        and finder.script.commands[command.wrapped_by].assignments == command.assignments
    ):
        return
    for name, value in command.assignments:
        if name in _LOADERS or name.startswith("GIT_CONFIG"):
            finder.add("environment", Word(f"{name}={value.text}", value.known, name), ("variable",))


def _command(command: Command, finder: Finder) -> None:
    name = ALIASES.get(command.name, command.name)
    if not name:
        finder.add("unknown", command.program)
        return
    if command.in_function == command.name and (command.writes_pipe is not None or command.background):
        finder.add("process", None, ("fork-bomb",))
    if command.endless and command.background:
        finder.add("process", None, ("endless",))
    special = _special().get(name) or (_special()["mkfs"] if name.startswith("mkfs.") else None)
    if special is not None:
        special(command, finder)
        return
    if name in SHELLS or name in ("source", "."):
        _shell(command, finder)
        return
    if name in VENDORS:
        vendor(command, finder)
        return
    base = name.rstrip("0123456789.") or name
    if ALIASES.get(base, base) in LANGUAGES and name != "awk":
        _interpreter(command, finder)
        return
    told_by_table = items(name)
    parsed: Options | None = None
    if told_by_table is None or has_subcommands(name):
        parsed = options(command)
        told_by_table = lookup(name, parsed)
    if told_by_table is None:
        if name in WRAPPING or command.wraps:
            return
        from hookd.shell.databases import STARTS, sql_line  # it needs this module

        if name.lower() in STARTS and sql_line(command, finder):
            return
        finder.add("execute", command.program, ("unknown-program",))
        return
    if told_by_table:
        apply(told_by_table, parsed or options(command), finder)


@cache
def _special() -> dict[str, Callable[[Command, Finder], None]]:
    from hookd.shell.special import SPECIAL  # it needs this module

    return SPECIAL


def lookup(name: str, parsed: Options) -> tuple[Item, ...] | None:
    """The most particular entry for a command and its subcommand."""
    for length in range(len(parsed.subcommand), -1, -1):
        found = items(" ".join((name, *parsed.subcommand[:length])))
        if found is not None:
            return found
    return None


def apply(found: tuple[Item, ...], parsed: Options, finder: Finder) -> None:
    """What a table's entry means for these options and operands."""
    flags = parsed.flags
    shared = flags & DETAILS
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
        return parsed.values.get(selector[1:], ())
    if selector[-1] == "-" and selector[:-1].isdigit():
        return operands[int(selector[:-1]) - 1 :]
    if selector.isdigit():
        return operands[int(selector) - 1 : int(selector)]
    return (Word(selector, True, ""),)


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
        if found.name in FETCHERS or found.place != "local":
            details.add("from-network")
        if found.name in _DECODERS:
            details.add("decoded")
        waiting.extend(found.pipe_sources)
        waiting.extend(more for word in found.args for more in word.sources)
    return frozenset(details)


FETCHERS = names("fetchers")
_DECODERS = names("decoders")


def _shell(command: Command, finder: Finder) -> None:
    """A shell runs code of its own: its effects are listed, unless the code could not be known."""
    if command.wraps:
        return
    where = origins(command, finder.script)
    operands = [word for word in command.args if word.text[:1] not in ("-", "+")]
    coded = any(word.text[:1] == "-" and word.text[:2] != "--" and "c" in word.text for word in command.args)
    if coded:
        if operands and not operands[0].known:
            finder.add("execute", operands[0], {"code", *where})
        return
    if operands:
        finder.add("execute", operands[0], {"script", *where})
        return
    redirect: Redirect | None = next((item for item in command.redirects if item.operator == "<"), None)
    if redirect is not None:
        finder.add("execute", redirect.target, ("script",))
    elif command.pipe_sources or (command.stdin_text is not None and "\0" in command.stdin_text):
        finder.add("execute", None, {"code", *where})


def _interpreter(command: Command, finder: Finder) -> None:
    """An interpreter with a file runs it; with code on the line, what that code is known to do is listed."""
    where = origins(command, finder.script)
    parsed = options(command)
    coded = any(word.text[:1] == "-" and len(word.text) > 1 for word in command.args[:-1])
    words = [word for word in command.args if word.text[:1] != "-" or word.text == "-"]
    if command.name.startswith(("python", "pypy")) and "m" in parsed.flags and command.wraps:
        return
    if coded and command.name in ("perl", "ruby"):
        _filtered(command, words, finder)
    if (coded or command.stdin_text is not None) and not (words and words[0].text.endswith(_SCRIPTS)):
        finder.add("execute", _hidden_code(command) if coded else None, {"code", *where})
    elif words and words[0].text != "-":
        finder.add("execute", words[0], {"script", *where})
    elif command.pipe_sources:
        finder.add("execute", None, {"code", *where})


def _hidden_code(command: Command) -> Word | None:
    """The code given with an option, where all of it is only known at run time."""
    for before, word in pairwise(command.args):
        if before.text in ("-c", "-e", "-E", "-r", "-p", "--eval", "--print") and not word.text.strip("\0"):
            return word
    return None


def _filtered(command: Command, words: Sequence[Word], finder: Finder) -> None:
    """perl -ne CODE FILES reads the files, perl -pi -e CODE FILES changes them."""
    given = [word.text for word in command.args if word.text[:1] == "-"]
    files = words if any(_ATTACHED.match(text) for text in given) else words[1:]
    if any(_IN_PLACE.match(text) for text in given):
        finder.add_all("overwrite", files)
    elif any(_LINE_BY_LINE.match(text) for text in given):
        finder.add_all("read", files)


_ATTACHED = re.compile(r"-[a-zA-Z0]*e.")
_LINE_BY_LINE = re.compile(r"-[a-zA-Z0]*[np]")
_IN_PLACE = re.compile(r"-[a-z0]*i(?:\.\w+)?[a-z]?$|-i\b")
_SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php", ".lua", ".ts", ".R")


def vendor(command: Command, finder: Finder) -> None:
    """A service's command line: its verb tells."""
    parsed = options(command)
    name = ALIASES.get(command.name, command.name)
    exact = items(" ".join((name, *parsed.subcommand))) if parsed.subcommand else None
    if exact:
        apply(exact, parsed, finder)
        return
    words = [
        *parsed.subcommand,
        *(word.text for word in parsed.operands[:3] if word.known and word.text[:1].isalpha()),
    ]
    if name.startswith("kafka"):
        words = [
            flag
            for flag in sorted(parsed.flags)
            if flag in ("delete", "alter", "create", "describe", "list", "reset-offsets")
        ]
        words = ["delete"] if name == "kafka-delete-records" else words
    verb = told(words if name.startswith("kafka") else parsed.subcommand)
    if verb in ("", "read"):  # the word after a noun that reads like a verb: service version activate
        verb = told(word for word in words[len(parsed.subcommand) :][:1] if word.isalpha()) or verb
    shared = parsed.flags & DETAILS
    target = parsed.operands[-1] if parsed.operands else None
    if not words or (parsed.flags & {"help", "version"} and verb != "delete"):
        return
    if verb == "read":
        finder.add("fetch", target, {"query", *shared})
    elif verb == "delete":
        finder.add("remote", target, {"delete", *shared})
    elif verb == "change":
        finder.add("remote", target, shared)
    else:
        finder.add("remote", target, {"unknown-verb", *shared})
