"""What is hookd's own: folders, package, programs, processes, commands, and settings it is registered in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hookd.gate.case.model import Case, Opinion
from hookd.shell.model import Command

if TYPE_CHECKING:
    from hookd.capability import Caller
    from hookd.paths import UserFolders

OWN_PROCESS = "self-protection.own-process"
OWN_COMMAND = "self-protection.hookd-commands"
_ENDERS = frozenset({"kill", "skill", "renice", "gdb", "strace", "prlimit", "taskkill"})
PROGRAMS = ("hookd", "hookd-client", "hookd-python")
_HELP = frozenset({"-h", "--help", "--version"})
# Options of every command that take a value, which is no subcommand.
_WITH_VALUE = frozenset({"--project"})


def paths(folders: UserFolders) -> tuple[str, ...]:
    """Folders and files that an agent may not change; the usual ones also where others are in use."""
    usual = (Path.home() / ".config" / "hookd", Path.home() / ".local" / "share" / "hookd")
    found = [
        folders.config,
        folders.data,
        folders.runtime,
        Path("/etc/hookd"),
        *usual,
        *_package(),
        *_programs(),
    ]
    return tuple(dict.fromkeys(str(path) for path in found if path is not None))


def _package() -> Iterator[Path]:
    """The installed code; not a working copy, which is a project like any other."""
    import hookd

    here = Path(hookd.__file__).parent
    if here.parent.name in ("site-packages", "dist-packages"):
        yield here
        yield here.parent / f"hookd-{hookd.__version__}.dist-info"


def _programs() -> Iterator[Path]:
    scripts = Path(sys.executable).parent
    for name in PROGRAMS:
        yield scripts / name
        yield Path.home() / ".local" / "bin" / name


class RegisteredSettings:
    """The settings files that hookd is registered in, read again when the list has changed."""

    def __init__(self, registry: Path) -> None:
        self._registry = registry
        self._known: tuple[int, tuple[str, ...]] = (0, ())

    def paths(self) -> tuple[str, ...]:
        try:
            mark = os.stat(self._registry).st_mtime_ns
        except OSError:
            return ()
        if mark != self._known[0]:
            # Only the paths: what knows the rest takes longer to import than the first call may wait.
            try:
                found = msgspec.json.decode(self._registry.read_bytes(), type=list[_Path])
            except (OSError, ValueError):
                found = []
            self._known = (mark, tuple(each.path for each in found))
        return self._known[1]


class _Path(msgspec.Struct):
    path: str


def opinions(case: Case) -> Iterator[Opinion]:
    """A signal to hookd's daemon, or to a process of its hooks: a number says nothing of whose it is."""
    if not case.is_shell:
        return
    for command in case.script.commands:
        if command.name in _ENDERS and command.place == "local" and _is_ours(case, command):
            reason = "This is a process of hookd's. An agent may not end or freeze its guard."
            yield objection(rule=OWN_PROCESS, reason=reason, **case.at(command.start, command.end))
            return


objection = partial(Opinion, layer="static", verdict="deny", severity="critical", instead="ask the person")
"""That a call touches what is hookd's own."""


def _is_ours(case: Case, command: Command) -> bool:
    numbers = {
        int(text) for word in command.args if (text := word.text.lstrip("-")).isdecimal() and len(text) < 12
    }
    if not numbers:
        return False
    case.look_at_disk()  # a number is another process's the next time
    return not numbers.isdisjoint({os.getpid(), *_daemons(case)}) or any(_runs_hookd(pid) for pid in numbers)


def _daemons(case: Case) -> Iterator[int]:
    """Every daemon of this user, by the files that they leave in the runtime folder."""
    for folder in case.own:
        for path in Path(folder).glob("p-*.pid"):
            try:
                yield int(path.read_text())
            except (OSError, ValueError):
                continue  # it has just ended


def _runs_hookd(pid: int) -> bool:
    """Whether a process was started as one of hookd's, where the system tells."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(os.path.basename(word) in (b"hookd", b"hookd-client") for word in words[:2]) or any(
        word.startswith(b"hookd.") or word == b"hookd" for word in words[1:4]
    )


def own_commands(callers: Mapping[str, Caller], case: Case) -> Iterator[Opinion]:
    """What stops an agent, which may call the commands of hookd that say so, and no others."""
    if not case.is_shell or "hookd" not in case.command:
        return
    for command in case.script.commands:
        words = _given_to_hookd(command)
        if words is not None and not _is_for_agents(callers, words):
            reason = "This command of hookd's is for the person, not for an agent."
            instead, where = "ask the person to run it", case.at(command.start, command.end)
            yield objection(rule=OWN_COMMAND, reason=reason, instead=instead, **where)
            return


def _is_for_agents(callers: Mapping[str, Caller], words: list[str]) -> bool:
    operands = list(_operands(words))
    if not operands or _HELP.intersection(words):
        return True
    caller = callers.get(operands[0], "no")
    if isinstance(caller, str):
        return caller == "yes"
    # A group of commands by itself only lists them; a flag may stand anywhere.
    if all(not word.startswith("-") for word in caller):
        return len(operands) == 1 or operands[1] in caller
    return not {*caller}.isdisjoint(words)


def _given_to_hookd(command: Command) -> list[str] | None:
    """The words after `hookd` or `python -m hookd`; None for another program."""
    words = [word.text for word in command.args]
    if command.place != "local":
        return None
    if command.name == "hookd":
        return words
    if command.name.startswith("python") and "-m" in words[:-1]:
        at = words.index("-m") + 1
        return words[at + 1 :] if words[at] == "hookd" else None
    return None


def _operands(words: list[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            yield word
