"""Calls of other tools than the shell, as what they would do: files read and written, addresses fetched,
MCP calls.

A file tool's call becomes the effects that a command would have, under the tool's name, so that the same
rules hold for both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from hookd.gate.matching import Matcher
from hookd.gate.model import Case, Layer, Opinion
from hookd.shell.effects import Effect
from hookd.shell.model import Word

_FILE = ("file_path",)
_EITHER = ("path", "file_path", "absolute_path")
_TOOLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Read": ("read", _FILE),
    "NotebookRead": ("read", ("notebook_path",)),
    "Grep": ("read", ("path",)),
    "Write": ("overwrite", _FILE),
    "Edit": ("overwrite", _FILE),
    "MultiEdit": ("overwrite", _FILE),
    "NotebookEdit": ("overwrite", ("notebook_path",)),
    "read_file": ("read", _EITHER),
    "write_file": ("overwrite", _EITHER),
    "edit_file": ("overwrite", _EITHER),
    "create_file": ("overwrite", _EITHER),
    "replace": ("overwrite", _EITHER),
}
"""File tools by their agents' names: the effect, and the keys of the paths it has."""

_PATH_KEYS = (
    "path",
    "paths",
    "file_path",
    "filepath",
    "file",
    "filename",
    "source",
    "destination",
    "target",
    "uri",
    "from",
    "to",
    "directory",
)
_MCP_KINDS = {
    "read": "read get cat open copy",
    "overwrite": "write edit save update patch",
    "write": "create",
    "append": "append",
    "delete": "delete remove rm unlink",
    "move": "move rename",
}
_MCP_VERBS = {verb: kind for kind, verbs in _MCP_KINDS.items() for verb in verbs.split()}
_NAME_PARTS = re.compile(r"[_\-.]|(?<=[a-z])(?=[A-Z])")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_LONGEST_TEXT = 100_000


def tool_layer(matcher: Matcher) -> Layer:
    """The static layer for every tool but the shell."""

    def opinions(case: Case) -> Iterator[Opinion]:
        if not case.is_shell:
            yield from matcher.calls(case, tuple(tool_effects(case)), text_of(case.input))

    return opinions


def tool_effects(case: Case) -> Iterator[Effect]:
    """What a call of a file tool would do; a link is seen for what it leads to as well."""
    for kind, path in _targets(case):
        if path.startswith("file://"):
            path = path[7:]
        yield Effect(kind, Word(path), 0)
        full = case.places.absolute(path, case.cwd)
        if full is not None and "\0" not in full and (real := os.path.realpath(full)) != full:
            yield Effect(kind, Word(real), 0)


def _targets(case: Case) -> Iterator[tuple[str, str]]:
    known = _TOOLS.get(case.tool)
    if known is not None:
        for key in known[1]:
            yield from ((known[0], path) for path in _paths(case.input.get(key)))
    elif case.tool == "apply_patch":
        yield from _patched(text_of(case.input))
    elif case.tool.startswith("mcp__"):
        kind = mcp_kind(case.tool)
        if kind is not None:
            for key in _PATH_KEYS:
                wanted = "write" if kind == "move" and key in ("destination", "to", "target") else kind
                yield from ((wanted, path) for path in _paths(case.input.get(key)))


def mcp_kind(tool: str) -> str | None:
    """What an MCP tool does to the paths it is given, by the verb in its name."""
    for part in _NAME_PARTS.split(tool.rpartition("__")[2]):
        kind = _MCP_VERBS.get(part.lower())
        if kind is not None:
            return kind
    return None


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value and "\n" not in value and len(value) < 4096:
            yield value
    elif isinstance(value, list):
        for item in value[:100]:
            yield from _paths(item)


def _patched(text: str) -> Iterator[tuple[str, str]]:
    for action, path, moved in _PATCHED.findall(text):
        if moved:
            yield "write", moved
        else:
            yield {"Add": "write", "Delete": "delete"}.get(action, "overwrite"), path


def text_of(value: Any, depth: int = 0) -> str:
    """Every text in a call's input, one per line."""
    if isinstance(value, str):
        return value[:_LONGEST_TEXT]
    if depth > 8:
        return ""
    if isinstance(value, dict):
        return "\n".join(filter(None, (text_of(item, depth + 1) for item in value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(item, depth + 1) for item in value[:1000])))
    return ""
