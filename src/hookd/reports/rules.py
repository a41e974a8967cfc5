"""The gate's rules as they are in force in a project, for a look at them without an event."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hookd.capabilities import commands, sources
from hookd.config import Config
from hookd.gate.hook import Gate
from hookd.gate.rules import library
from hookd.gate.rules.code_rules import CODE_RULES
from hookd.gate.rules.library import NamedRule
from hookd.hooks.services import Services
from hookd.journal.ingest import open_store
from hookd.paths import UserFolders

if TYPE_CHECKING:
    from hookd.gate.examples import Failure


class GateInForce(NamedTuple):
    """A judge with the rules that an event would meet now, and what is wrong with files of rules."""

    gate: Gate
    config: Config
    problems: tuple[str, ...]
    set_in: Mapping[str, str]
    """The config file that each key in force is from."""


class RuleSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One rule in short."""

    rule: str
    verdict: str
    severity: str
    reason: str
    instead: str | None
    origin: str
    """`hookd`, or the file that has it."""
    locked: bool


class ExampleRun(NamedTuple):
    """What came of running every rule's examples."""

    rules: int
    examples: int
    failures: list["Failure"]

    def plain(self) -> dict[str, Any]:
        failed = [failure._asdict() for failure in self.failures]
        return {"rules": self.rules, "examples": self.examples, "failures": failed}


def gate_in_force(root: str, folders: UserFolders, *, with_store: bool = False) -> GateInForce:
    """Reads configuration and rules as the daemon does; a gate that is to ask the model needs the store."""
    store = open_store(folders.database) if with_store else None
    found = sources(root, folders).read()
    services = Services(
        found.config,
        found.files,
        store,
        managed=found.managed,
        commands=commands(),
        watch_settings=lambda _event, _call: None,  # as the daemon, which has the settings watched
    )
    gate = Gate(services, root)
    written = [problem for files in services.asked_for.values() for problem in files.problems]
    problems = (*found.problems, *written, *gate.idle_overrides(found.set_in))
    return GateInForce(gate, found.config, problems, found.set_in)


def rules_of(gate: Gate, pack: str | None = None) -> list[NamedRule]:
    """Every rule that can speak, of all packs or of one: those in force, and those that are code."""
    every = (*gate.rules, *CODE_RULES)
    return [named for named in every if pack is None or named.name.startswith(f"{pack}.")]


def rule_named(gate: Gate, name: str) -> NamedRule | None:
    return next((named for named in rules_of(gate) if named.name == name), None)


def rule_as_written(name: str) -> NamedRule | None:
    """One of hookd's own rules, whatever has become of it."""
    return next(
        (named for named in library.rules_in_force(library.builtin_packs(), (), {}) if named.name == name),
        None,
    )


def rule_summary(named: NamedRule) -> RuleSummary:
    return RuleSummary(
        rule=named.name,
        verdict=named.rule.verdict,
        severity=named.rule.severity,
        reason=named.rule.reason,
        instead=named.rule.instead or None,
        origin=named.origin,
        locked=named.locked,
    )


def rule_detail(named: NamedRule) -> dict[str, Any]:
    """A rule with everything that its file says, by the file's own keys."""
    written: dict[str, Any] = msgspec.to_builtins(named.rule)
    return msgspec.structs.asdict(rule_summary(named)) | written


def override_problem(root: str, folders: UserFolders, rule: str) -> str:
    """Why the config cannot give a rule another verdict, with the name that may have been meant; or ""."""
    found = sources(root, folders).read()
    written = library.load(found.files.get("rules", ())).packs
    unchanged = [(file, msgspec.structs.replace(pack, override={})) for file, pack in written]
    return next(iter(library.idle_overrides(library.builtin_packs(), unchanged, {rule: "off"})), "")


def run_examples(gate: Gate) -> ExampleRun:
    """Runs every rule's own examples."""
    from hookd.gate.examples import failures  # a look at the rules does not need them

    count = sum(len(named.rule.match) + len(named.rule.skip) for named in gate.rules)
    return ExampleRun(len(gate.rules), count, list(failures(gate.rules, gate.judge)))
