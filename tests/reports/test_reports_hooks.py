"""Hooks in figures, from the record."""

import time
from pathlib import Path
from uuid import uuid4

import pytest

from damages import replace_by_text
from hookd.journal.entries import Entry, HookCall
from hookd.paths import Project
from hookd.reports.hooks import HookFigures, hook_report, hooks_lately
from played import Played

DAY = 86_400.0


@pytest.fixture(autouse=True)
def _begin_anew(project: Played) -> None:
    project.begin_anew()


def record(project: Played, *events: tuple[HookCall, ...], ago: float = 0.0, session: str = "s1") -> float:
    """Puts events with these calls on record; returns when they were."""
    at = time.time() - ago
    for calls in events:
        project.service.recorder.append(
            Entry(id=uuid4().hex, at=at, agent="a", event="Stop", session=session, hook_calls=calls)
        )
    project.ingest()
    return at


def figures(here: Project, days: float = 30.0) -> dict[str, HookFigures]:
    return {each.hook: each for each in hook_report(here, days).hooks}


def test_calls_times_and_what_came_of_them(project: Played, here: Project) -> None:
    denials = [(HookCall("a.check", n * 1000, "deny" if n % 10 == 0 else ""),) for n in range(1, 101)]
    record(project, (HookCall("b.check", 5, "failed"), HookCall("b.check", 5)), ago=60)
    last = record(project, *denials)
    found = figures(here)
    assert list(found) == ["a.check", "b.check"]
    assert found["a.check"] == HookFigures(
        hook="a.check",
        calls=100,
        failures=0,
        p50_ms=51.0,
        p95_ms=96.0,
        max_ms=100.0,
        outcomes={"deny": 10},
        last=last,
        last_good=last,
    )
    assert (found["b.check"].calls, found["b.check"].failures, found["b.check"].p50_ms) == (2, 1, 0.005)


def test_a_hook_that_is_quarantined_is_failing_and_takes_no_time(project: Played, here: Project) -> None:
    skipped = HookCall("q.check", 0, "quarantined")
    record(project, (HookCall("q.check", 2_000_000, "stopped"), HookCall("r.check", 0, "quarantined")))
    record(project, (skipped, skipped, skipped))
    found = figures(here)["q.check"]
    assert (found.calls, found.failures, found.p50_ms, found.max_ms) == (4, 4, 2000.0, 2000.0)
    assert found.outcomes == {"quarantined": 3, "stopped": 1} and found.last_good is None
    assert figures(here)["r.check"].p50_ms is None


def test_only_the_last_days_and_this_project(project: Played, here: Project, tmp_path: Path) -> None:
    record(project, (HookCall("old.check", 1),), ago=10 * DAY)
    record(project, (HookCall("new.check", 1),))
    record(project, (HookCall("loose.check", 1),), session="")
    assert sorted(figures(here)) == ["loose.check", "new.check", "old.check"]
    assert sorted(figures(here, days=5)) == ["loose.check", "new.check"]
    assert sorted(each.hook for each in hooks_lately(here)) == ["loose.check", "new.check"]
    assert hook_report(here._replace(root=str(tmp_path)), 30).hooks == []


def test_hookds_own_hooks_are_on_record_with_what_they_decided(project: Played, here: Project) -> None:
    project.bash("git push --force origin main")
    project.bash("ls")
    found = figures(here)
    assert (found["gate.judge"].calls, found["gate.judge"].outcomes) == (2, {"deny": 1})
    assert found["watch.record"].failures == 0


def test_a_look_makes_no_store_and_a_broken_one_has_no_figures(here: Project, tmp_path: Path) -> None:
    elsewhere = here._replace(folders=here.folders._replace(data=tmp_path / "data"))
    assert hooks_lately(elsewhere) == []
    assert not (tmp_path / "data").exists()
    (tmp_path / "data").mkdir()
    replace_by_text(elsewhere.folders.database)
    assert hooks_lately(elsewhere) == []
