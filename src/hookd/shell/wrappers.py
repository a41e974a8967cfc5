"""Commands that run other commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookd.shell.commands import Walker
    from hookd.shell.model import Command
    from hookd.shell.state import Frame, Scope


def unwrap(walker: Walker, command: Command, index: int, frame: Frame, scope: Scope) -> None:
    """Walk what command runs in turn, and follow what it changes in the shell."""
    if command.name == "cd":
        scope.enter(command.args[0].text if command.args else scope.home)
