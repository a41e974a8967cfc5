"""Commands that run other commands: which they are, and the ways a wrapper can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from hookd.shell.builtins import BUILTINS
from hookd.shell.model import Command
from hookd.shell.prefixes import prefixed
from hookd.shell.programs import ALIASES, CODE_VARIABLES, LANGUAGES, SHELLS, WRAPPING
from hookd.shell.run import Run
from hookd.shell.runners import RUNNERS
from hookd.shell.shells import shell
from hookd.shell.state import Frame, Scope

if TYPE_CHECKING:
    from hookd.shell.walker import Walker


def unwrap(walker: Walker, command: Command, index: int, frame: Frame, scope: Scope) -> None:
    """Walk what command runs in turn, and follow what it changes in the shell."""
    if command.assignments:
        _variables(walker, command, index, frame, scope)
    name = ALIASES.get(command.name, command.name)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        builtin(command, scope)
        return
    handler = RUNNERS.get(name)
    if handler is not None:
        handler(Run(walker, command, index, frame, scope))
    elif name in WRAPPING:
        prefixed(Run(walker, command, index, frame, scope))
    elif name in SHELLS:
        shell(Run(walker, command, index, frame, scope))
    else:
        base = name.rstrip("0123456789.") or name
        known = LANGUAGES.get(ALIASES.get(base, base))
        if known is not None:
            from hookd.shell import scripting  # few lines have code in another language

            scripting.interpreted(Run(walker, command, index, frame, scope), known[0], known[2])


def _variables(walker: Walker, command: Command, index: int, frame: Frame, scope: Scope) -> None:
    for name, value in command.assignments:
        if name in CODE_VARIABLES and value.text:
            run = Run(walker, command, index, frame, scope)
            if value.known:
                inner = replace(run.within(f"{name}="), pipe=(), stdin=None)
                walker.code(value.text, inner, scope.copy())
            else:
                run.unknown(f"{name} holds a command that is not known")
