"""A session's record as files: what is in them, and that telling twice changes nothing."""

import re
import time
from collections.abc import Iterator

import pytest
from runs_world import Project, entry, iso

from hookd.errors import RunFolderError
from hookd.runs.folder import forget_generated_files, ignore_generated_files

SESSION = [
    entry(0, "SessionStart", detail="startup"),
    entry(1, "UserPromptSubmit"),
    entry(2, "PreToolUse", tool="Bash", tool_use="t1"),
    entry(4, "PostToolUse", tool="Bash", tool_use="t1"),
    entry(5, "PreToolUse", tool="Bash", tool_use="t2", verdict="deny", by="guard.no_force_push"),
    entry(6, "PreToolUse", tool="Read", tool_use="t3", subagent="a1"),
    entry(7, "PostToolUseFailure", tool="Read", tool_use="t3", subagent="a1"),
    entry(8, "PermissionDenied", tool="Write", tool_use="t4"),
    entry(9, "PostToolUse", tool="Edit"),
    entry(10, "Stop", turn=1),
    entry(11, "SessionEnd", detail="logout", turn=2),
]
# tool, id, outcome, started, ended: seconds after the session's start
CALLS = [
    ("Bash", "t1", "ok", 2, 4),
    ("Bash", "t2", "denied", 5, 5),
    ("Read", "t3", "failed", 6, 7),
    ("Write", "t4", "denied", 8, 8),
    ("Edit", "", "ok", 9, 9),
]


def test_every_finished_call_is_a_line(project: Project) -> None:
    project.record(*SESSION)
    found = [(c["tool"], c["id"], c["outcome"], c["started"], c["ended"]) for c in project.calls()]
    assert found == [(tool, use, how, iso(began), iso(ended)) for tool, use, how, began, ended in CALLS]
    assert [call["event"] for call in project.calls()] == ["e4", "e5", "e7", "e8", "e9"]


def test_a_line_says_who_decided_and_which_subagent_it_was(project: Project) -> None:
    project.record(*SESSION)
    assert [call.get("by") for call in project.calls()] == [None, "guard.no_force_push", None, None, None]
    assert [call.get("subagent") for call in project.calls()] == [None, None, "a1", None, None]


def test_the_summary_of_a_session(project: Project) -> None:
    project.record(*SESSION)
    assert project.summary() == {
        "session": "s1",
        "agent": "claude-code",
        "started": iso(0),
        "ended": iso(11),
        "end_reason": "logout",
        "turns": 2,
        "events": {
            "PermissionDenied": 1,
            "PostToolUse": 2,
            "PostToolUseFailure": 1,
            "PreToolUse": 3,
            "SessionEnd": 1,
            "SessionStart": 1,
            "Stop": 1,
            "UserPromptSubmit": 1,
        },
        "tools": {"Bash": 2, "Read": 1},
        "denied": 1,
    }


def test_a_session_that_still_runs_has_no_end(project: Project) -> None:
    project.record(*SESSION[:4])
    assert (project.summary()["ended"], project.summary()["end_reason"]) == (None, None)
    assert project.summary()["denied"] == 0


def test_the_record_grows_event_by_event_to_the_same_files(project: Project) -> None:
    for one in SESSION:
        project.record(one)
    assert [call["event"] for call in project.calls()] == ["e4", "e5", "e7", "e8", "e9"]
    assert project.summary()["turns"] == 2
    names = sorted(path.name for path in project.run.iterdir())
    assert names == ["run.json", "security-metrics.json", "tool_calls.jsonl"]


def test_being_told_twice_changes_nothing(project: Project) -> None:
    project.record(*SESSION)
    before = {path.name: path.read_bytes() for path in project.run.iterdir()}
    project.tell(*SESSION)
    project.tell(*SESSION[2:5])
    assert {path.name: path.read_bytes() for path in project.run.iterdir()} == before


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_torn_last_line_is_written_again(project: Project, cut: int) -> None:
    project.record(*SESSION)
    path = project.run / "tool_calls.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    project.tell(*SESSION)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line", [b"nonsense", b"", b"[1]", b"{}", b'{"event":5}', b"\xff\xfe", b"[" * 100_000]
)
def test_what_somebody_else_wrote_into_the_file_is_left_alone(project: Project, line: bytes) -> None:
    project.record(*SESSION[:4])
    path = project.run / "tool_calls.jsonl"
    ours = path.read_bytes()
    path.write_bytes(ours + line + b"\n")
    project.record(*SESSION[4:])
    assert path.read_bytes().startswith(ours + line + b"\n")
    assert path.read_bytes().count(b"\n") == 1 + 1 + 4


def test_a_project_that_did_not_ask_for_hookds_files_gets_none(project: Project) -> None:
    project.hookd.rmdir()
    project.record(*SESSION)
    assert list(project.root.iterdir()) == []
    with project.store.reading() as db:
        assert db.row("SELECT count(*) FROM event")[0] == len(SESSION)


def test_events_without_a_session_have_no_run(project: Project) -> None:
    project.record(entry(1, "PreToolUse", session=""))
    assert list(project.hookd.iterdir()) == []


def test_each_session_has_its_own_folder(project: Project) -> None:
    project.record(entry(1, "SessionStart"), entry(2, "SessionStart", session="s2"))
    names = sorted(path.name for path in (project.hookd / "runs").iterdir())
    assert len(names) == 2
    assert all(re.fullmatch(r"run_\d{8}_\d{6}-[0-9a-f]{4}", name) for name in names)


@pytest.fixture
def utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("utc")
def test_a_runs_name_is_when_the_session_was_first_seen(project: Project) -> None:
    project.record(entry(0, "SessionStart"))
    name = project.run.name
    assert name.startswith("run_20231114_221320-")
    project.record(entry(3600, "Stop"))
    assert project.run.name == name


def test_the_files_are_kept_out_of_git(project: Project) -> None:
    project.record(*SESSION[:2])
    ignored = (project.hookd / ".gitignore").read_text()
    assert ignored == "runs/\nconfig.local.toml\nCURRENT.md\nhandovers/\n.gitignore\n"


def test_what_an_earlier_version_had_kept_out_of_git_is_brought_up_to_date(project: Project) -> None:
    ignore = project.hookd / ".gitignore"
    ignore.write_text("runs/\nconfig.local.toml\n")
    ignore_generated_files(project.hookd, "CURRENT.md", "handovers/")
    ignore_generated_files(project.hookd, "handovers/", "drafts/")
    assert ignore.read_text() == "runs/\nconfig.local.toml\nCURRENT.md\nhandovers/\ndrafts/\n"


def test_a_persons_own_ignore_file_is_never_overwritten(project: Project) -> None:
    ignore = project.hookd / ".gitignore"
    ignore.write_text("mine\n")
    project.record(*SESSION)
    ignore_generated_files(project.hookd, "CURRENT.md")
    assert ignore.read_text() == "mine\n"


def test_a_link_in_the_ignore_files_place_is_not_followed(project: Project) -> None:
    (project.hookd / ".gitignore").symlink_to("../elsewhere")
    project.record(*SESSION)
    assert not (project.root / "elsewhere").exists()
    assert (project.hookd / ".gitignore").is_symlink()


@pytest.mark.parametrize("linked", [".hookd", ".hookd/runs"])
def test_nothing_is_written_through_a_link_that_the_repository_brought(project: Project, linked: str) -> None:
    elsewhere = project.root.parent / "elsewhere"
    elsewhere.mkdir()
    link = project.root / linked
    if link.exists():
        link.rmdir()
    link.symlink_to(elsewhere)
    with pytest.raises(RunFolderError, match=f"{link} is a link"):
        project.record(*SESSION)
    with pytest.raises(RunFolderError):
        ignore_generated_files(project.hookd)
    assert list(elsewhere.iterdir()) == []


def test_a_folder_with_nothing_but_the_ignore_file_can_be_forgotten(project: Project) -> None:
    ignore_generated_files(project.hookd, "CURRENT.md")
    forget_generated_files(project.hookd)
    assert project.hookd.exists()  # a line that nobody owns to be hookd's
    forget_generated_files(project.hookd, ["CURRENT.md"])
    assert not project.hookd.exists()
    forget_generated_files(project.hookd)


@pytest.mark.parametrize(
    ("name", "content"), [(".gitignore", b"mine\n"), (".gitignore", b"\xff"), ("x", b"")]
)
def test_a_folder_with_anything_of_the_persons_is_kept(project: Project, name: str, content: bytes) -> None:
    ignore_generated_files(project.hookd)
    (project.hookd / name).write_bytes(content)
    forget_generated_files(project.hookd)
    assert (project.hookd / name).read_bytes() == content
