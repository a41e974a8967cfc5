"""Whether a read shows the names of settings and not their values, or only hands them to the environment."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.patterns import late
from hookd.shell.model import Command, Effect, Script
from hookd.shell.options import options

DETAIL = "names-only"
_COUNTING = frozenset({"count", "quiet", "files-with-matches", "L", "files-without-match"})
_SEARCHES = frozenset("grep egrep fgrep rg ag ack".split())
_UP_TO_EQUALS = late(r"\^?[\w\[\]\\^+*?{},()|. -]*=|\^[\w\[\]\\+*?{},()|-]+")
"""A pattern whose match ends at the equals sign, or is a name at the start of a line."""
_FIRST_FIELD = late(r"[^{}$]*\{\s*print\s*\$1\s*;?\s*\}[^{}$]*")
_CUTS_VALUE = late(r"(?:^|[;{\s])s(.)\^?[^=]*=\\?\)?(?:\.[*+]|\.\\\+)\$?\\?\)?\1")
_LOADERS = frozenset("export declare typeset local readonly env set".split())
_MOST_STEPS = 16


def marked(script: Script, found: list[Effect]) -> list[Effect]:
    """The effects with the detail on every read after which no value is shown."""
    if not any(command.name in _FILTERS or command.name in _LOADERS for command in script.commands):
        return found
    loaded = {
        source
        for command in script.commands
        if command.name in _LOADERS
        for word in command.args
        for source in word.sources
    }
    return [
        Effect(each.kind, each.target, each.command, each.details | {DETAIL})
        if each.kind == "read" and _hides(script, each.command, loaded)
        else each
        for each in found
    ]


def _hides(script: Script, index: int, loaded: set[int]) -> bool:
    return any(each in loaded or _drops_values(script.commands[each]) for each in _onward(script, index))


def _onward(script: Script, index: int) -> Iterator[int]:
    """The command, and those that its output goes through, one after another."""
    for _ in range(_MOST_STEPS):
        yield index
        command = script.commands[index]
        if command.writes_pipe is None or command.name == "tee":
            return
        index = command.writes_pipe


def _drops_values(command: Command) -> bool:
    name = command.name
    if name == "wc":
        return True
    if name not in _FILTERS:
        return False
    parsed = options(command)
    if name == "cut":
        fields = [word.text for word in parsed.given("fields")]
        return fields == ["1"] and [word.text for word in parsed.given("delimiter")] == ["="]
    if name == "awk":
        separators = [word.text for word in parsed.given("field-separator")]
        code = parsed.first
        return separators == ["="] and code is not None and _FIRST_FIELD.fullmatch(code.text) is not None
    if name == "sed":
        codes = parsed.given("expression") or list(parsed.operands[:1])
        return "in-place" not in parsed.flags and any(_CUTS_VALUE.search(word.text) for word in codes)
    if parsed.flags & _COUNTING:
        return True
    patterns = parsed.given("regexp") or list(parsed.operands[:1])
    alone = parsed.flags & {"only-matching", "o"}
    return bool(alone and patterns) and all(_UP_TO_EQUALS.fullmatch(word.text) for word in patterns)


_FILTERS = _SEARCHES | {"cut", "awk", "gawk", "mawk", "sed", "wc"}
