"""Whether a project is guarded: the one place that decides it, for every command, the page and `/health`."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from hookd.agents import AGENTS, Adapter
from hookd.capabilities import CAPABILITIES
from hookd.capability import Guard
from hookd.errors import SettingsError
from hookd.hooks.hook_sources import Found
from hookd.paths import Project, as_text

REGISTER = "run `hookd init`"
_NOEXEC = getattr(os, "ST_NOEXEC", 0)  # not every system tells
_BINARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def guard(project: Project, found: Found, env: Mapping[str, str] = os.environ, *, frozen: str = "") -> Guard:
    """Whether an agent's next tool call in this project would be judged, and stopped if need be.

    `found` is the configuration in force. `frozen` says why a daemon that is there does not answer: calls are
    judged all the same, by the client, but a person wants to know.
    """
    if not os.path.isdir(project.root):
        return Guard("down", f"the folder {as_text(project.root)} does not exist", "cd to your project first")
    if not_heard := unheard(project, env):
        return not_heard
    for capability in CAPABILITIES:
        if capability.guards is not None and (said := capability.guards(project, found)).state != "guarded":
            return said
    if frozen:
        return Guard("guarded", f"{frozen}, each call is judged without it", "`hookd doctor --fix` ends it")
    return Guard()


def unheard(project: Project, env: Mapping[str, str] = os.environ) -> Guard | None:
    """Why no tool call of an agent's reaches hookd; None if those of one do."""
    from hookd.agents.install import Target  # its imports are not for the first event to wait for

    target = Target(project.root, "local", project.folders.registrations, env)
    registered = False
    reasons: list[Guard] = []
    for agent in AGENTS.values():
        try:
            places = agent.installed(target)
        except SettingsError as error:
            reasons.append(Guard("down", str(error), error.hint or "mend that file, then run `hookd init`"))
            continue
        for place in places:
            registered = True
            if place.down:
                reasons.append(Guard("down", place.down, place.mend))
            elif (command := _gate_command(agent, place.commands)) is None:
                reasons.append(Guard("down", f"{place.path} does not send PreToolUse to hookd", REGISTER))
            elif why := cannot_run(command[0], env):
                reasons.append(Guard("down", f"{place.path} names {command[0]}, {why}", REGISTER))
            else:
                return None
    if not registered and not reasons:
        return Guard("down", "not registered with any agent here", REGISTER)
    return reasons[0]


def _gate_command(agent: Adapter, commands: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    return next((words for name, words in commands.items() if agent.canonical(name) == "PreToolUse"), None)


def cannot_run(program: str, env: Mapping[str, str] = os.environ) -> str:
    """Why a program cannot be started, as far as can be told without starting it; "" if it can."""
    if " " in program and not os.path.exists(program):
        return ""  # a line for the shell: what it would start is the shell's to say
    path = shutil.which(program, path=env.get("PATH"))
    if path is None:
        missing = os.sep not in program or not os.path.exists(program)
        return "which is not there" if missing else "which cannot be run"
    try:
        if os.statvfs(path).f_flag & _NOEXEC:
            return "which lies where no program may be run (noexec)"
        with Path(path).open("rb") as file:
            first = file.readline(200)
    except OSError as error:
        return f"which cannot be read: {error.strerror}"
    if first.startswith(b"#!"):
        words = first[2:].split()
        return "" if words and os.path.exists(words[0]) else "whose interpreter is not there"
    return "" if first.startswith(_BINARIES) else "which is no program"
