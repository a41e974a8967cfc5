"""The static layer: rules held against the commands, effects and flows of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from hookd.gate.case import hosts
from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import names as tool_names
from hookd.gate.noticed import notices
from hookd.gate.noticed.model import Notice
from hookd.gate.rules.command_view import EXPORTS, Seen, takes_data
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
        self._by_variable: list[Entry] = []
        self._by_notice: dict[str, list[Entry]] = {}
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
        for kind in condition.notice:
            self._by_notice.setdefault(kind, []).append(entry)
        if condition.effect or condition.flow or condition.tool or condition.notice:
            return
        for program in condition.program:
            if "*" in program:
                self._by_pattern.append((program.partition("*")[0], program, entry))
            else:
                self._by_program.setdefault(program, _Index()).add(entry)
        if not condition.program:
            (self._by_variable if condition.assigns else self._by_verb).append(entry)

    def opinions(self, case: Case) -> Iterator[Opinion]:
        """What the rules say, each once per command."""
        if not case.is_shell:
            return
        said: set[tuple[str, int | None]] = set()
        for (name, rule, _), seen, shown in self._fitting(case):
            if (name, seen.index) not in said:
                said.add((name, seen.index))
                where = case.at(seen.command.start, seen.command.end)
                yield _opinion(name, rule, shown, part=seen.index, **where)
        for (name, rule, test), notice in self._noticed(notices.of_shell(case)):
            at = notice.command
            if at is None:
                where = {"evidence": notice.shown[:200]}
            else:
                seen = Seen(case, case.script.commands[at], at)
                where = {"part": at, **case.at(seen.command.start, seen.command.end)}
                if not test.flow(seen):
                    continue
            if (name, at) not in said:
                said.add((name, at))
                yield _opinion(name, rule, notice.shown, **where)

    def _noticed(self, found: Iterator[Notice]) -> Iterator[tuple[Entry, Notice]]:
        """Every rule about something that was noticed, with that."""
        for notice in found if self._by_notice else ():
            for entry in self._by_notice.get(notice.kind, ()):
                yield entry, notice

    def _fitting(self, case: Case) -> Iterator[tuple[Entry, Seen, str]]:
        """Every rule that fits a command, an effect or a flow, with the command and what is shown of it."""
        seen = [Seen(case, command, index) for index, command in enumerate(case.script.commands)]
        for at in seen:
            if at.command.name and (at.command.name != ":" or at.command.assignments):
                for entry in self._candidates(at):
                    if entry[2].command(at):
                        yield entry, at, ""
        for effect in case.effects:
            at = seen[effect.command]
            for entry in self._about(effect, case, at.command.cwd):
                if entry[2].effect(at, effect):
                    yield entry, at, ""
        for flow in flows(case):
            at = seen[flow.command]
            for entry in self._by_flow.get(flow.kind, ()):
                if entry[2].flow(at):
                    yield entry, at, flow.shown

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
        if self._by_variable and (command.assignments or name in EXPORTS):
            yield from self._by_variable
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
        named = partial(_hosts_in, case, line)
        for name, rule, test in self._by_tool:
            if name not in said and any(test.called(known, line, named) for known in tool_names(case.call)):
                said.add(name)
                yield _opinion(name, rule, evidence=case.tool[:200])
        for (name, rule, _), notice in self._noticed(notices.of_tool(case)):
            if name not in said:
                said.add(name)
                yield _opinion(name, rule, notice.shown, evidence=f"{case.tool}: {notice.shown}"[:200])
        for effect in effects:
            names = tool_names(case.call, effect.kind)
            seen = [Seen(case, Command(known, Word(known), cwd=case.cwd), 0) for known in names]
            for name, rule, test in self._about(effect, case, case.cwd):
                if name not in said and any(test.effect(each, effect) for each in seen):
                    said.add(name)
                    path = effect.target.text if effect.target else ""
                    yield _opinion(name, rule, evidence=f"{case.tool} {path}"[:200])


def _hosts_in(case: Case, text: str) -> frozenset[str]:
    """What the hosts are that another tool's input names."""
    found = (hosts.host_of(authority) for authority in hosts.in_text(text))
    return frozenset().union(*(hosts.kinds(case, host) for host in dict.fromkeys(found)))


def _opinion(name: str, rule: Rule, shown: str = "", **where: Any) -> Opinion:
    """What a rule says; `{shown}` in its reason is what was noticed, in plain letters."""
    return Opinion(
        layer="static", verdict=rule.verdict, rule=name, severity=rule.severity,
        reason=rule.reason.replace("{shown}", shown), instead=rule.instead, **where,
    )  # fmt: skip
