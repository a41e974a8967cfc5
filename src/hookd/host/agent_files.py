"""Hooks in the front matter of an agent's or a skill's file."""

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from hookd.front_matter import front_matter
from hookd.host.handlers import Registered, Source
from hookd.host.settings import read_hooks


def hooks_of(path: Path, scope: str, *, as_subagent: bool = False) -> tuple[list[Registered], list[str]]:
    """The handlers that a file brings along; a subagent's `Stop` is for the end of that subagent."""
    try:
        hooks = front_matter(path.read_text(encoding="utf-8", errors="replace")).get("hooks") or {}
    except FileNotFoundError:
        return [], [f"{path} is not there, so none of its hooks run"]
    except OSError as error:
        return [], [f"{path} cannot be read: {error.strerror}"]
    except ValueError as error:
        return [], [f"{path}: {error}"]
    if not isinstance(hooks, dict):
        return [], [f"{path}: hooks are no map"]
    found, odd, void = read_hooks(hooks, Source(scope=scope, path=str(path)))
    problems = [f"{path}: {problem}" for problem in odd]
    if void:
        problems.append(f"{path}: its hooks are ignored: {void}")
    if as_subagent:
        found = [
            msgspec.structs.replace(entry, event="SubagentStop") if entry.event == "Stop" else entry
            for entry in found
        ]
    return found, problems


def folder_is_trusted(folder: Path, env: Mapping[str, str]) -> bool:
    """Whether a person has agreed to this very folder in the agent's own dialog."""
    home = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else Path(env.get("HOME") or "/")
    try:
        known = json.loads((home / ".claude.json").read_bytes())
        return known["projects"][str(folder)]["hasTrustDialogAccepted"] is True
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
