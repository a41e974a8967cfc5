"""Patches as some agents send them: several files in one text that begins with `*** Begin Patch`."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from hookd.patterns import late

BEGIN = "*** Begin Patch"
Step = Literal["Add File", "Update File", "Delete File", "Move to"]
_STEP = late(r"^\*\*\* (Add File|Update File|Delete File|Move to): ([^\n]+)$", re.M)
_CHANGED = late(r"^([+-])(.*)$", re.M)


class Patch(NamedTuple):
    """The files that a patch is about, and what becomes what."""

    files: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    old: str = ""
    new: str = ""


def steps(text: str) -> Iterator[tuple[Step, str]]:
    """What a patch does to which file, in its order."""
    for step, name in _STEP.findall(text):
        if path := name.strip():
            yield cast(Step, step), path


def changes(text: str) -> Iterator[tuple[str, str]]:
    """The files that a patch changes, each with the lines that come in."""
    found = list(_STEP.finditer(text))
    for number, step in enumerate(found):
        if step[1] in ("Add File", "Update File"):
            end = found[number + 1].start() if number + 1 < len(found) else len(text)
            added = (line for sign, line in _CHANGED.findall(text[step.end() : end]) if sign == "+")
            yield step[2].strip(), "\n".join(added)


def read_patch(text: str) -> Patch:
    """Takes a patch apart; a text that is none is an empty one."""
    if BEGIN not in text:
        return Patch()
    files: list[str] = []
    deletes, moves = [], []
    for step, path in steps(text):
        if step == "Move to":
            moves += [(files[-1], path)] if files else []
        elif step == "Delete File":
            deletes.append(path)
        files.append(path)
    body = _STEP.sub("", text)
    lines: dict[str, list[str]] = {"-": [], "+": []}
    for sign, line in _CHANGED.findall(body):
        lines[sign].append(line)
    unique = tuple(dict.fromkeys(files))
    return Patch(unique, tuple(deletes), tuple(moves), "\n".join(lines["-"]), "\n".join(lines["+"]))
