"""Commands to effects: what each would read, write, delete, send or change.

What a program's entry in the tables says becomes effects; a few programs need more than a table and have a
function in `special_effects`. A program that no table knows has one effect, `execute` with the detail
`unknown-program`. A command that only wraps others has none of its own: theirs are listed with them.

Kinds: read, write, overwrite, append, delete, move, permission, owner, execute, fetch, send, listen, process,
service, package, mount, format, history, remote, database, environment, power, user, code, unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hookd.patterns import late
from hookd.shell import names_only
from hookd.shell.databases import STARTS, sql_line
from hookd.shell.finder import Finder, apply, items, lookup, origins, vendor
from hookd.shell.model import Command, Effect, Redirect, Script, Word
from hookd.shell.options import Options, options
from hookd.shell.programs import ALIASES, LANGUAGES, SHELLS, VENDORS, WRAPPING, has_subcommands, names
from hookd.shell.special_effects import SPECIAL

__all__ = ["Effect", "effects"]

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
_LOADERS = names("loading-variables")
"""Variables that change what other programs load, trust or talk to."""


def effects(script: Script) -> tuple[Effect, ...]:
    """What the commands of a script would do, in order."""
    finder = Finder(script)
    for finder.index, command in enumerate(script.commands):
        if command.redirects:
            _redirects(command, finder)
        if command.assignments:
            _assignments(command, finder)
        _command(command, finder)
        if command.code:
            _code(command, finder)
    return tuple(names_only.marked(script, finder.found))


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
    special = SPECIAL.get(name) or (SPECIAL["mkfs"] if name.startswith("mkfs.") else None)
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
        if name.lower() in STARTS and sql_line(command, finder):
            return
        finder.add("execute", command.program, ("unknown-program",))
        return
    if told_by_table:
        apply(told_by_table, parsed or options(command), finder)


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


def _code(command: Command, finder: Finder) -> None:
    """What code in another language is found to do when it is looked through."""
    from hookd.shell import looked_through  # few lines have code in another language

    for code in command.code:
        if (seen := looked_through.found(code.text, code.language)) is not None:
            finder.add("code", None, seen.details)
            finder.add_all("code", (Word(path, True, path) for path in seen.paths), seen.details)


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


_ATTACHED = late(r"-[a-zA-Z0]*e.")
_LINE_BY_LINE = late(r"-[a-zA-Z0]*[np]")
_IN_PLACE = late(r"-[a-z0]*i(?:\.\w+)?[a-z]?$|-i\b")
_SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".rb", ".pl", ".php", ".lua", ".ts", ".R")
