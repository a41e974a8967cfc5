"""The static layer: rules held against the commands, effects and flows of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from hookd.gate.case.action_words import takes_data
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import names as tool_names
from hookd.gate.rules.command_view import Seen
from hookd.gate.rules.condition_matching import Test
from hookd.gate.rules.flows import flows
from hookd.gate.rules.format import Condition, Rule
from hookd.shell.effects import Effect
from hookd.shell.model import Command, Word
from hookd.shell.programs import ALIASES

Entry = tuple[str, Rule, Test]
_WORTH_SORTING = 6


class _Index:
    """The rules about one program, those that ask for a subcommand by its first word."""

    def __init__(self) -> None:
        self.any: list[Entry] = []
        self.by_word: dict[str, list[Entry]] = {}

    def add(self, entry: Entry) -> None:
        words = {text.split()[0] for text in entry[2].condition.subcommand}
        if not words or "*" in words:
            self.any.append(entry)
        for word in words if "*" not in words else ():
            self.by_word.setdefault(word, []).append(entry)


class Matcher:
    """All rules in force, found by what they are about."""

    def __init__(self, rules: Iterable[tuple[str, Rule]]) -> None:
        self._by_program: dict[str, _Index] = {}
        self._by_pattern: list[tuple[str, str, Entry]] = []
        self._by_verb: list[Entry] = []
        self._by_effect: dict[str, list[Entry]] = {}
        self._by_place: dict[tuple[str, frozenset[str] | None], tuple[Entry, ...]] = {}
        self._by_flow: dict[str, list[Entry]] = {}
        self._by_tool: list[Entry] = []
        for name, rule in rules:
            for condition in rule.when:
                self._add((name, rule, Test(condition)), condition)
        verbs = sorted({verb for entry in self._by_verb for verb in entry[2].condition.verb})
        self._verb = (
            re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, verbs))})(?![a-z0-9])") if verbs else None
        )

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
                self._by_pattern.append((program.partition("*")[0], program, entry))
            else:
                self._by_program.setdefault(program, _Index()).add(entry)
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
            if command.name and (command.name != ":" or command.assignments):
                at = seen[index] = Seen(case, command, index)
                for name, rule, test in self._candidates(at):
                    if (name, index) not in said and test.command(at):
                        said.add((name, index))
                        yield _opinion(name, rule, case, index)
        for effect in case.effects:
            index = effect.command
            for name, rule, test in self._about(effect, case, commands[index].cwd):
                if (name, index) not in said and test.effect(_seen(seen, case, index), effect):
                    said.add((name, index))
                    yield _opinion(name, rule, case, index)
        for flow in flows(case):
            for name, rule, test in self._by_flow.get(flow.kind, ()):
                index = flow.command
                if (name, index) not in said and test.flow(_seen(seen, case, index), flow):
                    said.add((name, index))
                    yield _opinion(name, rule, case, index)

    def _about(self, effect: Effect, case: Case, cwd: str | None) -> Sequence[Entry]:
        """The rules about an effect, without those about other places; there are few sets of places."""
        rules = self._by_effect.get(effect.kind, ())
        if len(rules) < _WORTH_SORTING:
            return rules
        places = case.places.of(effect.target, cwd) if effect.target is not None else None
        found = self._by_place.get((effect.kind, places))
        if found is None:
            found = tuple(entry for entry in rules if entry[2].is_about(places))
            self._by_place[effect.kind, places] = found
        return found

    def _candidates(self, seen: Seen) -> Iterator[Entry]:
        command = seen.command
        name = command.name
        plain = (name if name.islower() else name.lower()).removesuffix(".exe")
        known = ALIASES.get(plain, plain)
        # Under both names: a rule about `python3` does not take the place of those about `python`.
        for program in (name,) if known == name else (name, known):
            found = self._by_program.get(program)
            if found is not None:
                yield from found.any
                if found.by_word and seen.words:
                    yield from found.by_word.get(seen.words[0], ())
        for start, pattern, entry in self._by_pattern:
            if name.startswith(start) and fnmatchcase(name, pattern):
                yield entry
        if not command.wraps and not takes_data(name) and self._mentions_verb(command):
            yield from self._by_verb

    def _mentions_verb(self, command: Command) -> bool:
        """A cheap look before options are told apart."""
        verb = self._verb
        return verb is not None and any(len(w.text) < 60 and verb.search(w.text) for w in command.args[:12])

    def calls(self, case: Case, effects: Sequence[Effect], text: str) -> Iterator[Opinion]:
        """What the rules say about another tool's call: by its name and text, and by its effects on files."""
        said: set[str] = set()
        line = text.replace("\n", " ")
        for name, rule, test in self._by_tool:
            if name not in said and any(test.called(known, line) for known in tool_names(case.call)):
                said.add(name)
                yield _tool_opinion(name, rule, case.tool)
        for effect in effects:
            names = tool_names(case.call, effect.kind)
            seen = [Seen(case, Command(known, Word(known), cwd=case.cwd), 0) for known in names]
            for name, rule, test in self._about(effect, case, case.cwd):
                if name not in said and any(test.effect(each, effect) for each in seen):
                    said.add(name)
                    yield _tool_opinion(
                        name, rule, f"{case.tool} {effect.target.text if effect.target else ''}"
                    )


def _tool_opinion(name: str, rule: Rule, evidence: str) -> Opinion:
    return Opinion(
        layer="static", verdict=rule.verdict, rule=name, severity=rule.severity, reason=rule.reason,
        instead=rule.instead, evidence=evidence[:200],
    )  # fmt: skip


def _seen(known: dict[int, Seen], case: Case, index: int) -> Seen:
    found = known.get(index)
    if found is None:
        found = known[index] = Seen(case, case.script.commands[index], index)
    return found


def _opinion(name: str, rule: Rule, case: Case, index: int) -> Opinion:
    command = case.script.commands[index]
    return Opinion(
        layer="static",
        verdict=rule.verdict,
        rule=name,
        severity=rule.severity,
        reason=rule.reason,
        instead=rule.instead,
        span=(command.start, command.end),
        evidence=case.command[command.start : command.end][:200],
        part=index,
    )
