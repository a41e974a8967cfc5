"""hookd's own processes: a number says nothing of whose it is, so it is looked up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hookd.gate.model import Case, Opinion
from hookd.shell.model import Command

_ENDERS = frozenset({"kill", "skill", "renice", "gdb", "strace", "prlimit", "taskkill"})


def opinions(case: Case) -> Iterator[Opinion]:
    """A signal to hookd's daemon, or to a process of its hooks, by number."""
    if not case.is_shell:
        return
    for command in case.script.commands:
        if command.name in _ENDERS and command.place == "local" and _is_ours(case, command):
            yield Opinion(
                layer="static",
                verdict="deny",
                rule=OWN_PROCESS,
                severity="critical",
                reason="This is a process of hookd's. An agent may not end or freeze its guard.",
                instead="ask the person",
                span=(command.start, command.end),
                evidence=case.command[command.start : command.end][:200],
            )
            return


OWN_PROCESS = "self-protection.own-process"


def _is_ours(case: Case, command: Command) -> bool:
    numbers = {
        int(text) for word in command.args if (text := word.text.lstrip("-")).isdecimal() and len(text) < 12
    }
    if not numbers:
        return False
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
