"""A handler's `if`: one permission rule, such as `Bash(git push *)` or `Edit(src/**)`."""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hookd.events.types import ToolEvent
from hookd.host.protocol import TOOL_EVENTS
from hookd.host.shell_lines import lines_of

_RULE = re.compile(r"([A-Za-z0-9_.:\-]+)(?:\((.*)\))?", re.DOTALL)
# A rule about a command's name alone can be judged whatever the rest of the line turns out to be.
_NAME_ONLY = re.compile(r"[^\s*:\[?]*(?: \*|:\*|\*)")
_GLOB = re.compile(r"\*\*/?|\*|\?|\[(?P<other>[!^]?)(?P<signs>[^\]/]+)\]|.", re.DOTALL)
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_FILE_TOOLS = frozenset({"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "LS"})


def holds(condition: str | None, event: str, payload: Mapping[str, Any], project: str, home: str) -> bool:
    """Whether a handler with this condition runs; with one it never does but for tools."""
    if not condition:
        return True
    found = _RULE.fullmatch(condition)
    if event not in TOOL_EVENTS or found is None or found[1] != payload.get("tool_name"):
        return False
    tool, content = found[1], found[2]
    if content is None or content.strip() in ("", "*"):
        return True
    given = payload.get("tool_input")
    given = given if isinstance(given, dict) else {}
    if tool == "Bash":
        command = given.get("command")
        return isinstance(command, str) and command_matches(content, command, home)
    if tool in _FILE_TOOLS:
        path = ToolEvent(tool_input=given).path
        cwd = payload.get("cwd")
        return bool(path) and path_matches(
            content, path, cwd if isinstance(cwd, str) and cwd else project, project, home
        )
    return False


def command_matches(pattern: str, command: str, home: str = "/") -> bool:
    """Whether any command of a shell line is one the pattern is for, or might turn out to be."""
    decidable = _NAME_ONLY.fullmatch(pattern) is not None  # a blank in front makes it more than a name
    test = _command_test(" ".join(pattern.split()))
    lines = lines_of(command, home)
    if lines is None or any(test.fullmatch(line.text) for line in lines):
        return True
    return not decidable and any(line.open for line in lines)


@lru_cache(maxsize=512)
def _command_test(pattern: str) -> re.Pattern[str]:
    if pattern.endswith(":*"):
        return re.compile(re.escape(pattern[:-2]) + r"(?:\s.*)?", re.DOTALL)
    last = pattern.endswith(" *") and pattern.count("*") == 1
    body, optional = (pattern[:-2], r"(?: .*)?") if last else (pattern, "")
    parts = [re.escape(part) for part in body.split("*")]
    return re.compile(".*".join(parts) + optional, re.DOTALL)


def path_matches(pattern: str, path: str, cwd: str, project: str, home: str) -> bool:
    """Whether a path, or a folder it is in, is what a pattern in the manner of .gitignore names."""
    if not pattern.removeprefix("./"):
        return False
    if pattern.startswith("//"):
        base, pattern = "/", pattern[2:]
    elif pattern.startswith("~/"):
        base, pattern = home, pattern[2:]
    elif pattern.startswith("/"):
        base, pattern = project, pattern[1:]
    elif pattern.startswith("*"):
        base, pattern = "/", f"**/{pattern}"
    else:
        base, pattern = cwd, pattern.removeprefix("./")
        if "/" not in pattern.rstrip("/"):
            pattern = f"**/{pattern}"
    whole = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
    relative = os.path.relpath(whole, base)
    if relative.startswith(".."):
        return False
    test = _glob(pattern.rstrip("/"))
    parts = relative.split("/")
    return any(test.fullmatch("/".join(parts[:count])) for count in range(1, len(parts) + 1))


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(_GLOB.sub(_translated, pattern), re.DOTALL | re.IGNORECASE)
    except re.error:  # a range that goes backwards
        return re.compile(re.escape(pattern))


def _translated(found: re.Match[str]) -> str:
    if found["signs"]:
        return f"[{'^' if found['other'] else ''}{re.escape(found['signs']).replace(chr(92) + '-', '-')}]"
    return _WILD.get(found[0]) or re.escape(found[0])
