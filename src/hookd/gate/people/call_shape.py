"""The shape of a call: what stays the same when a person would say that it is the same thing again.

For a command: its programs, subcommands, options and operands, as parsed, and all that stands between
them. Only the name of a file inside the project may differ that is read or written, if its folder and ending
do not; what is deleted, moved or replaced is meant as it is named. What is not known before the command runs
has no shape.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any, NamedTuple

from hookd.gate.case.model import Case
from hookd.shell.model import Command, Word
from hookd.shell.options import options

_MILD = frozenset({"read", "write", "append", "create"})
_GRAVE = frozenset({"overwrite", "delete", "move", "permission", "owner"})
_EXACT = frozenset(
    "git git-hooks hookd agent-settings secret secret-folder certificate startup ssh unknown glob "
    "project-root above maybe-root root".split()
)
"""Places where every file is its own case."""
LONGEST_WORDS = 300


class Shape(NamedTuple):
    """What is compared, of a call or of a word in it, and the same for a person to read."""

    parts: Any
    words: str


class NoShapeError(Exception):
    """Something in the call is not known before it runs."""


def shape_of(case: Case) -> Shape | None:
    """The call's shape; None if it has none."""
    if not case.is_shell:
        return _tool_shape(case)
    if case.script.unknowns or not case.script.commands or case.parts != (case,):
        return None
    try:
        told = [_told(case, number) for number in range(len(case.script.commands))]
    except NoShapeError:
        return None
    words = "; ".join(each.words for each in told if each.words)
    return Shape([_between(case), *(each.parts for each in told)], _cut(words))


def _between(case: Case) -> list[str]:
    """What is around the commands: what joins them, and on what condition they run."""
    found: list[str] = []
    at = 0
    for start, end in sorted((command.start, command.end) for command in case.script.commands):
        if start >= at:
            found.append(case.command[at:start])
        at = max(at, end)
    return [" ".join(text.replace("\\\n", " ").split()) for text in (*found, case.command[at:])]


def _tool_shape(case: Case) -> Shape:
    """A file tool's call is about its file, whatever is written; any other is all of its input."""
    paths = case.call.paths
    if len(paths) == 1 and case.call.kind != "mcp":
        full = os.path.normpath(os.path.join(case.cwd, paths[0]))
        return Shape([case.tool, full], _cut(f"{case.tool} {_short(case, full)}"))
    return Shape([case.tool, case.input], _cut(f"{case.tool} with exactly this input"))


def _told(case: Case, number: int) -> Shape:
    """One command's part of the shape."""
    command = case.script.commands[number]
    lost = command.cwd is None and command.place == "local"
    if not command.name or lost or not command.program.known:
        raise NoShapeError
    shape = partial(_word, case, command, _paths(case, number))
    found = options(command)
    values = {name: list(map(shape, words)) for name, words in sorted(found.values.items())}
    operands = list(map(shape, found.operands))
    redirects = [(r.operator, r.fd, shape(r.target)) for r in command.redirects]
    parts = {
        "program": command.program.text,
        "subcommand": found.subcommand,
        "flags": sorted(found.flags),
        "values": {name: [word.parts for word in words] for name, words in values.items()},
        "operands": [word.parts for word in operands],
        "redirects": [[operator, fd, word.parts] for operator, fd, word in redirects],
        "variables": [[name, shape(word).parts] for name, word in command.assignments],
        "input": command.stdin_text,
        "around": [*command.wrappers, command.place, command.as_root, command.background],
        "where": [command.conditional, command.in_loop, command.in_function, command.in_substitution],
        "pipe": [command.reads_pipe, list(command.pipe_sources)],
        "folder": command.cwd,
    }
    words = [
        command.name,
        *found.subcommand,
        *(f"--{flag}" if len(flag) > 1 else f"-{flag}" for flag in sorted(found.flags - values.keys())),
        *(f"--{name}={','.join(word.words for word in given)}" for name, given in values.items()),
        *(word.words for word in operands),
        *(f"{operator} {word.words}" for operator, _, word in redirects),
    ]
    inside = "" if command.cwd in (None, case.root) else f" (in {_short(case, command.cwd or '')})"
    return Shape(parts, "" if command.wraps else " ".join(words) + inside)


def _word(case: Case, command: Command, paths: dict[str, bool], word: Word) -> Shape:
    if not word.known:
        raise NoShapeError
    if word.glob:
        return Shape(["glob", word.text], word.text)
    if word.text not in paths or command.place != "local":
        return Shape(word.text, word.text)
    return _file(case, word, command, exact=paths[word.text])


def _paths(case: Case, number: int) -> dict[str, bool]:
    """The words that name files, and whether each is meant as it is named."""
    paths: dict[str, bool] = {}
    for effect in case.effects:
        if effect.command == number and effect.target is not None and effect.kind in _MILD | _GRAVE:
            exact = effect.kind in _GRAVE or "recursive" in effect.details
            paths[effect.target.text] = paths.get(effect.target.text, False) or exact
    return paths


def _file(case: Case, word: Word, command: Command, *, exact: bool) -> Shape:
    path = case.places.absolute(word.text, command.cwd)
    if path is None:
        raise NoShapeError
    places = case.places.of(word, command.cwd)
    folder, ending = os.path.dirname(path), os.path.splitext(path)[1]
    if exact or not ending or "project" not in places or places & _EXACT:
        return Shape(["file", path], _short(case, path))
    return Shape(["files", folder, ending], _short(case, f"{folder}/*{ending}"))


def _short(case: Case, path: str) -> str:
    root = case.root.rstrip("/")
    return os.path.relpath(path, root) if path == root or path.startswith(f"{root}/") else path


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS]}..."
