"""A session's verdicts for other tools."""

import json
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from secrets_made_up import GITHUB_TOKEN
from worlds import World

STOPPED = "git push --force origin main"


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    made.send("SessionStart", source="startup")
    made.bash("ls -la", tool_use_id="a")
    made.bash(STOPPED, tool_use_id="b")
    made.bash(f"GH_TOKEN={GITHUB_TOKEN} git stash drop # \x1b[31m <&>", tool_use_id="c", env={"CI": "1"})
    key = {"file_path": str(made.project / ".env"), "content": "x"}
    made.send("PreToolUse", tool_name="Read", tool_input=key, tool_use_id="d")
    yield made
    made.close()


def test_the_audit_trail_has_every_event_and_no_secret(world: World) -> None:
    lines = world.hookd("runs", "export").splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["name"] for event in events] == ["SessionStart", *["PreToolUse"] * 4]
    assert events[2]["input"]["tool_input"] == {"command": STOPPED}
    assert events[2]["verdict"] == "deny"
    (verdict,) = [fact for fact in events[2]["facts"] if fact["kind"] == "verdict"]
    assert verdict["rule"] == "git.force-push" and verdict["trace"]
    assert GITHUB_TOKEN not in "".join(lines)


def test_junit(world: World) -> None:
    suites = ElementTree.fromstring(world.hookd("runs", "export", "--format", "junit"))
    (suite,) = suites
    assert suite.get("tests") == "4" and suite.get("failures") == "3"
    cases = {str(case.get("name")): case for case in suite}
    assert len(cases["ls -la"]) == 0
    failure = cases[STOPPED].find("failure")
    assert failure is not None and failure.get("type") == "denied"
    assert str(failure.get("message")).startswith("git.force-push: ")
    in_ci = next(case for name, case in cases.items() if "stash" in name).find("failure")
    assert in_ci is not None and in_ci.get("type") == "denied"
    assert "\x1b" not in str(in_ci.text)


def test_sarif(world: World) -> None:
    file = world.base / "hookd.sarif"
    world.hookd("runs", "export", "--format", "sarif", "--output", str(file))
    log = json.loads(file.read_text())
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == known and len(run["results"]) == 3
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels["git.force-push"] == "error" and levels["git.drop-stash"] == "warning"
    (about_file,) = [r["locations"][0] for r in run["results"] if "physicalLocation" in r["locations"][0]]
    assert about_file["physicalLocation"]["artifactLocation"]["uri"] == ".env"
