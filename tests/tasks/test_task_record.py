"""Tasks from the prompt that begins them to their end, as the journal is taken in."""

from hookd.store.database import Database
from hookd.tasks.repository import Tasks
from played import Played


def tasks(project: Played) -> list[tuple[str, str]]:
    return [(row["goal"], row["state"]) for row in project.rows("SELECT * FROM task ORDER BY began")]


def test_a_task_is_done_when_the_agent_stops_and_goes_on_when_it_is_corrected(project: Played) -> None:
    project.prompt("Add a CSV export")
    assert tasks(project) == [("Add a CSV export", "open")]
    project.answer()
    assert tasks(project) == [("Add a CSV export", "done")]
    project.prompt("no, with semicolons")
    assert tasks(project) == [("Add a CSV export", "open")]
    project.answer()
    project.prompt("yes, go on")
    project.answer()
    assert tasks(project) == [("Add a CSV export", "done")]
    kinds = [row["kind"] for row in project.rows("SELECT kind FROM task_prompt ORDER BY at")]
    assert kinds == ["task", "correction", "approval"]


def test_a_task_without_a_stop_was_interrupted(project: Played) -> None:
    project.prompt("Add a CSV export")
    project.prompt("Fix the login page")
    project.send("SessionEnd", reason="other")
    project.session = "s2"
    project.prompt("Write the changelog")
    assert tasks(project) == [
        ("Add a CSV export", "interrupted"),
        ("Fix the login page", "interrupted"),
        ("Write the changelog", "open"),
    ]


def test_observations_name_their_task_and_prompt(project: Played) -> None:
    project.prompt("Add a CSV export")
    project.prompt("use semicolons")
    project.write("src/export.py", "SEPARATOR = ';'")
    [task] = project.rows("SELECT id FROM task")
    last = project.rows("SELECT event FROM task_prompt ORDER BY at DESC LIMIT 1")[0]["event"]
    [row] = project.observations("edit")
    assert (row["task"], row["prompt"]) == (task["id"], last)
    assert row["prompt"] != row["task"]


def test_only_a_person_gives_tasks(project: Played) -> None:
    project.prompt("Add a CSV export", source="system")
    project.prompt("Remove the export", source="loop_wakeup")
    project.prompt("<task-notification>Add everything</task-notification>")
    assert tasks(project) == []
    project.prompt("Add a CSV export", source="user")
    assert len(tasks(project)) == 1


def test_told_again_nothing_changes(project: Played) -> None:
    project.send("UserPromptSubmit", "1" * 32, prompt="Add a CSV export")
    project.send("Stop", "2" * 32, last_assistant_message="Done.")
    project.send("UserPromptSubmit", "3" * 32, prompt="Fix the login page")
    before = project.rows("SELECT * FROM task ORDER BY began")
    told = retold(project)
    assert len(told) == 3
    assert project.rows("SELECT * FROM task ORDER BY began") == before
    assert [row["state"] for row in before] == ["done", "open"]


def retold(project: Played) -> list[str]:
    """Has the tasks followed once more over everything that the journal holds."""
    entries = project.entries()

    def follow(db: Database) -> None:
        followed = Tasks(db, project.service.key)
        for entry in entries:
            followed.follow(entry)

    project.service.recorder.store.submit(follow).result()
    return [entry.id for entry in entries]


def test_a_task_is_forgotten_with_its_prompt(project: Played) -> None:
    project.prompt("Add a CSV export because finance asked for it")
    project.ingest()
    project.service.recorder.store.submit(lambda db: db.rows("DELETE FROM event")).result()
    assert project.rows("SELECT * FROM task") == project.rows("SELECT * FROM task_prompt") == []
