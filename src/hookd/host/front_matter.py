"""Hooks in the front matter of an agent's or a skill's file."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from hookd.host import yaml_lite
from hookd.host.handlers import Registered, Source
from hookd.host.settings import read_hooks

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


def front_matter(path: Path) -> dict[str, Any]:
    """The front matter of a Markdown file; raises ValueError or OSError if it cannot be read."""
    found = _FRONT.match(path.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        return {}
    values = yaml_lite.load(found[1])
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ValueError("the front matter is no map")
    return values


def hooks_of(path: Path, scope: str, *, as_subagent: bool = False) -> tuple[list[Registered], list[str]]:
    """The handlers that a file brings along; a subagent's `Stop` is for the end of that subagent."""
    try:
        hooks = front_matter(path).get("hooks") or {}
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
