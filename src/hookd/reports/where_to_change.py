"""Where a person changes what stopped a call: the config file and its key, a pack, or the hook's file."""

import os

import msgspec

from hookd.capabilities import sources
from hookd.gate.rules.code_rules import SWITCHES
from hookd.gate.rules.library import LOCKED
from hookd.paths import Project
from hookd.reports.rules import gate_in_force, rule_as_written, rule_named


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
        line = f"{self.key} = {self.value}"
        if not self.own:
            return f"it is your administrator's to change: {line} in {self.file}"
        return f"change the rule for good: {line} in {self.file}"


def place_of_rule(project: Project, rule: str, verdict: str) -> Place | None:
    """Where a rule that said ask or deny is changed; None if nothing that a person writes changes it."""
    if rule.partition(".")[0] in LOCKED:
        return None
    found = gate_in_force(project.root, project.folders)
    config = str(project.folders.config / "config.toml")
    if (switch := SWITCHES.get(rule)) is not None:
        value = "false" if switch == "gate.deletions" else '"off"'
        return Place(file=found.set_in.get(switch, config), key=switch, value=value)
    named = rule_named(found.gate, rule)
    if named is not None and os.path.isabs(named.origin):
        return Place(file=named.origin, own=not named.locked)
    if rule_as_written(rule) is None:
        return None
    softer = '"off"' if verdict == "ask" else '"ask"'
    file = found.set_in.get(f"gate.rules.{rule}", config)
    return Place(file=file, key=f'gate.rules."{rule}"', value=softer, own=not (named and named.locked))


def file_of_hook(project: Project, hook: str) -> Place | None:
    """The file that a hook of a person's or a project's is in, by the hook's name."""
    name = hook.partition(".")[0]
    found = sources(project.root, project.folders).read().sources
    paths = [source.path for source in found if os.path.splitext(os.path.basename(source.path))[0] == name]
    return Place(file=paths[0]) if paths else None
