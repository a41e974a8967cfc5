"""Calls of other tools than the shell, as what they would do: files read and written, addresses fetched,
MCP calls.

A file tool's call becomes the effects that a command would have, under the tool's name, so that the same
rules hold for both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from hookd.events.calls import paths_under, whole
from hookd.events.patches import Step, steps
from hookd.events.tools import ANY_PATH_KEYS, DESTINATION_KEYS, verb_of
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tool_code import DEEPEST, MOST_TEXT, MOST_VALUES
from hookd.gate.case.tools import VERB_EFFECTS, effect_of
from hookd.gate.rules.rule_index import Matcher
from hookd.shell.effects import Effect
from hookd.shell.model import Word

_PATCHING: dict[Step, str] = {
    "Add File": "write",
    "Update File": "overwrite",
    "Delete File": "delete",
    "Move to": "write",
}


def opinions(matcher: Matcher, case: Case) -> Iterator[Opinion]:
    """The static layer for every tool that is not known as a shell."""
    if not case.is_shell or not case.call.is_known:
        yield from matcher.calls(case, tuple(tool_effects(case)), text_of(case.input))


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
    call = case.call
    if not call.is_known:
        yield from _by_verb(case)
        return
    if call.form == "patch" or (call.kind == "edit" and call.patch.files):
        yield from ((_PATCHING[step], path) for step, path in steps(text_of(case.input)))
    if (effect := effect_of(call)) is not None:
        yield from ((effect, path) for path in call.paths)
        if call.kind == "search":  # which files of a folder it reads
            patterns = paths_under(case.input, ("glob",))
            yield from (("read", pattern) for _, pattern in patterns if pattern[0] != "!")


def _by_verb(case: Case) -> Iterator[tuple[str, str]]:
    """What a tool that is not known does to the paths it is given."""
    verb = verb_of(case.tool)
    if verb is not None:
        for key, path in paths_under(case.input, ANY_PATH_KEYS):
            arrives = verb == "move" and key in DESTINATION_KEYS
            yield "write" if arrives else VERB_EFFECTS[verb], path


def text_of(value: Any, depth: int = 0) -> str:
    """Every text in a call's input, one per line; a call with more than this is asked about anyway."""
    if isinstance(value, str):
        return whole(value[:MOST_TEXT])
    if depth > DEEPEST or not isinstance(value, dict | list):
        return ""
    items = value.values() if isinstance(value, dict) else value[:MOST_VALUES]
    return "\n".join(filter(None, (text_of(item, depth + 1) for item in items)))
