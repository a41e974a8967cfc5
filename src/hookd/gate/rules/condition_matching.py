"""Conditions, ready to be held against commands, effects, flows and calls."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from hookd.gate.case.model import Case
from hookd.gate.noticed.posting_tools import verbs
from hookd.gate.rules.command_view import INERT_FLAGS, Seen
from hookd.gate.rules.format import PATTERN_KEYS, Condition
from hookd.gitstate import GitState, is_protected
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.options import Options
from hookd.shell.programs import ALIASES

_NOTHING: frozenset[str] = frozenset()


class _SetOf:
    """The condition's list of that name as a set, made when first asked for: most conditions never are."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, test: Test, owner: type) -> frozenset[str]:
        items = getattr(test.condition, self._name[1:])
        made = frozenset(items) if items else _NOTHING
        test.__dict__[self._name] = made
        return made


class Test:
    """A condition, ready to be held against what is seen."""

    _flags = _SetOf()
    _flags_all = _SetOf()
    _flags_none = _SetOf()
    _verb = _SetOf()
    _details = _SetOf()
    _details_any = _SetOf()
    _details_none = _SetOf()
    _place = _SetOf()
    _place_none = _SetOf()
    _mentions = _SetOf()
    _wrapper = _SetOf()
    _program = _SetOf()
    _host = _SetOf()
    _host_none = _SetOf()

    def __init__(self, condition: Condition) -> None:
        self.condition = condition

    @cached_property
    def _program_globs(self) -> list[str]:
        return [name for name in self.condition.program if "*" in name]

    @cached_property
    def _subcommands(self) -> set[tuple[str, ...]]:
        return {tuple(text.split()) for text in self.condition.subcommand}

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(words) for words in self._subcommands})

    @cached_property
    def _loose(self) -> list[tuple[str, ...]]:
        return [words for words in self._subcommands if "*" in words]

    @cached_property
    def _patterns(self) -> dict[str, Any]:
        from hookd.patterns import checked

        condition = self.condition
        named = {key: getattr(condition, key) for key in PATTERN_KEYS}
        named |= condition.value
        return {name: checked(pattern) for name, pattern in named.items() if pattern}

    def command(self, seen: Seen) -> bool:
        """Whether a command fits, apart from its program, by which the test was found."""
        condition = self.condition
        if self._subcommands and not self._begins(seen.words):
            return False
        if self._verb and (self._verb.isdisjoint(seen.verbs) or seen.options.flags & INERT_FLAGS):
            return False
        return (
            self._surroundings(seen)
            and self._options(seen)
            and (not (self._place or self._place_none) or self._is_about_operands(seen))
            and (not condition.state or self._state(seen))
        )

    def _named(self, name: str) -> bool:
        if name in self._program or ALIASES.get(name) in self._program:
            return True
        return bool(self._program_globs) and any(fnmatchcase(name, glob) for glob in self._program_globs)

    def _begins(self, words: tuple[str, ...]) -> bool:
        if any(words[:length] in self._subcommands for length in self._lengths):
            return True
        return any(_starts(words, wanted) for wanted in self._loose)

    def effect(self, seen: Seen, effect: Effect) -> bool:
        """Whether an effect of a fitting kind fits, and the command that has it."""
        if not self._details <= effect.details or not self._details_none.isdisjoint(effect.details):
            return False
        if self._details_any and self._details_any.isdisjoint(effect.details):
            return False
        if self._program and not self._named(seen.command.name):
            return False
        if self._place or self._place_none:
            target = effect.target
            places = seen.case.places.of(target, seen.command.cwd) if target is not None else None
            if not self.is_about(places):
                return False
        if (self.condition.path or self.condition.path_none) and not self._path(seen, effect.target):
            return False
        if self._subcommands and not self._begins(seen.words):
            return False
        return (
            self._options(seen)
            and self._surroundings(seen)
            and (not self.condition.state or self._state(seen, effect))
        )

    def is_about(self, places: frozenset[str] | None) -> bool:
        """Whether a target in these places fits; None is no target."""
        if not self._place and not self._place_none:
            return True
        if places is None or not self._place_none.isdisjoint(places):
            return False
        return not self._place or not self._place.isdisjoint(places)

    def _is_about_operands(self, seen: Seen) -> bool:
        """Whether one of the operands lies where it must: what another is does not excuse it."""
        if not self._place:
            return self.is_about(seen.places)
        of = seen.case.places.of
        return any(self.is_about(of(word, seen.command.cwd)) for word in seen.options.operands)

    def _path(self, seen: Seen, target: Word | None) -> bool:
        path = seen.case.places.absolute(target.text, seen.command.cwd) if target is not None else None
        if path is None or (self.condition.path and not _found(self._patterns["path"], path)):
            return False
        return not self.condition.path_none or not _found(self._patterns["path_none"], path)

    def flow(self, seen: Seen) -> bool:
        """Whether the command fits that a flow ends in; a flow has no place."""
        named = not self._program or self._named(seen.command.name)
        return not self._place and named and self._surroundings(seen)

    def _options(self, seen: Seen) -> bool:
        condition = self.condition
        if self._flags and self._flags.isdisjoint(seen.options.flags):
            return False
        if self._flags_all and not self._flags_all <= seen.options.flags:
            return False
        if self._flags_none and not self._flags_none.isdisjoint(seen.options.flags):
            return False
        if condition.operands and len(seen.options.operands) < condition.operands:
            return False
        for name in condition.value:
            pattern = self._patterns[name]
            if not any(_found(pattern, word.text) for word in seen.options.values.get(name, ())):
                return False
        if condition.operand and not _any(self._patterns["operand"], seen.options.operands):
            return False
        if condition.operand_none and _any(self._patterns["operand_none"], seen.options.operands):
            return False
        if condition.argument and not _any(self._patterns["argument"], seen.command.args):
            return False
        if condition.argument_none and _any(self._patterns["argument_none"], seen.command.args):
            return False
        if condition.text and not _found(self._patterns["text"], seen.text):
            return False
        if condition.content and not _found(self._patterns["content"], seen.written):
            return False
        return not (condition.text_none and _found(self._patterns["text_none"], seen.text))

    def _surroundings(self, seen: Seen) -> bool:
        condition, command = self.condition, seen.command
        if condition.at and command.place not in condition.at:
            return False
        if self._wrapper and self._wrapper.isdisjoint(word.partition(" ")[0] for word in command.wrappers):
            return False
        if self._mentions and self._mentions.isdisjoint(seen.mentioned):
            return False
        if condition.as_root is not None and command.as_root is not condition.as_root:
            return False
        if condition.shown is not None and seen.is_shown is not condition.shown:
            return False
        if condition.scratch is not None and seen.is_scratch is not condition.scratch:
            return False
        if (self._host or self._host_none) and not self._hosts(seen.hosts):
            return False
        if condition.assigns and not any(_found(self._patterns["assigns"], each) for each in seen.assigned):
            return False
        return not condition.env or any(name in condition.env for name, _ in command.assignments)

    def _hosts(self, found: frozenset[str]) -> bool:
        if not self._host_none.isdisjoint(found):
            return False
        return not self._host or not self._host.isdisjoint(found)

    def _state(self, seen: Seen, effect: Effect | None = None) -> bool:
        """Whether one of the states is given; one that cannot be told is."""
        if (
            effect is not None
            and effect.target is not None
            and not _OF_FILES.isdisjoint(self.condition.state)
        ):
            path = seen.case.places.absolute(effect.target.text, seen.command.cwd)
            return path is None or effect.target.glob or self._file_state(seen.case, path)
        folder = seen.command.cwd
        chosen = seen.options.values.get("C")
        if chosen and folder is not None:
            folder = seen.case.places.absolute(chosen[-1].text, folder)
        if folder is None or (chosen and not chosen[-1].known):
            return True
        git = seen.case.git(folder)
        for state in self.condition.state:
            if state == "dirty" and git.is_clean is not True and not _loses_nothing(seen, git):
                return True
            if state == "unpushed" and _unpushed(git, seen.options):
                return True
            if state == "hooked" and git.has_hooks is not False:
                return True
            if state == "protected" and _pushes_protected(git.branch, seen.options.operands):
                return True
        return False

    def _file_state(self, case: Case, path: str) -> bool:
        """Whether the file of an effect is there, or is a lock that may still be held."""
        case.look_at_disk()
        if not os.path.isdir(case.root):
            return "existing" in self.condition.state
        try:
            changed = os.lstat(path).st_mtime
        except (OSError, ValueError):
            return UNKNOWN in path
        return "existing" in self.condition.state or time.time() - changed < _FRESH_SECONDS

    def called(self, tool: str, text: str, hosts: Callable[[], frozenset[str]]) -> bool:
        """Whether another tool's call fits; `hosts` tells what those are that it names."""
        condition = self.condition
        return (
            any(fnmatchcase(tool, name) for name in condition.tool)
            and (not self._verb or not self._verb.isdisjoint(verbs(tool)))
            and (not condition.text or _found(self._patterns["text"], text))
            and not (condition.text_none and _found(self._patterns["text_none"], text))
            and (not (self._host or self._host_none) or self._hosts(hosts()))
        )


_OF_FILES = frozenset({"existing", "locked"})
_FRESH_SECONDS = 60
"""A lock that is older is of a git that has ended without taking it along."""


def _unpushed(git: GitState, options: Options) -> bool:
    """Whether a branch that is named may have commits that no remote has; one that is new has none."""
    made = options.given("B", "force-create")
    names: list[str | None] = [word.text for word in made or options.operands if word.known]
    return any(git.is_pushed(name) is not True and not git.lacks(name) for name in names or [None])


def _loses_nothing(seen: Seen, git: GitState) -> bool:
    """Whether a command names files, and git has every one of them as it is now."""
    if "source" in seen.options.values:
        return False
    paths = [
        seen.case.places.absolute(effect.target.text, seen.command.cwd)
        for effect in seen.case.effects
        if effect.command == seen.index
        and effect.target is not None
        and effect.details >= {"discards", "paths"}
        and not effect.target.glob
    ]
    # A word that is no path is a commit, whose files take the place of these.
    named = len(paths) == len(seen.options.operands)
    return bool(paths) and named and all(path is not None and git.has(path) is True for path in paths)


def _pushes_protected(branch: str | None, operands: Sequence[Word]) -> bool:
    """Whether the branches a push names, or the one that is checked out, are protected or unknown."""
    refs = [word.text for word in operands[1:]]
    if not refs:
        return branch is None or is_protected(branch)
    for ref in refs:
        target = ref.lstrip("+").rpartition(":")[2]
        if UNKNOWN in target or is_protected(target):
            return True
        if target == "HEAD" and (branch is None or is_protected(branch)):
            return True
    return False


def _starts(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    fits = all(want in ("*", word) for want, word in zip(wanted, words, strict=False))
    return fits and len(words) >= len(wanted)


def _found(pattern: Any, text: str) -> bool:
    """Whether a pattern is in a text; bytes spare the library the way back to characters."""
    return pattern.search(text.encode("utf-8", "replace")) is not None


def _any(pattern: Any, words: Iterable[Word]) -> bool:
    return any(_found(pattern, word.text) for word in words)
