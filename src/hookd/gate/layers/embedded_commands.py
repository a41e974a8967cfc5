"""Commands inside a call that the shell layer does not list, because it cannot know that they run.

A script that is written on the line and run on the same line is read, and so is a file that runs later. A
program that nobody knows may be a wrapper: if a word after it names a program that can do harm, the words
from there on are judged as a command, and what would be denied is asked. A part of the line that is not valid
shell is read more coarsely.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from hookd.gate.case.model import Case, Layer, Opinion
from hookd.gate.case.written_files import WrittenFiles
from hookd.gate.layers import later
from hookd.gate.layers.context import ask
from hookd.gate.rules.command_view import takes_data
from hookd.patterns import late
from hookd.shell import becomes_code, recipes
from hookd.shell.becomes_code import Language
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options

MOST_TEXTS = 64
_CAN_DO_HARM = frozenset(
    "rm git dd mkfs shred find chmod chown bash sh zsh eval curl wget kubectl docker terraform helm aws "
    "gcloud az psql mysql redis-cli mongosh sudo doas systemctl kill pkill rsync mv truncate unlink "
    "rmdir".split()
)
_DISASTER = late(
    r"(?:sudo )?(?:rm -[a-zA-Z]*[rR][a-zA-Z]* |mkfs|dd if=|wipefs|curl [^|]*\| ?(?:sudo )?(?:ba)?sh)"
)
"""What a word may begin with so that it is taken for a command and not for a text about one."""
_VALUE = late(r"--?[\w-]+[=:]")


class _Text(NamedTuple):
    """A text that would run, whether that is certain, and the command that runs it."""

    text: str
    certain: bool
    command: Command
    language: Language = "shell"


def opinions(layer: Layer, case: Case) -> Iterator[Opinion]:
    """What another layer says of the commands inside a call."""
    if not case.is_shell:
        return
    written = WrittenFiles(case)
    count = 0
    for command, effects in _by_command(case):
        for found in _texts(case, written, command, effects):
            count += 1
            if count > MOST_TEXTS:
                reason = "This has more commands inside other commands than are read."
                yield ask("unread", reason, "write it as several short commands", evidence=command.name)
                return
            yield from _of_text(layer, case, found)
        for path, text in written.note(command, effects):
            if command.place == "local":
                yield from later.of_file(layer, case, path, text)


def _by_command(case: Case) -> Iterator[tuple[Command, list[Effect]]]:
    """The commands that have effects, in order, with them."""
    commands = case.script.commands
    effects: list[Effect] = []
    for effect in case.effects:
        if effects and effects[0].command != effect.command:
            yield commands[effects[0].command], effects
            effects = []
        effects.append(effect)
    if effects:
        yield commands[effects[0].command], effects


def _of_text(layer: Layer, case: Case, found: _Text) -> Iterator[Opinion]:
    command = found.command
    inside = case.inside(found.text, command.cwd, language=found.language)
    for opinion in layer(inside):
        softer = "ask" if opinion.verdict == "deny" and not found.certain else opinion.verdict
        # About no part of the line as it is written, so that no rule that allows one lifts it.
        yield replace(opinion, verdict=softer, span=(command.start, command.end), part=None)
    if inside.looked_at_disk:
        case.look_at_disk()


def _texts(case: Case, written: WrittenFiles, command: Command, effects: Sequence[Effect]) -> Iterator[_Text]:
    for effect in effects:
        if written and (found := _run_now(case, written, effect, command)):
            yield found
        elif (
            effect.kind in ("execute", "unknown")
            and (effect.kind == "unknown" or "unknown-program" in effect.details)
            and not command.wraps  # what it runs is listed by itself
            and not takes_data(command.name)
            and (tail := _wrapped(command)) is not None
        ):
            yield _Text(tail, False, command)


def _run_now(case: Case, written: WrittenFiles, effect: Effect, command: Command) -> _Text | None:
    """What a command runs of the files that were written before it."""
    if effect.kind == "execute" and command.name in _BUILDERS:
        given = [word.text for word in options(command).given("file", "justfile", "f")]
        texts = [written.text(name, command.cwd) for name in given]
        code = "\n".join(line for text in texts if text is not None for line in _BUILDERS[command.name](text))
        return _Text(code, True, command) if code else None
    if effect.target is None:
        return None
    text = written.text(effect.target.text, command.cwd)
    if text is None or text == case.command:
        return None
    if effect.kind == "execute":
        by_program, by_file = (
            becomes_code.of_program(command.name),
            becomes_code.of_file(effect.target.text, text),
        )
        language = by_program[0] if by_program is not None and by_file != "powershell" else by_file or "shell"
        return _Text(text, True, command, language)
    if effect.kind in ("read", "database") and command.name in _CLIENTS:
        return _Text(f"{command.name} <<< {shlex.quote(text)}", True, command)
    return None


_BUILDERS = {"make": recipes.makefile, "gmake": recipes.makefile, "just": recipes.justfile}
_CLIENTS = frozenset("psql mysql mariadb sqlite3 duckdb redis-cli mongosh mongo sqlcmd".split())


def _wrapped(command: Command) -> str | None:
    """The words from the first that names a program which can do harm, or a word that is such a command."""
    for number, word in enumerate(command.args[:8]):
        if word.text in _CAN_DO_HARM and number + 1 < len(command.args):
            return " ".join(_quoted(word) for word in command.args[number:])
        text = _VALUE.sub("", word.text, count=1) if word.text.startswith("-") else word.text
        if word.known and _DISASTER.match(text):
            return text
    return None


def _quoted(word: Word) -> str:
    if word.glob:
        return word.text
    return shlex.quote(word.text) if UNKNOWN not in word.text else '"${unknown}"'
