"""Patches as some agents send them: several files in one text that begins with `*** Begin Patch`."""

import re
from typing import NamedTuple

from hookd.patterns import late

BEGIN = "*** Begin Patch"
_STEP = late(r"^\*\*\* (Add File|Update File|Delete File|Move to): ([^\r\n]{1,1000})$", re.M)
_CHANGED = late(r"^([+-])(.*)$", re.M)


class Patch(NamedTuple):
    """The files that a patch is about, and what becomes what."""

    files: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = ()
    old: str = ""
    new: str = ""


def read_patch(text: str) -> Patch:
    """Takes a patch apart; a text that is none is an empty one."""
    if BEGIN not in text:
        return Patch()
    files: list[str] = []
    deletes, moves = [], []
    for step, name in _STEP.findall(text):
        path = name.strip()
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
