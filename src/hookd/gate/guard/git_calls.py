"""What of a call may have git take an agent's settings away: the line itself, or a script that it runs."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.case.model import Case
from hookd.hooks.services import GitCall
from hookd.shell.model import Command
from hookd.shell.options import options

_TAKING = frozenset({"stash", "clean", "checkout", "restore", "reset", "rm", "switch"})
_BRINGING = frozenset({("stash", "pop"), ("stash", "apply"), ("stash", "branch")})
_SCRIPTS = frozenset({"make", "gmake", "just", "task", "npm", "pnpm", "yarn", "bash", "sh", "zsh", "dash"})


def taking(case: Case) -> Iterator[Command]:
    """The git commands that may take a settings file along."""
    for command in case.script.commands:
        if (
            command.name == "git"
            and command.place == "local"
            and not _TAKING.isdisjoint(word.text for word in command.args[:8])
        ):
            yield command


def git_call(case: Case, *, allowed: bool) -> GitCall | None:
    """What the settings have to be watched for while the call runs; None if it runs no git of its own."""
    commands = list(taking(case)) if "git" in case.command else []
    scripts = [command for command in case.script.commands if _is_script(command)]
    if not commands and not scripts:
        return None
    names = [options(command).subcommand for command in commands]
    return GitCall(
        stays=any(command.background for command in (*commands, *scripts)),
        cleans=("clean",) in (name[:1] for name in names),
        # Somebody who is asked may take their time, and without the entries nobody is guarded.
        brings_back=allowed and any(name[:2] in _BRINGING for name in names),
    )


def _is_script(command: Command) -> bool:
    """Whether a command runs what the project has in a file, which may call git."""
    if command.place != "local":
        return False
    program = command.program.text
    return command.name in _SCRIPTS or ("/" in program and not program.startswith(("/usr/", "/bin/")))
