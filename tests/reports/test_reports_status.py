"""A project's status as values: what capabilities say, what is on record, what cannot be read."""

import json
import time
from contextlib import closing
from pathlib import Path

import pytest

from damages import replace_by_text
from hookd.capabilities import CAPABILITIES, alarms, status_lines
from hookd.capability import Guard
from hookd.daemon import report
from hookd.gate.people.grants import GrantBook
from hookd.paths import Project
from hookd.reports.lessons import incidents, lessons
from hookd.reports.memory import open_memory
from hookd.reports.registration import RegisteredAgent, UnreadableSettings, registered_agents
from hookd.reports.status import project_status, recorded_lately
from hookd.reports.store import store_check, store_stats
from hookd.store.database import connect
from hookd.store.incidents import Incident, add
from hookd.store.migrations import Migration
from hookd.store.steps import advance, begin
from played import Played


@pytest.fixture
def _at_home(project: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings files and hooks are looked for where this process has its folders."""
    for name, value in project.env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_at_home")
def test_what_capabilities_say_stands_among_the_rest_under_their_names(here: Project) -> None:
    status = project_status(here)
    names = [each.name for each in CAPABILITIES if each.status is not None]
    assert list(status.capabilities) == names
    plain = status.plain()
    at = list(plain).index("missing_events") + 1
    assert list(plain)[at : at + len(names) + 1] == [*names, "trust"]
    assert "capabilities" not in plain
    assert (status.daemon, status.daemon_problem, status.trust.state) == (None, None, "nothing to trust")


@pytest.mark.usefixtures("_at_home")
def test_a_pause_is_the_guards_to_tell_and_no_capability_tells_it_again(
    project: Played, here: Project
) -> None:
    gate = next(each for each in CAPABILITIES if each.guards is not None)
    assert gate.guards is not None
    found = project.service.hooks.found
    assert gate.guards(here, found) == Guard()
    book = GrantBook(here.folders, here.root)
    book.pause(60)
    told, guard = project_status(here).capabilities, gate.guards(here, found)
    book.end_pause()
    assert guard.state == "paused" and guard.says.startswith("GATE PAUSED: paused until")
    assert alarms(told) == []
    assert [line.text for name, line in status_lines(told) if name == "gate"] == ["enforce"]


def test_a_running_service_tells_of_what_it_answered_last(project: Played) -> None:
    for _ in range(report.SHOWN_ACTIVITY + 3):
        project.send("Stop")
    project.send("PreToolUse", tool_name="Bash", tool_input={"command": "git push --force origin main"})
    told = report.status(project.service)
    assert len(told["activity"]) == report.SHOWN_ACTIVITY
    last = told["activity"][-1]
    assert list(last) == ["at", "event", "tool", "verdict", "by", "ms", "session"]
    assert (last["event"], last["tool"], last["verdict"]) == ("PreToolUse", "Bash", "deny")
    assert told["hooks"]["PreToolUse"]["calls"] >= 1


def test_nothing_is_made_up_or_created_where_nothing_is_on_record(here: Project, tmp_path: Path) -> None:
    folders = here.folders._replace(data=tmp_path / "data")
    assert recorded_lately(here._replace(folders=folders)) == ([], [], 0, [], [], {})
    assert not folders.data.exists()


@pytest.mark.usefixtures("_at_home")
def test_what_is_on_record_and_what_happened_to_the_store(project: Played, here: Project) -> None:
    project.send("Stop")
    project.service.note("test", "a problem")
    database = here.folders.database
    add(database, Incident(at=time.time(), why="by hand"))
    add(database, Incident(at=time.time() - 8 * 86_400, why="long ago"))
    status = project_status(here)
    assert [each.id for each in status.sessions] == ["s1"] and status.events_recorded == 1
    what = [each["what"] for each in status.problems]
    assert what[0] == "a problem" and "replaced: by hand" in what[1] and len(what) == 2
    assert len(store_stats(here.folders).incidents) == 2
    memory = open_memory(project.service.config, here.folders, lambda _what: None).memory
    found = incidents(memory, here, since=0.0, limit=10)
    assert [each["what"] for each in found.problems] == ["a problem"] and len(found.replaced) == 2
    assert lessons(memory, here, 10) == ([], [])


def test_a_store_that_cannot_be_read_is_a_problem_and_no_error(here: Project, tmp_path: Path) -> None:
    folders = here.folders._replace(data=tmp_path)
    folders.journal(here.key).mkdir(parents=True)
    folders.database.symlink_to(folders.database)
    recorded = recorded_lately(here._replace(folders=folders))
    assert (recorded.sessions, recorded.events) == ([], 0)
    assert [each["kind"] for each in recorded.problems] == ["store"]


def test_a_store_that_is_being_brought_up_to_date_is_told_with_how_far_it_is(
    here: Project, tmp_path: Path
) -> None:
    folders = here.folders._replace(data=tmp_path)
    other = Migration("other", 2, "large", "-- step\nCREATE TABLE one (x);\n-- step\nCREATE TABLE two (x);\n")
    with closing(connect(folders.database)) as db:
        begin(db, other)
        assert not advance(db, other)
    recorded = recorded_lately(here._replace(folders=folders))
    assert [each["what"] for each in recorded.problems] == ["the store is being brought up to date: 50 %"]


def test_a_damaged_store_is_told_from_a_sound_one(here: Project, tmp_path: Path) -> None:
    sound = store_check(here.folders)
    assert (sound.ok, sound.problems) == (True, [])
    folders = here.folders._replace(data=tmp_path)
    replace_by_text(folders.database)
    found = store_check(folders)
    assert (found.ok, found.database) == (False, str(folders.database)) and found.problems


@pytest.mark.usefixtures("_at_home")
def test_settings_that_cannot_be_read_stand_for_all(here: Project) -> None:
    assert registered_agents(here) == []
    settings = Path(here.root) / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    command = {"type": "command", "command": "hookd-client", "args": ["claude-code", "Stop"]}
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [command]}]}}))
    [place] = registered_agents(here)
    assert isinstance(place, RegisteredAgent)
    assert (place.agent, place.scope, place.events, place.down) == ("claude-code", "local", ["Stop"], "")
    settings.write_text("{nonsense")
    [broken] = registered_agents(here)
    settings.unlink()
    assert isinstance(broken, UnreadableSettings) and str(settings) in broken.problem
