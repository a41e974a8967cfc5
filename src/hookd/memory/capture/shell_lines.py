"""Shell lines: what a line is for, and the files that it reads, changes, deletes and moves."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hookd.memory.capture.command_kinds import MADE, SORTS, WRITES, names, sort_of
from hookd.shell.commands import script
from hookd.shell.effects import Effect, effects
from hookd.shell.model import Command


class ShellLine(NamedTuple):
    """What a shell line is for, and the files that it changes."""

    sort: str
    words: tuple[tuple[str, ...], ...] = ()
    """Its commands that matter, each as its words."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    notable: bool = False
    """Whether it changes something besides a build's products."""
    names: tuple[str, ...] = ()
    """All its programs."""
    restores: tuple[str, ...] = ()
    """Files that it takes back from what git has."""
    folder: str = ""
    """Where it runs, after a `cd`."""


class _Part(NamedTuple):
    sort: str
    command: Command
    does: list[Effect]


@lru_cache(maxsize=256)
def read_line(text: str, cwd: str) -> ShellLine:
    """Takes a shell line apart; one that cannot be read counts as work."""
    # Where the project lies says nothing about its files, and it may well lie below a folder named `tmp`.
    read = script(text.replace(f"{cwd.rstrip('/')}/", "") if len(cwd) > 1 else text, cwd=cwd)
    does: list[list[Effect]] = [[] for _ in read.commands]
    for effect in effects(read):
        does[effect.command].append(effect)
    parts = [
        _Part(sort_of(command, done), command, done)
        for command, done in zip(read.commands, does, strict=True)
        if not command.wraps or done
    ]
    if re.match(r"\s*(?:watch|nodemon|entr)\b", text):
        return ShellLine("watch", names=("watch",))
    sort = next(
        (sort for sort in SORTS if any(part.sort == sort for part in parts)), "helper" if parts else "work"
    )
    main = [part for part in parts if part.sort == sort] if sort != "work" else parts
    changes = [part for part in parts if part.sort in ("work", "helper", "listing", "read", "search")]
    moves = [move for part in changes for move in _moves(part)]
    return ShellLine(
        sort,
        tuple(_words(part.command) for part in main if part.sort != "helper"),
        tuple(_targets(parts, {"read"})),
        tuple(_targets(changes, WRITES)),
        tuple(_targets(changes, {"delete"})),
        tuple(moves),
        any(effect.kind in names("notable") for part in changes for effect in part.does)
        or bool(_targets(changes, WRITES)),
        tuple(part.command.name for part in parts),
        tuple(_restored(changes)),
        next((part.command.cwd for part in main if part.sort != "helper" and part.command.cwd), cwd),
    )


def _words(command: Command) -> tuple[str, ...]:
    return (command.name, *(word.text.replace("\0", "?") for word in command.args))


def _targets(parts: Iterable[_Part], kinds: Iterable[str]) -> list[str]:
    """The files of these effects that a path can be told of; what a move leaves is told by the move."""
    found: dict[str, None] = {}
    for part in parts:
        for effect in part.does:
            target = effect.target
            if effect.kind in kinds and target is not None and target.known and not target.glob:
                if "folder" in effect.details or "names" in effect.details or part.command.place != "local":
                    continue
                if target.text not in (".", "-") and not MADE.search(target.text):
                    found[_from(part.command, target.text)] = None
    return list(found)


def _restored(parts: Iterable[_Part]) -> list[str]:
    return [
        _from(part.command, effect.target.text)
        for part in parts
        for effect in part.does
        if effect.kind == "history" and {"discards", "paths"} <= effect.details and effect.target is not None
        if effect.target.known and not effect.target.glob
    ]


def _moves(part: _Part) -> list[tuple[str, str]]:
    sources = [effect.target for effect in part.does if effect.kind == "move"]
    goals = [effect.target for effect in part.does if effect.kind in WRITES]
    if len(goals) != 1 or goals[0] is None or not goals[0].known:
        return []
    goal = goals[0].text
    known = [source.text for source in sources if source is not None and source.known and not source.glob]
    several = len(sources) > 1 or goal.endswith("/")
    return [
        (
            _from(part.command, each),
            _from(part.command, f"{goal.rstrip('/')}/{each.rsplit('/', 1)[-1]}" if several else goal),
        )
        for each in known
    ]


def _from(command: Command, path: str) -> str:
    """The path as the command meant it, after a `cd`."""
    return path if path.startswith("/") or not command.cwd else f"{command.cwd.rstrip('/')}/{path}"
