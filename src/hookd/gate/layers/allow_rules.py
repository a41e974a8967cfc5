"""Rules that allow: what each covers, and which questions of other rules it answers.

An allow counts for the very commands it fits. It answers the questions about those, never a denial, nothing
critical and nothing locked. The line as a whole is allowed only if every command of it is covered, or
harmless by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from hookd.gate.case.model import Case, Opinion
from hookd.gate.case.tools import is_plain_shell
from hookd.gate.layers.files import text_of, tool_effects
from hookd.gate.rules.command_view import Seen
from hookd.gate.rules.condition_matching import Test
from hookd.gate.rules.format import Condition, Rule
from hookd.gate.rules.library import NamedRule
from hookd.gate.rules.rule_index import Matcher
from hookd.shell.effects import Effect
from hookd.shell.model import Command, Word

_INTO_NOTHING = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "-", "1", "2"})

Harmless = Callable[[Case, int], bool]
"""Whether one command of a line is harmless by itself."""


class Allowing:
    """The rules in force that allow something."""

    def __init__(self, rules: Iterable[NamedRule], locked: frozenset[str]) -> None:
        rules = list(rules)
        plain = [(n.name, replace(n.rule, when=when)) for n in rules if (when := _plain(n.rule))]
        self._by_command = Matcher(plain) if plain else None
        self._by_effect = [
            (named.name, named.rule, Test(condition))
            for named in rules
            for condition in named.rule.when
            if condition.effect and not condition.flow
        ]
        self._locked = locked

    def opinions(self, case: Case, said: Sequence[Opinion], harmless: Harmless | None) -> Iterator[Opinion]:
        """What is allowed, which of the questions asked so far that answers, and whether it is everything."""
        if not case.is_shell or not case.call.is_known:
            allowed = list(self._call(case))
            yield from allowed
            yield from self._answered(allowed, said)
        if not case.is_shell:
            return
        allowed = [*self._commands(case), *self._effects(case)]
        yield from allowed
        yield from self._answered(allowed, said)
        covered = {o.part for o in allowed}
        commands = range(len(case.script.commands))
        if not covered or case.script.unknowns or not is_plain_shell(case.call):
            return
        if all(number in covered or (harmless is not None and harmless(case, number)) for number in commands):
            yield replace(allowed[0], part=None, span=None)

    def _answered(self, allowed: list[Opinion], said: Sequence[Opinion]) -> Iterator[Opinion]:
        for opinion in allowed:
            for asked in said:
                if asked.verdict != "ask" or asked.severity == "critical" or asked.rule in self._locked:
                    continue
                if asked.part == opinion.part and (asked.part is not None or asked.layer == "static"):
                    yield replace(opinion, lifts=asked.rule)

    def _commands(self, case: Case) -> Iterator[Opinion]:
        """Commands that a rule fits as they are; what is done around them is not what it speaks of."""
        for opinion in self._by_command.opinions(case) if self._by_command is not None else ():
            command = case.script.commands[opinion.part or 0]
            if not command.assignments and not _writes(command):
                yield opinion

    def _effects(self, case: Case) -> Iterator[Opinion]:
        """Commands of which a rule fits every effect."""
        for number, command in enumerate(case.script.commands) if self._by_effect else ():
            effects = [effect for effect in case.effects if effect.command == number]
            for name, rule, test in self._by_effect:
                if not command.assignments and _fits_all(test, Seen(case, command, number), effects):
                    yield _allow(name, rule, part=number, **case.at(command.start, command.end))
                    break

    def _call(self, case: Case) -> Iterator[Opinion]:
        """Another tool's call, by its name or by everything it does to files."""
        effects = list(tool_effects(case))
        if self._by_command is not None:
            yield from self._by_command.calls(case, (), text_of(case.input))
        seen = Seen(case, Command(case.tool, Word(case.tool), cwd=case.cwd), 0)
        for name, rule, test in self._by_effect:
            if _fits_all(test, seen, effects):
                yield _allow(name, rule, evidence=case.tool[:200])
                return


def _plain(rule: Rule) -> list[Condition]:
    """The conditions on a command or a tool by itself; one on a flow covers nothing."""
    return [each for each in rule.when if not each.flow and not each.effect]


def _writes(command: Command) -> bool:
    return any(">" in each.operator and each.target.text not in _INTO_NOTHING for each in command.redirects)


def _fits_all(test: Test, seen: Seen, effects: list[Effect]) -> bool:
    return bool(effects) and all(
        effect.kind in test.condition.effect and test.effect(seen, effect) for effect in effects
    )


def _allow(name: str, rule: Rule, **where: Any) -> Opinion:
    return Opinion(
        layer="static", verdict="allow", rule=name, severity=rule.severity, reason=rule.reason, **where
    )
