"""hookd's entries in an agent's settings: an edit that would take them out is denied, not asked about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hookd.agents import AGENTS
from hookd.bounded_reads import read_text
from hookd.gate.case.agent_files import HOOK_FILES, mentions_settings, names_settings
from hookd.gate.case.links import CHANGES
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import writes_files
from hookd.gate.guard.git_calls import taking
from hookd.gate.guard.indirect_access import code_that_writes, holds
from hookd.gate.guard.own_files import objection
from hookd.gate.layers.files import tool_effects

if TYPE_CHECKING:
    from hookd.shell.effects import Effect
    from hookd.shell.model import Command, Word

LARGEST = 2_000_000
OWN_ENTRY = "self-protection.own-entry"
_SUFFIXES = frozenset(os.path.splitext(file)[1] for file in HOOK_FILES)


def opinions(case: Case) -> Iterator[Opinion]:
    """A call after which the agent would, or could, send hookd fewer events than before."""
    for effect in case.effects if case.is_shell else tool_effects(case):
        if effect.kind in CHANGES and effect.target is not None and (said := _by_effect(case, effect)):
            yield said
            return
    if case.is_shell:
        yield from _by_code(case)
        if "git" in case.command:
            yield from _by_git(case)


def _by_effect(case: Case, effect: Effect) -> Opinion | None:
    target = effect.target
    assert target is not None
    command = case.script.commands[effect.command] if case.is_shell else None
    cwd = command.cwd if command is not None else case.cwd
    if command is not None and command.place != "local":
        return None
    if "agent-settings" in case.places.of(target, cwd):
        path = case.places.absolute(target.text, cwd)
        case.look_at_disk()
        if path is not None and not _keeps_entries(case, _text(path)):
            return _opinion(path)
    if command is None or "untracked" in effect.details:
        return None  # what git cleans is looked at by itself
    takes_all = effect.kind == "move" or (effect.kind == "delete" and "recursive" in effect.details)
    by_find = _find(case, command) if effect.kind == "delete" else None
    if not (takes_all or target.glob or by_find):
        return None
    return _by_folder(case, effect, target, takes_all, by_find)


def _by_folder(
    case: Case, effect: Effect, target: Word, takes_all: bool, by_find: Command | None
) -> Opinion | None:
    """A folder or a pattern that holds a settings file."""
    path = case.places.absolute(target.text, case.script.commands[effect.command].cwd)
    if path is None:
        return None
    folder = path.partition("\0")[0].rstrip("/")
    for file in _files(case):
        if by_find is not None:
            if holds(folder, file) and _finds(by_find, file) and _has_entries(case, file):
                return _opinion(file, "ask")
        elif (
            (takes_all or path.count("/") == file.count("/"))
            and holds(path, file, glob=target.glob)
            and _has_entries(case, file)
        ):
            return _opinion(file)
    return None


def _files(case: Case) -> tuple[str, ...]:
    """Settings files that hookd may have entries in."""
    usual = [f"{folder}/{file}" for folder in (case.root, case.home) for file in HOOK_FILES]
    return tuple(dict.fromkeys((*case.registered, *usual)))


def _has_entries(case: Case, file: str) -> bool:
    case.look_at_disk()
    return "hookd" in _text(file)


def _find(case: Case, command: Command) -> Command | None:
    """The `find` that a deletion belongs to."""
    around = case.script.commands[command.wrapped_by] if command.wrapped_by is not None else command
    return around if around.name == "find" else None


def _finds(find: Command, file: str) -> bool:
    """Whether a search may come upon a file, by the names it asks for."""
    texts = [word.text for word in find.args]
    asked = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-name", "-iname")]
    return not asked or any(fnmatchcase(part, name) for name in asked for part in file.split("/")[-2:])


def _by_code(case: Case) -> Iterator[Opinion]:
    """Code of another language on the line that names a settings file and does more than read."""
    if not mentions_settings(case.command):
        return
    for command in case.script.commands:
        text = code_that_writes(command) if command.place == "local" else ""
        if text and (names_settings(text) or any(file in text for file in case.registered)):
            known = any(_has_entries(case, file) for file in _files(case))
            yield _opinion("code that names the agent's settings", "deny" if known else "ask")
            return


def _by_git(case: Case) -> Iterator[Opinion]:
    """A stash, a clean-up or a checkout that takes the file along or brings another one.

    Where a daemon puts the entries back, the everyday ones pass: only who means that very file is stopped.
    """
    for command in taking(case):
        from hookd.gate.guard.git_removals import is_everyday, taken  # few calls are about that

        for file in taken(case, command, _files(case)):
            if case.settings_are_watched and file in case.registered and is_everyday(case, command, file):
                continue
            if _has_entries(case, file):
                instead = f"leave that file out: end the command with -- . ':!{_left_out(case, file)}'"
                if not case.settings_are_watched and is_everyday(case, command, file):
                    instead += ", or try again once hookd's daemon runs, which would put the entries back"
                yield _opinion(file, instead=instead)
                return


def _left_out(case: Case, file: str) -> str:
    """What keeps git from a settings file: the name of its folder, or its own."""
    folder = os.path.dirname(file)
    return os.path.basename(file if folder in (case.root, case.home) else folder)


def _opinion(
    evidence: str,
    verdict: Literal["ask", "deny"] = "deny",
    instead: str = "change the other entries with the edit tool and leave hookd's as they are",
) -> Opinion:
    takes = "takes" if verdict == "deny" else "may take"
    reason = f"This {takes} hookd out of the agent's settings. An agent may not turn its guard off."
    return objection(rule=OWN_ENTRY, reason=reason, instead=instead, verdict=verdict, evidence=evidence)


def _keeps_entries(case: Case, before: str) -> bool:
    """Whether hookd's entries stay as they are, in force; what a command writes is not known."""
    after = case.call.applied_to(before) if writes_files(case.call) else None
    if after is None:
        return "hookd" not in before
    # Each agent knows its own format, and finds nothing of hookd's in another's.
    return all(agent.stays_registered(before, after) for agent in AGENTS.values())


def _text(path: str) -> str:
    """What is in a settings file, or in those of a folder."""
    if os.path.isdir(path):
        files = (file for file in Path(path).glob("*") if file.suffix in _SUFFIXES)
        return "".join(_text(str(file)) for file in files if not file.is_dir())
    return read_text(path, LARGEST, part=True, follow=True).replace("\r\n", "\n")
