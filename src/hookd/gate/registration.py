"""hookd's entries in an agent's settings: an edit that would take them out is denied, not asked about."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hookd.gate.model import Case, Opinion

LARGEST = 2_000_000
OWN_ENTRY = "self-protection.own-entry"
_WRITERS = frozenset({"Write", "Edit", "MultiEdit", "write_file", "edit_file", "create_file", "replace"})


def opinions(case: Case) -> Iterator[Opinion]:
    """A file tool's call after which the agent would send hookd fewer events than before."""
    if case.tool not in _WRITERS:
        return
    path = next((p for key in ("file_path", "path") if isinstance(p := case.input.get(key), str)), "")
    if "agent-settings" not in case.places.of_path(path, case.cwd):
        return
    before = _text(os.path.join(case.cwd, path))
    if "hookd" not in before:
        return
    after = _after(case.input, before)
    if after is None or _entries(before) - _entries(after) or _turns_hooks_off(after):
        yield Opinion(
            layer="static",
            verdict="deny",
            rule=OWN_ENTRY,
            severity="critical",
            reason="This takes hookd out of the agent's settings. An agent may not turn its guard off.",
            instead="change the other entries and leave hookd's as they are, or ask the person",
            evidence=path,
        )


def _text(path: str) -> str:
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST)
    except OSError:
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
        return True
