"""The rules in force as values, their examples, and what was learned about them."""

import pytest

from hookd.gate.people.grants import GrantBook
from hookd.gate.people.learning import approve, revoke
from hookd.gate.record.repository import LearnedRules
from hookd.journal.entries import GateAnswer
from hookd.paths import Project, project_at
from hookd.reports.learned import learned_rules, learned_store
from hookd.reports.rules import gate_in_force, rule_detail, rule_named, rule_summary, rules_of, run_examples
from hookd.store.database import Database

MINE = """
pack = "mine"
[[rule]]
id = "deploy"
verdict = "deny"
reason = "Deploying is for the release job."
when = [{ program = ["deployer"] }]
match = ["deployer --now", "make deploy"]
"""


@pytest.fixture
def bare(tmp_path: object) -> Project:
    """A project that no event has come from."""
    return project_at(f"{tmp_path}/p", {"HOME": str(tmp_path), "HOOKD_HOME": f"{tmp_path}/h"})


def test_a_persons_rule_stands_among_hookds_own(bare: Project) -> None:
    bare.folders.rules.mkdir(parents=True)
    (bare.folders.rules / "mine.toml").write_text(MINE)
    (bare.folders.rules / "broken.toml").write_text("pack =")
    found = gate_in_force(bare.root, bare.folders)
    assert len(found.problems) == 1 and "broken.toml" in found.problems[0]
    [named] = rules_of(found.gate, "mine")
    summary = rule_summary(named)
    assert (summary.rule, summary.verdict, summary.instead, summary.locked) == (
        "mine.deploy",
        "deny",
        None,
        False,
    )
    assert summary.origin.endswith("mine.toml")
    detail = rule_detail(named)
    assert list(detail)[:3] == ["rule", "verdict", "severity"] and detail["match"] == named.rule.match
    assert len(rules_of(found.gate)) > len(rules_of(found.gate, "git")) > 1
    assert rules_of(found.gate, "nothing") == [] and rule_named(found.gate, "mine") is None
    run = run_examples(found.gate)
    assert [failure.example for failure in run.failures] == ["make deploy"]
    assert run.plain()["failures"][0]["rule"] == "mine.deploy" and run.examples > run.rules


def test_what_was_learned_goes_from_candidate_to_force_and_back(bare: Project) -> None:
    book = GrantBook(bare.folders, bare.root)

    def answered(db: Database) -> int:
        about = {"rule": "git.drop-stash", "shape": "s", "severity": "high", "words": "git stash drop"}
        answer = GateAnswer(id="1", at=100.0, decision="approved", call="c", session="s1", **about)
        found = LearnedRules(db, bare.key).keep(answer, forget_before=0)
        assert found is not None
        return found.id

    store = learned_store(bare)

    def state() -> tuple[str, int, str | None]:
        with store.reading() as db:
            [found] = learned_rules(db, bare)
        assert [each.decision for each in found.evidence] == ["approved"]
        return found.state, found.approvals, found.by

    number = store.submit(answered).result()
    assert state() == ("candidate", 1, None)
    assert approve(store, book, bare.key, number, 30, 100.0, "allow") is not None
    assert state()[0] == "expired", "long ago"
    assert approve(store, book, bare.key, number, 0, 100.0, "allow") is not None
    assert state() == ("in force", 1, "person")
    said: list[GateAnswer] = []
    assert revoke(store, book, bare.key, number, said.append)
    assert (said[0].decision, said[0].rule, said[0].shape) == ("revoked", "git.drop-stash", "s")
    store.submit(lambda db: LearnedRules(db, bare.key).revoke(said[0].rule, said[0].shape, 200.0)).result()
    assert state() == ("revoked", 0, None)
    assert not revoke(store, book, bare.key, number, said.append)
    assert not revoke(store, book, bare.key, number + 1, said.append) and len(said) == 2
    assert approve(store, book, bare.key, number + 1, 0, 100.0, "allow") is None
    store.close()
