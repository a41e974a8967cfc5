"""The static layer: rules held against the commands, effects and flows of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from hookd.gate.flows import Flow, flows
from hookd.gate.gitstate import is_protected
from hookd.gate.model import Case, Opinion
from hookd.gate.rules import PATTERN_KEYS, Condition, Rule
from hookd.gate.verbs import INERT_FLAGS, leading_words, takes_data
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import Options, options
from hookd.shell.programs import ALIASES

_PARTS = re.compile(r"[-:_.]")


class Seen:
    """One command of a case, with what rules ask about it worked out once."""

    def __init__(self, case: Case, command: Command, index: int) -> None:
        self.case = case
        self.command = command
        self.index = index

    @cached_property
    def options(self) -> Options:
        return options(self.command)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The subcommand and the operands after it."""
        return (*self.options.subcommand, *(word.text for word in self.options.operands))

    @cached_property
    def leading(self) -> tuple[str, ...]:
        """The words at the front that can be subcommands."""
        return leading_words(self.words)

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The leading words, and their first and last parts."""
        found: set[str] = set()
        for word in self.leading:
            parts = _PARTS.split(word)
            found |= {word, parts[0], parts[-1]}
        return frozenset(found)

    @cached_property
    def text(self) -> str:
        """The arguments and what is known of standard input, on one line: patterns do not cross lines."""
        given = " ".join(word.text for word in self.command.args)
        if self.command.stdin_text:
            given += " " + self.command.stdin_text[:100_000]
        return given.replace("\n", " ")

    @cached_property
    def places(self) -> frozenset[str]:
        """Where the operands lie, all together."""
        found: set[str] = set()
        for word in self.options.operands:
            found |= self.case.places.of(word, self.command.cwd)
        return frozenset(found)


    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Where the arguments lie, options' values among them."""
        found: set[str] = set()
        for word in (*self.command.args, *(value for values in self.options.values.values() for value in values)):
            if not word.text.startswith("-"):
                found |= self.case.places.of(word, self.command.cwd)
        return frozenset(found)


class Test:
    """A condition, ready to be held against what is seen."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self._flags = frozenset(condition.flags)
        self._flags_all = frozenset(condition.flags_all)
        self._flags_none = frozenset(condition.flags_none)
        self._verbs = frozenset(condition.verb)
        self._details = frozenset(condition.details)
        self._details_any = frozenset(condition.details_any)
        self._details_none = frozenset(condition.details_none)
        self._place = frozenset(condition.place)
        self._place_none = frozenset(condition.place_none)
        self._mentions = frozenset(condition.mentions)
        self._wrappers = frozenset(condition.wrapper)
        self._subcommands = [tuple(text.split()) for text in condition.subcommand]
        self._programs = frozenset(condition.program)

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
        if self._subcommands and not any(_starts(seen.words, words) for words in self._subcommands):
            return False
        if self._verbs and (self._verbs.isdisjoint(seen.verbs) or seen.options.flags & INERT_FLAGS):
            return False
        return (
            self._options(seen)
            and self._surroundings(seen)
            and (not self._place or not self._place.isdisjoint(seen.places))
            and (not self._place_none or self._place_none.isdisjoint(seen.places))
            and (not condition.state or self._state(seen))
        )

    def effect(self, seen: Seen, effect: Effect) -> bool:
        """Whether an effect of a fitting kind fits, and the command that has it."""
        if not self._details <= effect.details or not self._details_none.isdisjoint(effect.details):
            return False
        if self._details_any and self._details_any.isdisjoint(effect.details):
            return False
        if self._programs and not _named(seen.command.name, self._programs):
            return False
        if self._place or self._place_none:
            if effect.target is None:
                return False
            places = seen.case.places.of(effect.target, seen.command.cwd)
            if self._place and self._place.isdisjoint(places):
                return False
            if not self._place_none.isdisjoint(places):
                return False
        if self.condition.path and not self._path(seen, effect.target):
            return False
        if self._subcommands and not any(_starts(seen.words, words) for words in self._subcommands):
            return False
        return self._options(seen) and self._surroundings(seen) and (not self.condition.state or self._state(seen))

    def _path(self, seen: Seen, target: Word | None) -> bool:
        path = seen.case.places.absolute(target.text, seen.command.cwd) if target is not None else None
        return path is not None and self._patterns["path"].search(path) is not None

    def flow(self, seen: Seen, flow: Flow) -> bool:
        """Whether a flow fits, and the command it ends in."""
        if self._place and not (flow.places & self._place):
            return False
        if self._place_none & flow.places:
            return False
        return (not self._programs or _named(seen.command.name, self._programs)) and self._surroundings(seen)

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
            if not any(pattern.search(word.text) for word in seen.options.values.get(name, ())):
                return False
        if condition.operand and not _any(self._patterns["operand"], seen.options.operands):
            return False
        if condition.operand_none and _any(self._patterns["operand_none"], seen.options.operands):
            return False
        if condition.argument and not _any(self._patterns["argument"], seen.command.args):
            return False
        if condition.argument_none and _any(self._patterns["argument_none"], seen.command.args):
            return False
        if condition.text and not self._patterns["text"].search(seen.text):
            return False
        return not (condition.text_none and self._patterns["text_none"].search(seen.text))

    def _surroundings(self, seen: Seen) -> bool:
        condition, command = self.condition, seen.command
        if condition.at and command.place not in condition.at:
            return False
        if self._wrappers and self._wrappers.isdisjoint(word.partition(" ")[0] for word in command.wrappers):
            return False
        if self._mentions and self._mentions.isdisjoint(seen.mentioned):
            return False
        if condition.as_root is not None and command.as_root is not condition.as_root:
            return False
        return not condition.env or any(name in condition.env for name, _ in command.assignments)

    def _state(self, seen: Seen) -> bool:
        """Whether the repository is in one of the states; one that cannot be told counts as given."""
        folder = seen.command.cwd
        chosen = seen.options.values.get("C")
        if chosen and folder is not None:
            folder = seen.case.places.absolute(chosen[-1].text, folder)
        if folder is None or (chosen and not chosen[-1].known):
            return True
        git = seen.case.git(folder)
        for state in self.condition.state:
            if state == "dirty" and git.is_clean is not True:
                return True
            if state == "unpushed" and _unpushed(git, seen.options.operands):
                return True
            if state == "protected" and _pushes_protected(git.branch, seen.options.operands):
                return True
        return False

    def called(self, tool: str, text: str) -> bool:
        """Whether another tool's call fits."""
        condition = self.condition
        return (
            any(fnmatchcase(tool, name) for name in condition.tool)
            and (not self._verbs or not self._verbs.isdisjoint(_tool_verbs(tool)))
            and (not condition.text or self._patterns["text"].search(text) is not None)
            and not (condition.text_none and self._patterns["text_none"].search(text))
        )


def _unpushed(git: Any, operands: Sequence[Word]) -> bool:
    """Whether a branch that is named may have commits that no remote has."""
    names = [word.text for word in operands if word.known] or [None]
    return any(git.is_pushed(name) is not True for name in names)


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


def _tool_verbs(tool: str) -> frozenset[str]:
    """The words in a tool's own name, however they are joined."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool.rpartition("__")[2])
    return frozenset(part.lower() for part in _PARTS.split(name))


def _starts(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if len(words) < len(wanted):
        return False
    return all(want in ("*", word) for want, word in zip(wanted, words, strict=False))


def _named(name: str, programs: frozenset[str]) -> bool:
    return name in programs or ALIASES.get(name, name) in programs or any("*" in p and fnmatchcase(name, p) for p in programs)


def _any(pattern: Any, words: Iterable[Word]) -> bool:
    return any(pattern.search(word.text) for word in words)


Entry = tuple[str, Rule, Test]


class Matcher:
    """All rules in force, found by what they are about."""

    def __init__(self, rules: Iterable[tuple[str, Rule]]) -> None:
        self._by_program: dict[str, list[Entry]] = {}
        self._by_glob: list[tuple[str, Entry]] = []
        self._by_verb: list[Entry] = []
        self._by_effect: dict[str, list[Entry]] = {}
        self._by_flow: dict[str, list[Entry]] = {}
        self._by_tool: list[Entry] = []
        self._verbs: frozenset[str] = frozenset()
        for name, rule in rules:
            for condition in rule.when:
                self._add((name, rule, Test(condition)), condition)
        self._verbs = frozenset(verb for entry in self._by_verb for verb in entry[2].condition.verb)

    def _add(self, entry: Entry, condition: Condition) -> None:
        if condition.tool:
            self._by_tool.append(entry)
        for kind in condition.effect:
            self._by_effect.setdefault(kind, []).append(entry)
        for kind in condition.flow:
            self._by_flow.setdefault(kind, []).append(entry)
        if condition.effect or condition.flow or condition.tool:
            return
        for program in condition.program:
            if "*" in program:
                self._by_glob.append((program, entry))
            else:
                self._by_program.setdefault(program, []).append(entry)
        if not condition.program:
            self._by_verb.append(entry)

    def opinions(self, case: Case) -> Iterator[Opinion]:
        """What the rules say, each once per command."""
        if not case.is_shell:
            return
        said: set[tuple[str, int]] = set()
        seen: dict[int, Seen] = {}
        commands = case.script.commands
        for index, command in enumerate(commands):
            if not command.name or (command.name == ":" and not command.assignments):
                continue
            for name, rule, test in self._candidates(command):
                at = seen.setdefault(index, Seen(case, command, index))
                if (name, index) not in said and test.command(at):
                    said.add((name, index))
                    yield _opinion(name, rule, case, command)
        for effect in case.effects:
            for name, rule, test in self._by_effect.get(effect.kind, ()):
                index = effect.command
                at = seen.setdefault(index, Seen(case, commands[index], index))
                if (name, index) not in said and test.effect(at, effect):
                    said.add((name, index))
                    yield _opinion(name, rule, case, commands[index])
        for flow in flows(case):
            for name, rule, test in self._by_flow.get(flow.kind, ()):
                at = seen.setdefault(flow.command, Seen(case, commands[flow.command], flow.command))
                if (name, flow.command) not in said and test.flow(at, flow):
                    said.add((name, flow.command))
                    yield _opinion(name, rule, case, commands[flow.command])

    def _candidates(self, command: Command) -> Iterator[Entry]:
        name = command.name
        found = self._by_program.get(name)
        if found is None:
            plain = name.lower().removesuffix(".exe") if not name.islower() or name.endswith(".exe") else name
            found = self._by_program.get(ALIASES.get(plain, plain))
        if found:
            yield from found
        for pattern, entry in self._by_glob:
            if fnmatchcase(name, pattern):
                yield entry
        if self._by_verb and not command.wraps and not takes_data(name) and self._mentions_verb(command.args):
            yield from self._by_verb

    def _mentions_verb(self, args: Sequence[Word]) -> bool:
        """A cheap look before the options are told apart."""
        for word in args[:12]:
            text = word.text
            if len(text) < 60 and text not in self._verbs:
                parts = _PARTS.split(text)
                if parts[0] in self._verbs or parts[-1] in self._verbs:
                    return True
            elif text in self._verbs:
                return True
        return False

    def calls(self, case: Case, text: str) -> Iterator[Opinion]:
        """What the rules say about another tool's call; `text` is its input as text."""
        for name, rule, test in self._by_tool:
            if test.called(case.tool, text):
                yield Opinion(
                    layer="static", verdict=rule.verdict, rule=name, severity=rule.severity, reason=rule.reason,
                    instead=rule.instead, evidence=case.tool,
                )  # fmt: skip


def _opinion(name: str, rule: Rule, case: Case, command: Command) -> Opinion:
    return Opinion(
        layer="static",
        verdict=rule.verdict,
        rule=name,
        severity=rule.severity,
        reason=rule.reason,
        instead=rule.instead,
        span=(command.start, command.end),
        evidence=case.command[command.start : command.end][:200],
    )
