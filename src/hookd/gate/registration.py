"""hookd's entries in an agent's settings: an edit that would take them out is denied, not asked about."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hookd.gate.files import tool_effects
from hookd.gate.model import Case, Opinion
from hookd.gate.tools import does

LARGEST = 2_000_000
OWN_ENTRY = "self-protection.own-entry"
_CHANGES = frozenset({"write", "overwrite", "append", "delete", "move", "permission", "owner"})


def opinions(case: Case) -> Iterator[Opinion]:
    """A call after which the agent would, or could, send hookd fewer events than before."""
    for effect in case.effects if case.is_shell else tool_effects(case):
        if effect.kind not in _CHANGES or effect.target is None:
            continue
        cwd = case.script.commands[effect.command].cwd if case.is_shell else case.cwd
        if "agent-settings" not in case.places.of(effect.target, cwd):
            continue
        path = case.places.absolute(effect.target.text, cwd)
        case.look_at_disk()
        if path is not None and not _keeps_entries(case, _text(path)):
            yield Opinion(
                layer="static",
                verdict="deny",
                rule=OWN_ENTRY,
                severity="critical",
                reason="This takes hookd out of the agent's settings. An agent may not turn its guard off.",
                instead="change the other entries with the edit tool and leave hookd's as they are",
                evidence=path,
            )
            return


def _keeps_entries(case: Case, before: str) -> bool:
    """Whether hookd's entries stay as they are, in force; what a command writes is not known."""
    after = _after(case.input, before) if does(case.tool) == "write" else None
    if after is None:
        return "hookd" not in before
    return _entries(before) <= _entries(after) and not _turns_hooks_off(after)


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
        return content
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
    """The events that are sent to hookd, each with its handler; none if the file could not be read."""
    try:
        hooks = json.loads(text)["hooks"]
        return {
            (event, json.dumps(handler, sort_keys=True))
            for event, groups in hooks.items()
            for group in groups
            for handler in group["hooks"]
            if "hookd" in json.dumps(handler)
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


def _turns_hooks_off(text: str) -> bool:
    try:
        return bool(json.loads(text).get("disableAllHooks"))
    except (ValueError, AttributeError, RecursionError):
        return False  # no agent reads it
