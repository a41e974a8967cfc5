"""Why a call was stopped, what the codes of denials name, and what the gate's record adds up to."""

import pytest

from hookd.gate.people.grants import GrantBook
from hookd.paths import Project
from hookd.reports.decisions import last_decision, stop_with_code
from hookd.reports.figures import AskedCall, RuleFigures, decision_figures, evaluation_figures
from hookd.reports.replay import replay_run
from played import Played

FORCED = "git push --force origin main"


def judged(project: Played, command: str) -> None:
    """A call that goes no further than the gate."""
    project.send("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=command)


def test_nothing_was_decided_yet(here: Project) -> None:
    assert last_decision(here) is None
    assert stop_with_code(here, "abcdef") is None
    figures = decision_figures(here, 30)
    assert (figures.verdicts, figures.ran_rate, figures.rules) == ({}, None, [])


def test_the_last_one_that_anybody_was_against_with_what_to_do(project: Played, here: Project) -> None:
    judged(project, "git stash drop")
    judged(project, FORCED)
    judged(project, "ls")
    found = last_decision(here)
    assert found is not None
    assert (found.verdict, found.rule, found.by, found.call) == (
        "deny",
        "git.force-push",
        "gate.judge",
        FORCED,
    )
    assert found.code and any(found.code in line for line in found.what_to_do)
    assert found.passed is None


def test_a_code_names_its_call_and_is_no_advice_once_it_is_used(project: Played, here: Project) -> None:
    judged(project, FORCED)
    found = last_decision(here)
    assert found is not None and found.code is not None
    stop = stop_with_code(here, found.code)
    assert stop is not None and stop.subject == FORCED
    GrantBook(here.folders, here.root).allow_once(found.code, stop.verdict["call"])
    again = last_decision(here)
    assert again is not None and again.code is None
    assert not any("allow-once" in line for line in again.what_to_do)


def test_a_rule_that_nothing_lifts_is_not_said_to_be_liftable(project: Played, here: Project) -> None:
    judged(project, "hookd trust")
    found = last_decision(here)
    assert found is not None and found.rule is not None and found.rule.startswith("self-protection.")
    assert found.what_to_do[-1].startswith(f"nothing lifts {found.rule}") and found.change is None


def test_figures_add_up(project: Played, here: Project) -> None:
    project.bash("git stash drop")  # it ran
    judged(project, "git stash drop")
    judged(project, FORCED)
    figures = decision_figures(here, 30)
    assert (figures.verdicts, figures.questions, figures.ran) == ({"ask": 2, "deny": 1}, 2, 1)
    assert figures.ran_rate == pytest.approx(0.5)
    assert figures.rules == [RuleFigures("git.drop-stash", 2, 1, 0), RuleFigures("git.force-push", 0, 0, 1)]
    assert figures.most_asked == [AskedCall("git.drop-stash", "git stash drop", 2)]
    assert evaluation_figures(here, 30).asked == 0


def test_a_session_before_rules_that_have_changed(project: Played, here: Project) -> None:
    judged(project, FORCED)
    judged(project, "ls")
    same, problems = replay_run(here, "last")
    assert (same.judged, same.changed, problems) == (2, [], ())
    config = here.folders.config / "config.toml"
    config.write_text('[gate.rules]\n"git.force-push" = "ask"\n')
    try:
        [change] = replay_run(here, "last")[0].changed
    finally:
        config.write_text("")
    assert (change.call, change.then.verdict, change.now.verdict) == (FORCED, "deny", "ask")
