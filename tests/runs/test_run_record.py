"""The rest of a run's files: what was said, what was put in front of the model, what was counted."""

import os

import pytest
from runs_world import START, Project, entry, iso

from hookd.events.outcome import Fact
from hookd.journal.entries import Told
from hookd.runs.folder import prune

SESSION = [
    entry(0, "SessionStart", told=(Told(by="rules.freeze", what="context", text="no deploys"),)),
    entry(1, "UserPromptSubmit", input={"prompt": "make it faster"}),
    entry(2, "PreToolUse", tool="Edit", tool_use="t1", input={"tool_input": {"file_path": "/p/a.py"}}),
    entry(3, "PostToolUse", tool="Edit", tool_use="t1", output="done"),
    entry(
        4,
        "PreToolUse",
        tool="Bash",
        tool_use="t2",
        verdict="deny",
        by="rules.guard",
        input={"tool_input": {"command": "drop"}},
        told=(
            Told(by="rules.guard", what="deny", text="use a copy"),
            Told(by="rules.note", what="message", text="look here"),
            Told(by="rules.note", what="context", text="the copy is in /tmp"),
        ),
    ),
    entry(
        5,
        "PostToolUse",
        tool="Bash",
        tool_use="t3",
        facts=(
            Fact(kind="redacted", data={"jwt": 2}),
            Fact(kind="secrets-replaced", data={"tool": "Bash", "kinds": {"jwt": 1}}),
            Fact(kind="injection", data={"tool": "Bash", "kinds": ["override"], "score": 0.9}),
            Fact(kind="lesson-outcome", data={"lesson": "tests-first", "helped": True}),
            Fact(kind="reflection-pre", data={"task": "faster/../one", "plan": ["measure"]}),
        ),
    ),
    entry(6, "PreCompact", detail="auto", turn=3),
]


def test_calls_carry_their_input_and_a_summary_of_their_output(project: Project) -> None:
    project.record(*SESSION)
    edit, denied, _ = project.calls()
    assert (edit["input"], edit["output"]) == ({"file_path": "/p/a.py"}, "done")
    assert denied["input"] == {"command": "drop"} and "output" not in denied


def test_what_was_said_and_by_whom(project: Project) -> None:
    project.record(*SESSION)
    common = {"event": "e4", "at": iso(4), "on": "PreToolUse", "tool": "Bash", "id": "t2"}
    assert project.lines("guidance.jsonl") == [
        common | {"n": 0, "by": "rules.guard", "what": "deny", "text": "use a copy"},
        common | {"n": 1, "by": "rules.note", "what": "message", "text": "look here"},
    ]
    assert [(line["by"], line["text"]) for line in project.lines("injections.jsonl")] == [
        ("rules.freeze", "no deploys"),
        ("rules.note", "the copy is in /tmp"),
    ]


def test_facts_have_their_files(project: Project) -> None:
    project.record(*SESSION)
    [line] = project.lines("lesson-outcomes.jsonl")
    assert (line["lesson"], line["helped"]) == ("tests-first", True)
    assert project.document("reflection-pre-faster-one.json")["plan"] == ["measure"]


def test_security_in_figures(project: Project) -> None:
    project.record(*SESSION)
    assert project.document("security-metrics.json") == {
        "verdicts": {"deny": 1},
        "by_hook": {"rules.guard": {"deny": 1}},
        "secrets": {
            "kept_from_the_record": {"jwt": 2},
            "kept_from_the_model": {"jwt": 1},
            "shown_to_the_model": {},
        },
        "suspected_injections": {"Bash": 1},
    }


def test_where_the_session_stood_before_a_compaction(project: Project) -> None:
    project.record(*SESSION)
    [path] = project.run.glob("snapshot-*.json")
    snapshot = project.document(path.name)
    assert snapshot["last_prompt"] == "make it faster"
    assert snapshot["files_changed"] == ["/p/a.py"]
    assert (snapshot["trigger"], snapshot["turn"], snapshot["denied"]) == ("auto", 3, 1)


def test_told_twice_or_event_by_event_the_files_are_the_same(project: Project) -> None:
    for one in SESSION:
        project.record(one)
    before = {path.name: path.read_bytes() for path in project.run.iterdir()}
    assert len(before) == 8
    project.tell(*SESSION)
    assert {path.name: path.read_bytes() for path in project.run.iterdir()} == before


DAY = 86400


@pytest.fixture
def three_runs(project: Project) -> Project:
    """Sessions that were last written to 10, 5 and 0 days ago, a megabyte each."""
    for number in range(3):
        project.record(entry(number, "SessionStart", session=f"s{number}"))
    for number, folder in enumerate(sorted((project.hookd / "runs").iterdir())):
        (folder / "big").write_bytes(b"x" * 1_000_000)
        for path in (*folder.iterdir(), folder):
            os.utime(path, (0, START - (10 - 5 * number) * DAY))
    return project


@pytest.mark.parametrize(
    ("keep_days", "max_mb", "left"),
    [(0, 0, 3), (90, 200, 3), (7, 200, 3), (3, 200, 2), (90, 2.5, 2), (90, 1.5, 1), (90, 0.1, 1)],
)
def test_old_and_large_runs_go_oldest_first(
    three_runs: Project, keep_days: float, max_mb: float, left: int
) -> None:
    """The run that is being written to stays, however large; age counts from the last one of a day ago."""
    before = sorted(path.name for path in (three_runs.hookd / "runs").iterdir())
    removed = prune(three_runs.hookd, keep_days=keep_days, max_mb=max_mb, now=START)
    after = sorted(path.name for path in (three_runs.hookd / "runs").iterdir())
    assert after == before[3 - left :]
    assert sorted(path.name for path in removed) == before[: 3 - left]


def test_what_is_no_run_is_never_removed(three_runs: Project) -> None:
    mine = three_runs.hookd / "runs" / "my notes"
    mine.mkdir()
    link = three_runs.hookd / "runs" / "run_20000101_000000-aaaa"
    link.symlink_to(mine)
    newest = max((three_runs.hookd / "runs").glob("run_2023*"))
    prune(three_runs.hookd, keep_days=0.001, max_mb=0, now=START + 10 * DAY)
    assert set((three_runs.hookd / "runs").iterdir()) == {mine, link, newest}


def test_a_clock_that_jumped_does_not_make_the_session_at_hand_a_large_old_one(three_runs: Project) -> None:
    newest = max((three_runs.hookd / "runs").iterdir())
    prune(three_runs.hookd, keep_days=0, max_mb=0.1, now=START + 400 * DAY)
    assert list((three_runs.hookd / "runs").iterdir()) == [newest]


def test_a_clock_that_jumped_removes_nothing_until_there_is_a_run_of_a_day_ago(three_runs: Project) -> None:
    runs = three_runs.hookd / "runs"
    later = START + 400 * DAY
    assert prune(three_runs.hookd, keep_days=90, max_mb=0, now=later) == []
    newest = max(runs.iterdir())
    for path in (*newest.iterdir(), newest):
        os.utime(path, (0, later))
    assert prune(three_runs.hookd, keep_days=90, max_mb=0, now=later + 1) == []
    assert len(prune(three_runs.hookd, keep_days=90, max_mb=0, now=later + DAY)) == 2
