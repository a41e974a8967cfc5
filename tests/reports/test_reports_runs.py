"""Sessions found by whatever names them, summed up, told and handed to other tools."""

import json
from xml.etree import ElementTree

import pytest

from hookd.errors import UsageError
from hookd.journal.repository import Events
from hookd.paths import Project
from hookd.reports.exports import exported_run
from hookd.reports.record import reading
from hookd.reports.runs import find_run, run_story, run_summaries
from played import Played
from secrets_made_up import GITHUB_TOKEN


@pytest.fixture
def _three_runs(project: Played) -> None:
    """Three sessions, the last of them still under way."""
    for session, prompt in (("abc-1", "tidy\n up\x1b[31m"), ("abc-2", "deploy"), ("xyz-3", "z" * 200)):
        project.session = session
        project.send("SessionStart", source="startup")
        project.prompt(prompt)
        project.bash("make", output=GITHUB_TOKEN)
        project.send("PreToolUse", tool_name="Bash", tool_input={"command": "git push --force"})
        if session != "xyz-3":
            project.send("SessionEnd", reason="logout")


def found(here: Project, name: str) -> str:
    with reading(here) as db:
        return find_run(Events(db, here.key), name).id


@pytest.mark.usefixtures("_three_runs")
def test_a_run_is_found_by_its_name_its_session_and_by_how_either_begins(here: Project) -> None:
    names = {each.session: each.run for each in run_summaries(here, 10)}
    assert {found(here, run) for run in names.values()} == set(names)
    assert found(here, "last") == "xyz-3"
    assert found(here, "abc-2") == "abc-2"
    assert found(here, "x") == "xyz-3"


@pytest.mark.usefixtures("_three_runs")
def test_a_name_that_fits_none_or_several_is_an_error_that_helps(here: Project) -> None:
    with pytest.raises(UsageError, match="no run is called nothing"):
        found(here, "nothing")
    with pytest.raises(UsageError, match="abc could be any of run_") as several:
        found(here, "abc")
    assert several.value.hint == "write more of the name"


def test_where_nothing_is_on_record_there_is_no_last_one(here: Project) -> None:
    assert run_summaries(here, 10) == []
    with pytest.raises(UsageError, match="no session is on record"):
        found(here, "last")


@pytest.mark.usefixtures("_three_runs")
def test_summaries_are_newest_first_and_titled_by_their_first_prompt(here: Project) -> None:
    last, *_, first = run_summaries(here, 10)
    assert (last.session, last.title, last.ended) == ("xyz-3", "z" * 80, None)
    assert (first.session, first.title, first.end_reason) == ("abc-1", r"tidy up\x1b[31m", "logout")
    assert (first.tools, first.denied, first.events["UserPromptSubmit"]) == ({"Bash": 2}, 1, 1)
    assert len(run_summaries(here, 2)) == 2


@pytest.mark.usefixtures("_three_runs")
def test_a_story_has_steps_figures_and_what_was_kept_safe(here: Project) -> None:
    story = run_story(here, "abc-2")
    kinds = [step["kind"] for step in story.steps]
    assert kinds == ["event", "prompt", "call", "call", "event"]
    assert story.security.verdicts == {"deny": 1}
    assert sum(story.security.secrets["kept_from_the_model"].values()) == 1
    plain = story.plain()
    assert list(plain)[:3] == ["run", "title", "session"] and list(plain)[-2:] == ["security", "steps"]
    assert plain["steps"][0]["at"].endswith("Z") and isinstance(story.steps[0]["at"], float)


@pytest.mark.usefixtures("_three_runs")
def test_other_tools_get_the_same_session_in_their_form(here: Project) -> None:
    trail = [json.loads(line) for line in exported_run(here, "abc-2", "jsonl").splitlines()]
    assert [event["name"] for event in trail][:3] == ["SessionStart", "UserPromptSubmit", "PreToolUse"]
    assert {event["session"] for event in trail} == {"abc-2"}
    suite = ElementTree.fromstring(exported_run(here, "abc-2", "junit"))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    [run] = json.loads(exported_run(here, "abc-2", "sarif"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["git.force-push"]
