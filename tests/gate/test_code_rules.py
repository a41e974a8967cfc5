"""Every rule that can speak can be looked up: the packs', and those that are code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import hookd.gate
from hookd.gate.guard.indirect_access import OWN_FILES
from hookd.gate.guard.own_files import OWN_COMMAND, OWN_PROCESS
from hookd.gate.guard.registration import OWN_ENTRY
from hookd.gate.rules.code_rules import CODE_RULES, SWITCHES
from hookd.paths import project_at
from hookd.reports.rules import gate_in_force, rule_named, rules_of
from worlds import World

GATE = Path(hookd.gate.__file__).parent
NAME = re.compile(r"(?:context|self-protection|model|execution|learned)\.[a-z][a-z-]+")
SAYING = {"ask", "_allow"}
"""Functions that make a name out of `context.` and their first argument."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node


def uttered() -> set[str]:
    """Every name of a rule in the gate's own code."""
    found = set()
    for path in GATE.rglob("*.py"):
        if path.name == "code_rules.py":
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
                found.add(node.value)
        for name, call in calls(tree):
            if name in SAYING and call.args and isinstance(call.args[0], ast.Constant):
                found.add(f"context.{call.args[0].value}")
    return found


def test_the_code_says_no_name_that_cannot_be_looked_up(world: World) -> None:
    project = project_at(str(world.project), world.env)
    gate = gate_in_force(project.root, project.folders).gate
    known = {named.name for named in rules_of(gate)}
    names = uttered()
    assert {OWN_FILES, OWN_PROCESS, OWN_COMMAND, OWN_ENTRY, "context.dependents", "model.unsure"} <= names
    assert names - known == set()
    code = {named.name for named in CODE_RULES}
    assert code - names == set(), "nobody says these any more"
    assert code >= SWITCHES.keys()


def test_an_opinion_gets_its_name_in_no_other_way() -> None:
    ways = set()
    for path in GATE.rglob("*.py"):
        for name, call in calls(ast.parse(path.read_text())):
            if name in ("Opinion", "objection", "_opinion", "opinion", "partial"):
                ways |= {ast.unparse(word.value) for word in call.keywords if word.arg == "rule"}
    shapes = {way for way in ways if way.startswith("f")}
    assert shapes == {"f'context.{name}'", "f'learned.{learned.id}'"}
    names = {way for way in ways if not way.startswith(("f'", "'"))}
    assert names == {"name", "OWN_FILES", "NAMED_FILES", "OWN_PROCESS", "OWN_COMMAND", "OWN_ENTRY"}


def test_rules_show_knows_every_rule(world: World) -> None:
    listed = {rule["rule"]: rule for rule in world.json("rules", "list")}
    assert {named.name for named in CODE_RULES} <= listed.keys()
    project = project_at(str(world.project), world.env)
    gate = gate_in_force(project.root, project.folders).gate
    assert all(rule_named(gate, name) is not None for name in listed)
    for named in CODE_RULES:
        shown = world.hookd("rules", "show", named.name)
        assert shown.startswith(f"{named.name}: {named.rule.verdict}") and named.rule.reason in shown
    assert world.json("rules", "show", "context.dependents")["reason"]
    assert "gate.deletions" in world.hookd("rules", "show", "context.dependents")


def test_a_rule_that_is_turned_off_says_where(world: World) -> None:
    config = world.folders.config / "config.toml"
    config.write_text('[gate.rules]\n"git.force-push" = "off"\n')
    done = world.run("rules", "show", "git.force-push", check=False)
    assert done.returncode == 2
    assert "is turned off" in done.stderr.decode() and str(config) in done.stderr.decode()


def test_what_nobody_has_learned_is_no_rule(world: World) -> None:
    for name in ("learned.77", "learned.x", "git.nothing"):
        done = world.run("rules", "show", name, check=False)
        assert done.returncode == 2 and b"hookd rules" in done.stderr
