"""Capture under bad luck: told twice, a bug in it, turned off, entries of any shape."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from hookd.daemon.recorder import Recorder
from hookd.journal.entries import Entry
from hookd.memory import settings as memory_settings
from hookd.memory.capture import capture
from hookd.memory.ingest import hand_over, write_down
from hookd.memory.observations import Place
from hookd.store.database import Database
from played import Played


def work(project: Played) -> None:
    project.prompt("Fix the ledger. We keep amounts in cents because floats lose them.")
    project.bash("pytest tests/test_a.py", error="Exit code 1\nFAILED tests/test_a.py::test_b - x")
    project.edit("src/a.py", "def foo():", "def bar():")
    project.bash("pytest tests/test_a.py", "1 passed in 0.1s")
    project.bash("rm src/b.py")
    project.prompt("Use floats instead of cents.")
    project.bash("pytest tests/test_a.py", error="Exit code 1\nFAILED tests/test_a.py::test_b - x")
    project.write("src/b.py", "B = 1")
    project.answer("I used floats rather than cents because the person wants it.")


def tables(project: Played) -> dict[str, list[dict[str, Any]]]:
    names = ("observation", "observation_path", "observation_link", "failure_key", "task", "task_prompt")
    return {name: project.rows(f"SELECT * FROM {name} ORDER BY 1, 2") for name in names}


def test_told_twice_nothing_changes(project: Played) -> None:
    work(project)
    before = tables(project)
    entries = project.entries()
    assert len(entries) > 10 and before["observation_link"] and before["failure_key"]
    told: list[str] = []
    project.service.recorder.store.submit(
        lambda db: write_down(db, project.place, memory_settings.Memory(), entries, told.append)
    ).result()
    assert tables(project) == before
    assert told == []


def test_one_by_one_or_all_at_once_it_comes_to_the_same(project: Played) -> None:
    work(project)
    once = [(row["kind"], row["text"], bool(row["superseded_by"])) for row in project.observations()]
    other = Played()
    try:
        send = other.send

        def send_and_ingest(event: str, nonce: str = "", **fields: Any) -> None:
            send(event, nonce, **fields)
            other.ingest()

        other.send = send_and_ingest  # type: ignore[method-assign]
        work(other)
        assert [
            (row["kind"], row["text"], bool(row["superseded_by"])) for row in other.observations()
        ] == once
    finally:
        other.close()


def test_a_bug_in_capture_keeps_no_event_out_of_the_store(
    project: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(call: Any) -> str:
        if "b.py" in call.path:
            raise ZeroDivisionError("secret words of the call")
        return str(original(call))

    original = capture.summaries.summary
    monkeypatch.setattr(capture.summaries, "summary", stumble)
    for name in ("a.py", "b.py", "c.py"):
        project.write(name, "1")
    assert project.texts() == ["wrote a.py\n1", "wrote c.py\n1"]
    assert len(project.rows("SELECT id FROM event")) == 6
    [problem] = project.problems()
    assert "was not remembered: ZeroDivisionError at test_capture_whatever.py" in problem
    assert "secret words" not in problem


def test_a_broken_table_keeps_no_event_out_of_the_store() -> None:
    project = Played()
    try:
        drop = "ALTER TABLE observation RENAME TO elsewhere"
        project.service.recorder.store.submit(lambda db: db.rows(drop)).result()
        project.write("b.py", "1")
        project.ingest()
        assert len(project.rows("SELECT id FROM event")) == 2
        assert "StatementError" in project.problems()[0]
    finally:
        project.close()


def test_turned_off_nothing_is_written_down() -> None:
    project = Played("[memory]\ncapture = false\n")
    try:
        work(project)
        assert project.observations() == []
        assert len(project.rows("SELECT id FROM task")) == 1
        # Also by a recorder that nobody has told anything: a command's, a dying daemon's.
        recorder = Recorder(str(project.root), project.service.folders)
        project.write("a.py", "1")
        recorder.ingest()
        recorder.close()
        assert project.observations() == []
    finally:
        project.close()


_TEXT = some.text(max_size=60) | some.sampled_from(
    ["rm -rf x", "pytest", "a && b", "/", "~", "src/a.py", "\0", "'"]
)
_JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.integers()
    | _TEXT,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_KEYS = some.sampled_from(
    "command file_path path content old_string new_string edits pattern url query replace_all "
    "new_source prompt".split()
)
_ENTRIES = some.builds(
    Entry,
    id=some.uuids().map(str),
    at=some.floats(min_value=0, max_value=4e9),
    agent=some.just("claude-code"),
    event=some.sampled_from(
        "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop SubagentStop SessionEnd "
        "Other".split()
    ),
    session=_TEXT,
    tool=some.sampled_from(["Bash", "Edit", "Write", "Read", "Grep", "WebFetch", "mcp__a__b", "", "odd"])
    | _TEXT,
    tool_use=_TEXT,
    input=some.fixed_dictionaries(
        {},
        optional={
            "tool_input": some.dictionaries(_KEYS, _JSON, max_size=5) | _JSON,
            "prompt": _JSON,
            "last_assistant_message": _JSON,
            "cwd": _JSON,
            "source": _JSON,
            "is_interrupt": _JSON,
        },
    ),
    output=some.text(max_size=300) | some.sampled_from(['{"stdout": ""}', "{", "FAILED a::b", "[]"]),
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.lists(_ENTRIES, max_size=4))
def test_no_entry_makes_capture_raise(project: Played, entries: list[Entry]) -> None:
    told: list[str] = []
    place, wanted = Place("k" * 64, "/w"), memory_settings.Memory()

    def take(db: Database) -> None:
        db.run("PRAGMA defer_foreign_keys = ON")  # these events are not in the store
        db.run("SAVEPOINT trial")
        write_down(db, place, wanted, entries, told.append)
        hand_over(db, place, wanted, entries, told.append)
        db.run("ROLLBACK TO trial")
        db.run("RELEASE trial")

    project.ingest()
    project.service.recorder.store.submit(take).result()
    assert told == []
