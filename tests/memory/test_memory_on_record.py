"""What is remembered outright is a record of the journal, and comes back from it unless it was forgotten."""

from pathlib import Path

from hookd.journal.entries import ObservationAdded
from played import Played
from worlds import World

NOTE = "Deploys are frozen until the audit is over"


def files_with(world: World, text: str) -> list[Path]:
    """Every file of hookd's that has the text."""
    folders = (world.folders.data, world.folders.config, Path(world.files.folder))
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in found if text.encode() in path.read_bytes()]


def lose_the_database(world: World) -> None:
    database = world.folders.database
    for path in (*database.parent.glob(f"{database.name}*"), *database.parent.glob("backups/*")):
        if path.suffix != ".lock":
            path.unlink()


def found(world: World) -> list[str]:
    return [each["id"] for each in world.json("memory", "search", "audit frozen")["results"]]


def test_a_note_survives_the_database(world: World) -> None:
    name = world.json("memory", "add", NOTE)["id"]
    assert found(world) == [name]
    lose_the_database(world)
    world.bash("true")
    world.hookd("daemon", "stop")
    assert found(world) == [name], "and it is there once"


def test_a_note_that_was_forgotten_does_not_come_back(world: World) -> None:
    name = world.json("memory", "add", NOTE)["id"]
    assert files_with(world, NOTE)
    world.hookd("memory", "forget", name, "--yes")
    assert files_with(world, NOTE) == []
    lose_the_database(world)
    world.bash("true")
    world.hookd("daemon", "stop")
    assert found(world) == []


def test_what_is_remembered_does_not_depend_on_how_records_are_batched() -> None:
    kept = []
    for at_once in (True, False):
        made = Played()
        try:
            for number in range(3):
                made.prompt("Let's use Redis for the queue because it is there already.")
                if not at_once:
                    made.ingest()
                note = ObservationAdded(
                    id=f"o{number}",
                    at=1.0,
                    text="The queue is not Redis any more, we use Postgres",
                    kind="decision",
                    provenance="person",
                )
                made.service.recorder.append(note)
                if not at_once:
                    made.ingest()
            made.ingest()
            what = "kind, text, superseded_by IS NULL AS stands"
            kept.append(made.rows(f"SELECT {what} FROM observation WHERE kind != 'summary' ORDER BY seq"))
        finally:
            made.close()
    assert kept[0] == kept[1] != []


def test_what_a_tool_says_later_is_not_held_against_words_that_came_before() -> None:
    """Taken in together or one by one: the agent said it first, and a file repeats it."""
    decision = "I decided to keep the retry budget at three because the gateway drops the fourth attempt."
    kept = []
    for at_once in (True, False):
        made = Played()
        try:
            made.prompt("Look at how often the gateway is asked again.")
            made.answer(decision)
            if not at_once:
                made.ingest()
            made.read("docs/decisions.md", decision)
            made.ingest()
            kept.append(made.rows("SELECT text, repeatable FROM observation WHERE kind = 'decision'"))
        finally:
            made.close()
    assert kept[0] == kept[1]
    assert [row["repeatable"] for row in kept[0]] == [1]
