"""hookd's own commands: an agent may call those that say so (`hookd.commands`), and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hookd.gate.case.model import Case, Layer, Opinion
from hookd.gate.guard.own_files import denial

if TYPE_CHECKING:
    from hookd.capability import CliCommand
    from hookd.shell.model import Command as ShellCommand

OWN_COMMAND = "self-protection.hookd-commands"
_HELP = frozenset({"-h", "--help", "--version"})
# Options of every command that take a value, which is no subcommand.
_WITH_VALUE = frozenset({"--project"})


def command_layer(commands: Sequence[CliCommand]) -> Layer:
    """A layer that stops what is not for agents; a command it does not know is none of theirs."""
    callers = {command.name: command.agent for command in commands}

    def is_for_agents(words: list[str]) -> bool:
        if _HELP.intersection(words):
            return True
        operands = list(_operands(words))
        if not operands:
            return True
        caller = callers.get(operands[0], "no")
        if isinstance(caller, str):
            return caller == "yes"
        # A group of commands by itself only lists them; a flag may stand anywhere.
        if all(not word.startswith("-") for word in caller):
            return len(operands) == 1 or operands[1] in caller
        return not {*caller}.isdisjoint(words)

    def opinions(case: Case) -> Iterator[Opinion]:
        if not case.is_shell or "hookd" not in case.command:
            return
        for command in case.script.commands:
            words = _given_to_hookd(command)
            if words is not None and not is_for_agents(words):
                reason = "This command of hookd's is for the person, not for an agent."
                yield denial(case, command, OWN_COMMAND, reason, "ask the person to run it")
                return

    return opinions


def _given_to_hookd(command: ShellCommand) -> list[str] | None:
    """The words after `hookd` or `python -m hookd`; None for another program."""
    words = [word.text for word in command.args]
    if command.place != "local":
        return None
    if command.name == "hookd":
        return words
    if command.name.startswith("python") and "-m" in words[:-1]:
        at = words.index("-m") + 1
        return words[at + 1 :] if words[at] == "hookd" else None
    return None


def _operands(words: list[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith("-"):
            yield word
