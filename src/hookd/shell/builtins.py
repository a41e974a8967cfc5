"""What the shell's own commands change: the directory, variables, aliases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hookd.patterns import late
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.quoting import printf
from hookd.shell.word_parts import split_at

if TYPE_CHECKING:
    from hookd.shell.state import Scope


def _cd(command: Command, scope: Scope) -> None:
    operands = [word for word in command.args if word.text not in ("-L", "-P", "-e", "-@", "--")]
    if not operands:
        scope.enter(scope.home)
    elif operands[0].text == "-":
        scope.enter(scope.previous)
    else:
        scope.enter(operands[0].text)


def _pushd(command: Command, scope: Scope) -> None:
    scope.enter(command.args[0].text if command.args and command.args[0].text[:1] not in "+-" else None)


def _alias(command: Command, scope: Scope) -> None:
    for word in command.args:
        name, equals, value = word.text.partition("=")
        if equals:
            scope.aliases[name] = Word(value, word.known, value)


def _unalias(command: Command, scope: Scope) -> None:
    for word in command.args:
        scope.aliases.pop(word.text, None)


def _read(command: Command, scope: Scope) -> None:
    """read a b: known when its input is."""
    names = [word.text for word in command.args if word.known and word.text.isidentifier()]
    lines = command.stdin_text.split("\n") if command.stdin_text is not None else None
    own = next((value for name, value in command.assignments if name == "IFS" and value.known), None)
    blanks = own.text if own is not None else scope.separators
    fields: list[str] | None = None
    if lines is not None and len([line for line in lines if line]) <= 1 and UNKNOWN not in lines[0]:
        fields = split_at(lines[0], blanks)
    if fields is not None and any(_ARRAY.fullmatch(word.text) for word in command.args):
        for name in names:
            scope.variables[name] = tuple(Word(field) for field in fields)
        return
    for position, name in enumerate(names):
        value: Word | None = None
        if fields is not None and position == len(names) - 1:  # the last one takes the rest
            value = Word(blanks[:1].join(fields[position:]))
        elif fields is not None:
            value = Word(fields[position] if position < len(fields) else "")
        elif command.pipe_sources:
            value = Word(UNKNOWN, False, "", False, command.pipe_sources)
        scope.variables[name] = value


_ARRAY = late(r"-[a-zA-Z]*a")


def _mapfile(command: Command, scope: Scope) -> None:
    names = [word.text for word in command.args if word.known and word.text.isidentifier()]
    scope.variables[names[-1] if names else "MAPFILE"] = None


def _set(command: Command, scope: Scope) -> None:
    texts = [word.text for word in command.args]
    if "--" in texts:
        scope.arguments = command.args[texts.index("--") + 1 :]
    elif texts and texts[0][:1] not in ("-", "+"):
        scope.arguments = command.args


def _shift(command: Command, scope: Scope) -> None:
    if scope.arguments is not None:
        count = command.args[0].text if command.args else "1"
        scope.arguments = scope.arguments[int(count) :] if count.isdecimal() and len(count) < 6 else None


def _printf(command: Command, scope: Scope) -> None:
    args = command.args
    if len(args) > 2 and args[0].text == "-v" and args[1].known:
        text = printf(args[2].text, [word.text for word in args[3:]])
        scope.variables[args[1].text] = Word(text) if UNKNOWN not in text else None


def _let(command: Command, scope: Scope) -> None:
    for word in command.args:
        scope.variables[word.text.partition("=")[0].strip()] = None


BUILTINS: dict[str, Callable[[Command, Scope], None]] = {
    "cd": _cd, "chdir": _cd, "pushd": _pushd, "popd": lambda _, scope: scope.enter(scope.previous),
    "alias": _alias, "unalias": _unalias, "read": _read, "mapfile": _mapfile, "readarray": _mapfile,
    "set": _set, "shift": _shift, "printf": _printf, "let": _let, "getopts": _mapfile,
}  # fmt: skip
