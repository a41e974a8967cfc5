"""Where a person changes what stopped a call: the config file and its key, a pack, or the hook's file."""

import os
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hookd.capabilities import sources
from hookd.gate.rules.code_rules import SWITCHES
from hookd.gate.rules.library import LOCKED, NamedRule
from hookd.paths import Project
from hookd.reports.rules import GateInForce, gate_in_force, rule_as_written, rule_named

_STRICTNESS = {"off": 0, "allow": 0, "ask": 1, "deny": 2}


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The file to change, the key in it if it is a config file, and what to write there."""

    file: str
    key: str | None = None
    value: str | None = None
    """As TOML has it."""
    own: bool = True
    """Whether it is the person's to change, and not an administrator's."""

    @property
    def says(self) -> str:
        if self.key is None:
            return f"change the file that decided it: {self.file}"
        return f"change the rule for good: {self.line}"

    @property
    def line(self) -> str:
        return f"{self.key} = {self.value} in {self.file}" if self.key else self.file


class Ways(NamedTuple):
    """How rules that were against a call are changed, so that the call is not stopped again."""

    places: list[Place]
    """What to write where, for each of them."""
    managed: dict[str, Place]
    """The rules that are an administrator's, and where they are."""
    guards: list[str]
    """The rules that guard hookd itself, which nothing lifts."""
    fixed: list[str]
    """The rules that are code, without a switch."""
    changed: list[str]
    """What is different by now, in words."""

    @property
    def change(self) -> Place | None:
        """The place that a person is shown; None if to change that one would not be enough."""
        if self.guards or self.fixed or self.changed:
            return None
        return next(iter((*self.managed.values(), *self.places)), None)


def ways_to_change(project: Project, rules: Iterable[tuple[str, str]]) -> Ways:
    """The ways for rules, each with what it said, `ask` or `deny`."""
    ways = Ways([], {}, [], [], [])
    found = gate_in_force(project.root, project.folders)
    for rule, verdict in rules:
        named = rule_named(found.gate, rule)
        if rule.partition(".")[0] in LOCKED:
            ways.guards.append(rule)
        elif named is not None and named.locked:
            ways.managed[rule] = Place(file=named.locked_by or named.origin, own=False)
        elif now := _changed(rule, named, verdict):
            ways.changed.append(f"{rule} has been changed since: {now}")
        elif (place := _place(project, found, rule, named, verdict)) is None:
            ways.fixed.append(rule)
        else:
            ways.places.append(place)
    return ways


def _changed(rule: str, named: NamedRule | None, verdict: str) -> str:
    """What a rule says by now, if that is less than it was."""
    if named is None:
        return "it is off" if rule_as_written(rule) is not None else "it is gone"
    return f"it says {named.rule.verdict}" if _STRICTNESS[named.rule.verdict] < _STRICTNESS[verdict] else ""


def _place(
    project: Project, found: GateInForce, rule: str, named: NamedRule | None, verdict: str
) -> Place | None:
    config = str(project.folders.config / "config.toml")
    if (switch := SWITCHES.get(rule)) is not None:
        value = "false" if switch == "gate.deletions" else '"off"'
        return Place(file=found.set_in.get(switch, config), key=switch, value=value)
    if named is not None and os.path.isabs(named.origin):
        return Place(file=named.origin)
    if rule_as_written(rule) is None:
        return None
    softer = '"off"' if verdict == "ask" else '"ask"'
    return Place(
        file=found.set_in.get(f"gate.rules.{rule}", config), key=f'gate.rules."{rule}"', value=softer
    )


def file_of_hook(project: Project, hook: str) -> Place | None:
    """The file that a hook of a person's or a project's is in, by the hook's name."""
    name = hook.partition(".")[0]
    found = sources(project.root, project.folders).read().sources
    paths = [source.path for source in found if os.path.splitext(os.path.basename(source.path))[0] == name]
    return Place(file=paths[0]) if paths else None


def failure_policy(project: Project) -> str:
    """The verdict on what hookd cannot judge, and the file that has it."""
    found = sources(project.root, project.folders).read()
    file = found.set_in.get("gate.on_failure")
    return f'gate.on_failure = "{found.config.on_failure}", {f"in {file}" if file else "by default"}'
