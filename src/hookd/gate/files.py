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
from hookd.gate.tools import PATH_KEYS, Does, does
from hookd.shell.effects import Effect
from hookd.shell.model import Word

_EFFECTS: dict[Does, str] = {"read": "read", "search": "read", "write": "overwrite", "delete": "delete"}
_MORE_PATH_KEYS = tuple(
    dict.fromkeys(
        (*PATH_KEYS, *"filepath file filename source destination target uri from to directory".split())
    )
)
_NAMED_KINDS = {
    "read": "read get cat open copy",
    "overwrite": "write edit save update patch",
    "write": "create",
    "append": "append",
    "delete": "delete remove rm unlink",
    "move": "move rename",
}
_NAMED_VERBS = {verb: kind for kind, verbs in _NAMED_KINDS.items() for verb in verbs.split()}
_NAME_PARTS = re.compile(r"[_\-.]|(?<=[a-z])(?=[A-Z])")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_LONGEST_TEXT = 100_000


def tool_layer(matcher: Matcher) -> Layer:
    """The static layer for every tool that is not known as a shell."""

    def opinions(case: Case) -> Iterator[Opinion]:
        if not case.is_shell or does(case.tool) is None:
            yield from matcher.calls(case, tuple(tool_effects(case)), text_of(case.input))

    return opinions


def tool_effects(case: Case) -> Iterator[Effect]:
    """What a call of a file tool would do; a link is seen for what it leads to as well."""
    for kind, path in _targets(case):
        if path.startswith("file://"):
            path = path[7:]
        yield Effect(kind, Word(path), 0)
        full = case.places.absolute(path, case.cwd)
        real = resolved(full) if full is not None else None
        if real is not None and real != full:
            yield Effect(kind, Word(real), 0)


def resolved(path: str) -> str | None:
    """What a path leads to; None if no file can have that name."""
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL, or half a character
        return None


def _targets(case: Case) -> Iterator[tuple[str, str]]:
    known = does(case.tool)
    if known == "patch":
        yield from _patched(text_of(case.input))
    elif known is not None:
        if known in _EFFECTS:
            for key in PATH_KEYS:
                yield from ((_EFFECTS[known], path) for path in _paths(case.input.get(key)))
    elif (kind := kind_by_name(case.tool)) is not None:
        for key in _MORE_PATH_KEYS:
            wanted = "write" if kind == "move" and key in ("destination", "to", "target") else kind
            yield from ((wanted, path) for path in _paths(case.input.get(key)))


def kind_by_name(tool: str) -> str | None:
    """What a tool that is not known does to the paths it is given, by the verb in its name."""
    for part in _NAME_PARTS.split(tool.rpartition("__")[2]):
        kind = _NAMED_VERBS.get(part.lower())
        if kind is not None:
            return kind
    return None


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value and "\n" not in value and len(value) < 4096:
            yield _whole(value)
    elif isinstance(value, list):
        for item in value[:100]:
            yield from _paths(item)


def _whole(text: str) -> str:
    """A text without halves of characters, which neither files nor patterns know."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _patched(text: str) -> Iterator[tuple[str, str]]:
    for action, path, moved in _PATCHED.findall(text):
        if moved:
            yield "write", moved
        else:
            yield {"Add": "write", "Delete": "delete"}.get(action, "overwrite"), path


def text_of(value: Any, depth: int = 0) -> str:
    """Every text in a call's input, one per line."""
    if isinstance(value, str):
        return _whole(value[:_LONGEST_TEXT])
    if depth > 8:
        return ""
    if isinstance(value, dict):
        return "\n".join(filter(None, (text_of(item, depth + 1) for item in value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(item, depth + 1) for item in value[:1000])))
    return ""
