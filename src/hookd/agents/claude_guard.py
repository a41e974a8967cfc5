"""Whether Claude Code would go on sending its events to hookd after a change of its settings."""

import json
from typing import Any

from hookd.agents.claude_install import LOADING_VARIABLES
from hookd.wire import FOLDER_VARIABLES

_VARIABLES = frozenset((*FOLDER_VARIABLES, *LOADING_VARIABLES, "CLAUDE_CONFIG_DIR"))
"""With these a settings file leads hookd's client astray, or the agent to other settings."""


def stays_registered(before: str, after: str) -> bool:
    """Whether hookd's entries stay as they are, in force."""
    return _entries(before) <= _entries(after) and _loosened(after) <= _loosened(before)


def _entries(text: str) -> set[tuple[str, str]]:
    """The events that are sent to hookd, each with its handler, and the word that hooks are on."""
    settings = _settings(text)
    found: set[tuple[str, str]] = set()
    if "hookd" in text and settings.get("disableAllHooks") is False:
        found.add(("disableAllHooks", "false"))
    try:
        found |= {
            (event, json.dumps(handler, sort_keys=True))
            for event, groups in settings["hooks"].items()
            for group in groups
            for handler in group["hooks"]
            if "hookd" in json.dumps(handler)
        }
    except (KeyError, TypeError, AttributeError):
        pass  # no agent reads it
    return found


def _loosened(text: str) -> set[str]:
    """What a settings file says that keeps hooks from running, or hookd's from reaching it."""
    settings = _settings(text)
    env = settings.get("env")
    found = set(_VARIABLES.intersection(env)) if isinstance(env, dict) else set()
    return found | {name for name in ("disableAllHooks", "allowManagedHooksOnly") if settings.get(name)}


def _settings(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return {}  # no agent reads it
    return settings if isinstance(settings, dict) else {}
