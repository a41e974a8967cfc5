"""Text to every simple command that would run, in order, with what is known of its surroundings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from hookd.shell import becomes_code, flow, output
from hookd.shell.becomes_code import Language
from hookd.shell.builtins import BUILTINS
from hookd.shell.model import UNKNOWN, Command, Gap, Place, Script, Unknown, Word
from hookd.shell.parse import plain_words
from hookd.shell.programs import ALIASES, CODE_VARIABLES, is_known
from hookd.shell.reader import Reader
from hookd.shell.run import Run
from hookd.shell.runners import RUNNERS
from hookd.shell.state import MAX_DEPTH, MAX_LENGTH, Frame, Scope

MAX_COMMANDS = 600
MAX_STATEMENTS = 5_000
"""A loop inside a loop inside a loop is walked so many times that its commands alone are no bound."""
MAX_FAILURES = 3
"""After so many pieces of a long text that cannot be read the rest is left unread."""
SHORTEST_CODE = 12
"""A word that is not longer is no code worth a look."""
SHORT = 1_000
"""A text shorter than this is never cut into pieces."""
_ODD_BLANK = re.compile(
    "[\\u00a0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202a-\\u202f\\u205f\\u2060\\u2066-\\u2069\\u3000\\ufeff]"
)


def script(
    text: str,
    *,
    cwd: str = "/",
    home: str = "/home/user",
    env: Mapping[str, str] = {},
    language: Language = "shell",
    place: Place = "local",
) -> Script:
    """Everything that text would run. It never raises; what it cannot read is in the unknowns."""
    walker = Walker()
    if len(text) > MAX_LENGTH:
        walker.unknown("the command is too long to be read", MAX_LENGTH, len(text))
        text = text[:MAX_LENGTH]
    if "\0" in text:
        walker.unknown("there is a NUL character", text.index("\0"), text.index("\0") + 1)
    if not text.isascii() and (odd := _ODD_BLANK.search(text)):
        walker.unknown("there is a character that looks like a blank or hides text", odd.start(), odd.end())
    scope = Scope(cwd, home, {name: Word(value) for name, value in env.items()})
    frame = Frame() if place == "local" else Frame(place=place)
    try:
        if language == "shell":
            walker.read(text, frame, scope)
        else:
            Reader(walker, text).line(becomes_code.words(text, language), frame, scope)
    except TooManyError as error:
        walker.unknown(str(error), 0, len(text))
    return Script(tuple(walker.commands), tuple(walker.unknowns))


class TooManyError(Exception):
    """A bound on what is walked is reached."""


class Walker:
    """Walks trees and collects commands and unknowns."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.unknowns: list[Unknown] = []
        self.calls: list[str] = []  # functions being walked
        self.walked = 0  # statements
        self.said: dict[tuple[int, ...], str] = {}  # known output of process substitutions, by their commands

    def read(self, text: str, frame: Frame, scope: Scope) -> str | None:
        """Shell code; a long one piece by piece."""
        if (words := plain_words(text)) is not None:
            return Reader(self, text).line(words, frame, scope)
        if len(text) < SHORT:
            return Reader(self, text).whole(frame, scope)
        from hookd.shell.layout import pieces  # few lines are long

        parts, spoiled = pieces(text)
        if spoiled:
            start, end = frame.span or (0, len(text))
            self.unknown("a part of the command is too intricate to be read", start, end)
        said: str | None = ""
        failed = 0
        for start, end in parts:
            count = len(self.unknowns)
            heard = Reader(self, text[start:end], start).whole(frame, scope)
            said = said + heard if said is not None and heard is not None else None
            failed += len(self.unknowns) > count
            if failed > MAX_FAILURES and end < len(text):
                self.unknown("the rest of the command is not read", *(frame.span or (end, len(text))))
                break
        return said

    def step(self) -> None:
        """One more statement is walked."""
        self.walked += 1
        if self.walked > MAX_STATEMENTS:
            raise TooManyError("there are loops in loops that are not followed to their end")

    def unknown(self, why: str, start: int, end: int, gap: Gap = "unread") -> None:
        """Something that was not read or could not be resolved; the same thing is said once."""
        found = Unknown(why, start, end, gap)
        if (not self.unknowns or self.unknowns[-1] != found) and len(self.unknowns) < MAX_COMMANDS:
            self.unknowns.append(found)

    def code(self, text: str, frame: Frame, scope: Scope) -> str | None:
        """A text that a command runs as shell code; its known output."""
        start, end = frame.span or (0, 0)
        if frame.depth >= MAX_DEPTH:
            self.unknown("commands are nested too deeply", start, end)
            return None
        if len(text) > MAX_LENGTH:
            self.unknown("the command is too long to be read", start, end)
            return None
        return self.read(text, replace(frame, depth=frame.depth + 1), scope)

    def simple(self, command: Command, frame: Frame, scope: Scope) -> str | None:
        """A command whose words are known: recorded, then whatever it runs in turn; its known output."""
        commands = self.commands
        if len(commands) >= MAX_COMMANDS:
            raise TooManyError(f"there are more than {MAX_COMMANDS} commands")
        index = len(commands)
        commands.append(command)
        run = Run(self, command, index, frame, scope)
        if not command.name:
            self.unknown("the command's name is not known", command.start, command.end, "unresolved")
            if command.program.text == UNKNOWN and command.args and is_known(command.args[0].text):
                # `$SUDO rm x`: the variable may well be empty, or hold a wrapper
                run.words(command.args, run.within("?"))
        elif not frame.plain and command.program.text == command.name:
            if command.name in scope.functions:
                return _call(run)
            if command.name in scope.aliases:
                return _alias(run)
        if frame.depth >= MAX_DEPTH:
            self.unknown("commands are nested too deeply", command.start, command.end)
            return None
        _unwrap(run)
        return output.of(commands[index]) if frame.heard else None

    def produced(self, before: int, frame: Frame) -> tuple[int, ...]:
        """The commands from index before on whose output goes on: not those inside substitutions."""
        commands = self.commands
        found = tuple(
            index
            for index in range(before, len(commands))
            if commands[index].in_substitution == frame.in_substitution
        )
        return found or tuple(range(before, len(commands)))

    def mark(self, index: int, **changes: object) -> None:
        """Facts about a recorded command that are known only after what follows it."""
        self.commands[index] = replace(self.commands[index], **changes)


def _call(run: Run) -> str | None:
    walker, command = run.walker, run.command
    function = run.scope.functions[command.name]
    if walker.calls.count(command.name) > 1 or len(walker.calls) >= MAX_DEPTH:
        return None
    walker.calls.append(command.name)
    walker.mark(run.index, wraps=True)
    inside = replace(
        run.frame,
        in_function=command.name,
        depth=run.frame.depth + 1,
        span=(command.start, command.end),
        redirects=command.redirects,
        pipe=command.pipe_sources,
        stdin=command.stdin_text,
    )
    try:
        with run.scope.call(command.args):
            return flow.call(Reader(walker, function.text), function, inside, run.scope)
    finally:
        walker.calls.pop()


def _alias(run: Run) -> str | None:
    run.walker.mark(run.index, wraps=True)
    rest = " ".join(output.quoted(word) for word in run.command.args)
    code = f"{run.scope.aliases[run.command.name].text} {rest}"
    return run.walker.code(code, run.within("alias", plain=True), run.scope)


def _shadowed(run: Run) -> None:
    """An alias in a program's place is run by whoever means the program."""
    for word in run.command.args:
        name, equals, value = word.text.partition("=")
        if equals and value and is_known(name):
            run.walker.code(value, run.within("alias", conditional=True, plain=True), run.scope.copy())


def _perhaps_code(run: Run) -> None:
    """Words of a program that may run code, or that nobody knows, where they look like it."""
    given = [word.text for word in run.command.args if len(word.text) > SHORTEST_CODE]
    if run.command.stdin_text is not None:
        given.append(run.command.stdin_text)
    if any(mark in text for text in given for mark in ("(", "\n", '"', "'")):
        from hookd.shell import scripting

        scripting.perhaps(run, given)


def _unwrap(run: Run) -> None:
    """Walk what a command runs in turn, and follow what it changes in the shell."""
    command = run.command
    for variable, value in command.assignments:
        if variable in CODE_VARIABLES and value.text:
            if value.known:
                inner = run.within(f"{variable}=", pipe=(), stdin=None)
                run.walker.code(value.text, inner, run.scope.copy())
            else:
                run.unknown(f"{variable} holds a command that is not known")
    name = ALIASES.get(command.name, command.name)
    if (builtin := BUILTINS.get(name)) is not None:
        builtin(command, run.scope)
        if name == "alias":
            _shadowed(run)
    elif (runner := RUNNERS.get(name)) is not None:
        runner(run)
        if becomes_code.may_take_code(name):
            _perhaps_code(run)
    elif (interpreter := becomes_code.of_program(name)) is not None:
        from hookd.shell import scripting  # few lines have code in another language

        scripting.interpreted(run, *interpreter)
    elif command.args and (becomes_code.may_take_code(name) or not is_known(name)):
        _perhaps_code(run)
