"""The context layer: what the surroundings of a command say about it, apart from any rule."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hookd.gate.case.model import Case, Opinion
from hookd.patterns import late
from hookd.shell.model import Command

_ENDLESS = late(
    r"\bwhile\s+(?:true|:|\[\[?\s*(?:1|true)\s*\]?\]|\(\(\s*1\s*\)\))\s*[;\n]|\buntil\s+false\b|\bfor\s*\(\(\s*[^;)]*;\s*;[^)]*\)\)"
)
_KNOWN_GAPS = late(r" runs | holds |name is not known|is given a shell|too many items|cannot be read")
"""What rules about code and names that are only known at run time look at; the rest was not read at all."""
_RISKY = late(
    r"\b(?:rm|dd|mkfs|shred|chmod|chown|curl|wget|eval|sudo|bash|sh|python3?|perl|ruby|node|nc|ncat|ssh|scp|kill|git|docker|kubectl|psql|mysql)\b"
)
_FILE = late(r"[^/.]\.[a-z][a-z0-9]{0,4}$")
"""How a file's name ends, where there is no disk to ask."""
_LOSES_NOTHING = frozenset({"untracked", "dry-run", "trash", "worktree", "leavings"})


def opinions(case: Case) -> Iterator[Opinion]:
    """What is odd about a command."""
    if not case.is_shell:
        return
    yield from _unread(case)
    yield from _endless(case)
    yield from _uncommitted(case)


def not_read(case: Case) -> Iterator[Opinion]:
    """A shell that is given something that nobody has read."""
    if case.runs is not None and case.runs.unread:
        reason = f"What this call would run cannot be told: {case.runs.unread}."
        yield ask("no-command", reason, "give the command as one short text", evidence=case.tool)


def _unread(case: Case) -> Iterator[Opinion]:
    """A part that was not read could do anything."""
    risky: bool | None = None  # a long command that cannot be read has hundreds of such parts
    for unknown in case.script.unknowns:
        where = case.at(unknown.start, unknown.end)
        if not _KNOWN_GAPS.search(unknown.why):
            reason = f"A part of this command was not read: {unknown.why}."
            yield ask("unread", reason, "write it as several short commands", **where)
            return
        if "cannot be read" in unknown.why and risky is None:
            risky = _RISKY.search(case.command) is not None
        if "cannot be read" in unknown.why and risky:
            reason = "A part of this command is not valid shell, so what it would do cannot be told."
            yield ask("unreadable", reason, "check the quotes and brackets", **where)
            return


def ask(name: str, reason: str, instead: str, **more: Any) -> Opinion:
    """A question of this layer's."""
    return Opinion(
        layer="context", verdict="ask", rule=f"context.{name}", reason=reason, instead=instead, **more
    )


def _endless(case: Case) -> Iterator[Opinion]:
    """A loop without end that leaves a process running every time."""
    if "&" not in case.command or not _ENDLESS.search(case.command):
        return
    for command in case.script.commands:
        if command.background and command.in_loop and _is_left_running(case.command, command):
            reason = "This starts processes without end until the machine stops answering."
            instead = "put a limit on the loop, or wait for each process"
            yield ask("endless", reason, instead, severity="high", **case.at(command.start, command.end))
            return


def _uncommitted(case: Case) -> Iterator[Opinion]:
    """A folder of the project that is deleted while git does not have all that is in it."""
    for effect in case.effects:
        if effect.kind != "delete" or "recursive" not in effect.details or effect.target is None:
            continue
        command = case.script.commands[effect.command]
        places = case.places.of(effect.target, command.cwd)
        if command.place != "local" or effect.details & _LOSES_NOTHING:
            continue
        if "project" not in places or places & {"build", "git", "hookd", "unknown"}:
            continue
        path = case.places.absolute(effect.target.text, command.cwd)
        if path is None or _is_kept(case, path, glob=effect.target.glob):
            continue
        reason = "This deletes a folder of the project with files that git does not have as they are now."
        instead = "commit or stash first; then deleting it can be undone"
        where = case.at(command.start, command.end)
        yield ask("uncommitted", reason, instead, part=effect.command, **where)
        return


def _is_kept(case: Case, path: str, *, glob: bool) -> bool:
    """Whether nothing would be lost: there is nothing, it is one file as for `rm`, or git has all of it."""
    case.look_at_disk()
    if not os.path.isdir(case.root):
        return not glob and _FILE.search(path) is not None
    if not glob and os.path.isfile(path):
        return True
    folder = os.path.dirname(path) if glob else path
    return not os.path.lexists(folder) or case.git(os.path.dirname(folder)).has_all(folder) is True


def _is_left_running(text: str, command: Command) -> bool:
    """Whether it is this command that has an & behind it, and not the loop around it."""
    after = text[command.end :].lstrip(" \t)")
    return after.startswith("&") and not after.startswith("&&")
