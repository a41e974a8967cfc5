"""Commands to effects: what each would read, write, delete, send or change."""

from __future__ import annotations

import msgspec

from hookd.shell.model import Command, Script, Word


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One thing a command would do."""

    kind: str
    target: Word | None
    command: int  # index into the script's commands
    details: frozenset[str] = frozenset()


_REDIRECTED = {
    ">": "overwrite",
    ">|": "overwrite",
    "&>": "overwrite",
    ">>": "append",
    "&>>": "append",
    "<": "read",
    "<>": "write",
}


def effects(script: Script) -> tuple[Effect, ...]:
    """What the commands of a script would do, in order."""
    found: list[Effect] = []
    for index, command in enumerate(script.commands):
        if command.redirects:
            _redirects(command, index, found)
    return tuple(found)


def _redirects(command: Command, index: int, found: list[Effect]) -> None:
    for redirect in command.redirects:
        kind = _REDIRECTED.get(redirect.operator)
        if kind is not None and not redirect.shared:
            found.append(Effect(kind, redirect.target, index))
