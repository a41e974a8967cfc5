"""Links: what is changed through one is changed where it leads to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word

if TYPE_CHECKING:
    from hookd.gate.model import Case

CHANGES = frozenset({"write", "overwrite", "append", "delete", "move", "permission", "owner"})
_ITSELF = frozenset({"delete", "move"})
"""What happens to a link itself and not to what it leads to."""
_WILD = frozenset("*?[" + UNKNOWN)


def followed(case: Case, found: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """The effects of a script, and those on what a link leads to once more, under its real path."""
    if not any(effect.kind in CHANGES for effect in found):
        return found
    made = dict(_made(case, case.script.commands)) if "ln " in case.command else {}
    more = tuple(_behind(case, found, made))
    return (*found, *more) if more else found


def _behind(case: Case, found: Iterable[Effect], made: dict[str, str]) -> Iterator[Effect]:
    for effect in found:
        target = effect.target
        if effect.kind not in CHANGES or target is None:
            continue
        command = case.script.commands[effect.command]
        if command.place != "local":
            continue
        path = case.places.absolute(target.text, command.cwd)
        if path is None or len(path) > 4096:
            continue
        case.look_at_disk()
        fixed = _fixed(path)
        itself = fixed == path and (effect.kind in _ITSELF or command.name == "ln")
        real = _real(fixed, case.root, made, itself=itself)
        if real != fixed:
            word = Word(real + path[len(fixed) :], target.known, target.raw, target.glob, target.sources)
            yield Effect(effect.kind, word, effect.command, effect.details)


def _made(case: Case, commands: Iterable[Command]) -> Iterator[tuple[str, str]]:
    """Links that the line makes itself, which are not there yet."""
    for command in commands:
        words = [word.text for word in command.args if word.text[:1] != "-"]
        if command.name == "ln" and len(words) == 2:
            link = case.places.absolute(words[1], command.cwd)
            source = case.places.absolute(words[0], link and os.path.dirname(link))
            if link is not None and source is not None:
                yield link, source


def _fixed(path: str) -> str:
    """The part of a path in front of what may be anything."""
    if _WILD.isdisjoint(path):
        return path
    end = min(number for number, char in enumerate(path) if char in _WILD)
    return path[: path.rfind("/", 0, end)] or "/"


def _real(path: str, root: str, made: dict[str, str], *, itself: bool) -> str:
    """The path without links; the project's folder has none."""
    for link, source in made.items():
        if path.startswith(f"{link}/") or (path == link and not itself):
            path = source + path[len(link) :]
    folder = os.path.dirname(path) if itself else path
    start = len(root) + 1 if folder.startswith(f"{root}/") else 1
    while start:
        end = folder.find("/", start)
        part = folder if end < 0 else folder[:end]
        try:
            if stat.S_ISLNK(os.lstat(part).st_mode):
                real = os.path.realpath(folder)
                return os.path.join(real, os.path.basename(path)) if itself else real
        except (OSError, ValueError):
            break
        start = end + 1
    return path
