"""A rule whose verdict is audit: on record, and in nobody's way."""

from pathlib import Path

import pytest
from gate_world import shell

from hookd.gate.case.model import Opinion, fold
from hookd.gate.judge import Judge
from hookd.gate.rules.library import builtin_packs, rules_in_force
from worlds import World, wait_until

PUSH = "git push --force origin main"


def test_a_rule_in_audit_stops_nothing_and_is_on_record(world: World) -> None:
    (world.folders.config / "config.toml").write_text('[gate.rules]\n"git.force-push" = "audit"\n')
    assert world.bash(PUSH) is None
    [found] = wait_until(lambda: world.json("log", "--verdict", "none"), "the verdict is on record")
    assert (found["rule"], found["call"]) == ("git.force-push", PUSH)
    assert found["passed"] == "the rule's verdict is audit"
    assert "audit" in world.hookd("explain", PUSH)


def test_an_untrusted_project_cannot_put_a_rule_into_audit(world: World) -> None:
    world.write_project_file("config.toml", '[gate.rules]\n"git.force-push" = "audit"\n')
    world.write_project_file("rules/a.toml", 'pack = "a"\n[override]\n"git.force-push" = "audit"\n')
    assert "git.force-push" in str(world.bash(PUSH))


def test_another_rules_question_stands_beside_it() -> None:
    rules = rules_in_force(builtin_packs(Path("/nonexistent")), (), {"git.force-push": "audit"})
    found = Judge(rules).judge(shell(f"{PUSH}; git stash drop"))
    assert (found.verdict, found.rule) == ("ask", "git.drop-stash")
    assert {o.rule: o.verdict for o in found.trace}["git.force-push"] == "audit"


@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
def test_whatever_else_is_said_counts(verdict: str) -> None:
    watched = Opinion(layer="static", verdict="audit", rule="a.a", severity="critical")
    said = Opinion(layer="static", verdict=verdict, rule="b.b", severity="low")  # type: ignore[arg-type]
    assert (fold((watched, said)).verdict, fold((watched, said)).rule) == (verdict, "b.b")
    assert (fold((watched,)).verdict, fold((watched,)).rule) == ("none", "a.a")
