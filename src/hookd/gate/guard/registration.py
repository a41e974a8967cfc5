"""hookd's entries in an agent's settings: an edit that would take them out is denied, not asked about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hookd.gate.case.links import CHANGES
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import does
from hookd.gate.guard.roundabout import SETTINGS, WRITES, holds
from hookd.gate.layers.files import tool_effects
from hookd.shell.programs import ALIASES, LANGUAGES
from hookd.wire import FOLDER_VARIABLES

if TYPE_CHECKING:
    from hookd.shell.effects import Effect
    from hookd.shell.model import Command, Word

LARGEST = 2_000_000
OWN_ENTRY = "self-protection.own-entry"
_TAKING = frozenset({"stash", "clean", "checkout", "restore", "reset", "rm"})
_LOADING = ("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES")
_VARIABLES = frozenset((*FOLDER_VARIABLES, *_LOADING, "CLAUDE_CONFIG_DIR"))
"""With these a settings file leads hookd's client astray, or the agent to other settings."""


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
    if not target.glob and ".claude" not in path:
        around = (case.root, case.home, *case.registered)
        if not any(file.startswith(folder) for file in around):
            return None
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
    names = ("settings.local.json", "settings.json")
    usual = [f"{folder}/.claude/{name}" for folder in (case.root, case.home) for name in names]
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
    if "settings" not in case.command and ".claude" not in case.command:
        return
    for command in case.script.commands:
        name = ALIASES.get(command.name, command.name).rstrip("0123456789.")
        if ALIASES.get(name, name) not in LANGUAGES or command.place != "local":
            continue
        text = " ".join(word.text for word in command.args) + " " + (command.stdin_text or "")[:100_000]
        if WRITES.search(text) and (SETTINGS.search(text) or any(file in text for file in case.registered)):
            known = any(_has_entries(case, file) for file in _files(case))
            yield _opinion("code that names the agent's settings", "deny" if known else "ask")
            return


def _by_git(case: Case) -> Iterator[Opinion]:
    """A stash, a clean-up or a checkout that takes the file along or brings another one."""
    for command in case.script.commands:
        if (
            command.name == "git"
            and command.place == "local"
            and not _TAKING.isdisjoint(word.text for word in command.args[:8])
        ):
            from hookd.gate.guard.stashing import taken  # few calls are about that

            for file in taken(case, command, _files(case)):
                if _has_entries(case, file):
                    instead = "leave that file out: end the command with -- . ':!.claude'"
                    yield _opinion(file, instead=instead)
                    return


def _opinion(
    evidence: str,
    verdict: Literal["ask", "deny"] = "deny",
    instead: str = "change the other entries with the edit tool and leave hookd's as they are",
) -> Opinion:
    takes = "takes" if verdict == "deny" else "may take"
    return Opinion(
        layer="static",
        verdict=verdict,
        rule=OWN_ENTRY,
        severity="critical",
        reason=f"This {takes} hookd out of the agent's settings. An agent may not turn its guard off.",
        instead=instead,
        evidence=evidence,
    )


def _keeps_entries(case: Case, before: str) -> bool:
    """Whether hookd's entries stay as they are, in force; what a command writes is not known."""
    after = _after(case.input, before) if does(case.tool) == "write" else None
    if after is None:
        return "hookd" not in before
    return _entries(before) <= _entries(after) and _loosened(after) <= _loosened(before)


def _text(path: str) -> str:
    """What is in a settings file, or in those of a folder."""
    if os.path.isdir(path):
        return "".join(_text(str(file)) for file in Path(path).glob("*.json") if not file.is_dir())
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except (OSError, ValueError):
        return ""


def _after(given: dict[str, Any], before: str) -> str | None:
    """The file as it would be; None if that cannot be told."""
    if isinstance(content := given.get("content"), str):
        # Which of the two an agent goes by is not known here.
        return None if given.keys() & {"old_string", "edits"} else content
    edits = given["edits"] if isinstance(given.get("edits"), list) else [given]
    text = before
    for edit in edits:
        old = edit.get("old_string") if isinstance(edit, dict) else None
        new = edit.get("new_string") if isinstance(edit, dict) else None
        if not isinstance(old, str) or not isinstance(new, str) or not old:
            return None
        text = text.replace(old, new, -1 if edit.get("replace_all") else 1)
    return text


def _entries(text: str) -> set[tuple[str, str]]:
    """The events that are sent to hookd, each with its handler, and the word that hooks are on."""
    import json  # here and below: the first event should not wait for it

    found: set[tuple[str, str]] = set()
    try:
        settings = json.loads(text)
        if "hookd" in text and settings.get("disableAllHooks") is False:
            found.add(("disableAllHooks", "false"))
        found |= {
            (event, json.dumps(handler, sort_keys=True))
            for event, groups in settings["hooks"].items()
            for group in groups
            for handler in group["hooks"]
            if "hookd" in json.dumps(handler)
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # no agent reads it
    return found


def _loosened(text: str) -> set[str]:
    """What a settings file says that keeps hooks from running, or hookd's from reaching it."""
    import json

    try:
        settings = json.loads(text)
        env = settings.get("env")
        found = set(_VARIABLES.intersection(env)) if isinstance(env, dict) else set()
        return found | {name for name in ("disableAllHooks", "allowManagedHooksOnly") if settings.get(name)}
    except (ValueError, AttributeError, RecursionError):
        return set()  # no agent reads it
