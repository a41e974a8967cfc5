"""A repository that is pushed to a place which the very same line makes known."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.case.model import Case
from hookd.gate.noticed.model import Notice
from hookd.shell.options import options


def of_shell(case: Case) -> Iterator[Notice]:
    """Pushes to a remote that the line adds; `origin` is how a new project gets its first one."""
    if "push" not in case.command or "remote" not in case.command:
        return
    added: dict[str, str] = {}
    for number, command in enumerate(case.script.commands):
        if command.name != "git":
            continue
        parsed = options(command)
        words = [*parsed.subcommand, *(word.text for word in parsed.operands)]
        if words[:2] == ["remote", "add"] and len(words) > 3 and words[2] != "origin":
            added[words[2]] = words[3]
        elif words[:1] == ["push"] and (address := added.get(words[1] if len(words) > 1 else "")) is not None:
            case.look_at_disk()  # the next prompt may name it
            if not case.prompt or address not in case.prompt:
                yield Notice("new-remote", f"{words[1]} is {address}", number)
