"""What goes by age goes by each project's own word, and not because a clock has jumped."""

import os
import time
from pathlib import Path

import pytest

from hookd.daemon.outbox import ANY_SESSION, ProjectOutbox
from hookd.daemon.recorder import Recorder
from hookd.daemon.service import Service
from hookd.daemon.upkeep import Upkeep
from hookd.hooks.kit.outbox import Sent
from hookd.journal.entries import Entry
from hookd.paths import project_key
from hookd.runs.folder import run_folders
from hookd.store import backups
from worlds import World, wait_until

DAY = 86_400.0


def a_session(world: World, days_ago: float, name: str, root: Path | None = None) -> None:
    """One that decided something, as it is on record if the clock was right then."""
    at = time.time() - days_ago * DAY
    folder = root or world.project
    (folder / ".hookd").mkdir(exist_ok=True)
    known = set(run_folders(folder / ".hookd"))
    recorder = Recorder(str(folder), world.folders)
    prompt = f"Let's use the {name} gateway for payments because it is there already."
    events = (
        ("SessionStart", {}),
        ("UserPromptSubmit", {"prompt": prompt}),
        ("Stop", {}),
        ("SessionEnd", {}),
    )
    for number, (event, given) in enumerate(events):
        entry = Entry(
            id=f"{name}-{number}".ljust(32, "0"),
            at=at + number,
            agent="claude-code",
            event=event,
            session=name,
            input=given,
        )
        recorder.append(entry)
    recorder.close()
    assert not recorder.failures, recorder.failures
    [run] = set(run_folders(folder / ".hookd")) - known
    for path in run.iterdir():
        os.utime(path, (at, at))


def old_backups(world: World, days_ago: float) -> list[Path]:
    made = []
    for _ in range(3):
        world.hookd("store", "backup")
    for each in backups.listed(backups.folder_of(world.folders.database)):
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() - days_ago * DAY))
        made.append(each.path.rename(each.path.with_name(f"hookd-{each.number:06d}-{stamp}-daily.db")))
    assert len(made) == 3
    return made


def sessions(world: World, root: Path | None = None) -> set[str]:
    found = world.run("runs", "list", "--json", cwd=root).stdout
    return {name for name in ("ancient", "last", "yesterday", "theirs") if f'"{name}"'.encode() in found}


def remembered(world: World, root: Path | None = None) -> set[str]:
    found = world.run("memory", "export", cwd=root).stdout.decode()
    return {name for name in ("ancient", "last", "yesterday", "theirs") if f"the {name} gateway" in found}


def runs(world: World) -> int:
    return len(run_folders(world.project / ".hookd"))


def test_a_daemon_whose_clock_jumped_deletes_only_what_was_old_before(world: World) -> None:
    a_session(world, 1300, "ancient")
    kept = old_backups(world, 400)
    a_session(world, 400, "last")
    assert runs(world) == 2
    world.hookd("daemon", "start")
    # Run folders come last: when the one is gone that was too old all along, all was looked at.
    wait_until(lambda: runs(world) == 1, "upkeep has deleted what was too old when the last session ended")
    assert sessions(world) == {"last"}
    assert remembered(world) == {"last"}
    assert all(path.exists() for path in kept)
    assert len(backups.listed(backups.folder_of(world.folders.database))) == 4
    assert "0 old sessions" in world.hookd("store", "compact")
    assert world.json("runs", "prune") == {"removed": []}


def test_a_day_of_records_later_the_clock_is_believed(world: World) -> None:
    a_session(world, 400, "last")
    kept = old_backups(world, 400)
    a_session(world, 1.1, "yesterday")
    assert runs(world) == 2
    world.hookd("daemon", "start")
    wait_until(lambda: runs(world) == 1, "upkeep has deleted what is too old")
    assert sessions(world) == {"yesterday"}
    assert remembered(world) == {"yesterday"}
    assert not kept[0].exists() and kept[1].exists()


def waiting(world: World) -> str:
    """What waits for agents, as it lies on disk."""
    return "".join(path.read_text("latin-1") for path in (world.folders.data / "outbox").glob("*.msgpack"))


def sent(world: World, days_ago: float, to: str, text: str) -> None:
    """A message that somebody sent then."""
    box = ProjectOutbox(
        world.folders.data, project_key(str(world.project)), lambda: time.time() - days_ago * DAY
    )
    box.put(to, [Sent(text)])


def test_what_was_sent_before_a_clock_jumped_reaches_its_session(world: World) -> None:
    a_session(world, 1300, "ancient")
    a_session(world, 400, "last")
    sent(world, 400, ANY_SESSION, "for whoever comes")
    sent(world, 400, "last", "for the last one")
    world.hookd("daemon", "start")
    wait_until(lambda: runs(world) == 1, "upkeep has looked at what is too old")
    (world.folders.config / "config.toml").write_text("[memory]\ncontext = false\n")
    answer = world.send("UserPromptSubmit", session_id="last", prompt="go on")
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert "for whoever comes" in told and "for the last one" in told


def test_what_waited_for_a_week_goes_once_the_clock_is_believed(world: World) -> None:
    a_session(world, 400, "last")
    sent(world, 400, "last", "long ago")
    a_session(world, 1.1, "yesterday")
    sent(world, 2, "yesterday", "the other day")
    world.hookd("daemon", "start")
    wait_until(lambda: runs(world) == 1, "upkeep has deleted what is too old")
    assert "long ago" not in waiting(world) and "the other day" in waiting(world)


def another_project(world: World) -> Path:
    other = world.base / "q"
    (other / ".git").mkdir(parents=True)
    return other


def test_a_projects_days_are_its_own(world: World) -> None:
    other = another_project(world)
    a_session(world, 100, "last")
    a_session(world, 100, "theirs", other)
    a_session(world, 1.1, "yesterday")
    world.write_project_file("config.toml", "[memory]\nkeep_days = 30\n\n[store]\nkeep_days = 30\n")
    world.trust()
    world.hookd("daemon", "start")
    wait_until(lambda: remembered(world) == {"yesterday"}, "the project's days are over")
    assert remembered(world, other) == {"theirs"}
    wait_until(lambda: runs(world) == 1, "upkeep is done")
    assert sessions(world, other) == {"theirs"}, "the store's days are the person's to say"


def test_another_projects_daemon_keeps_what_a_project_keeps_for_ever(world: World) -> None:
    other = another_project(world)
    a_session(world, 400, "last")
    a_session(world, 400, "theirs", other)
    a_session(world, 1.1, "yesterday", other)
    (world.folders.config / "config.toml").write_text("[memory]\nkeep_days = 30\n")
    world.write_project_file("config.toml", "[memory]\nkeep_days = 0\n")
    world.trust()
    world.run("daemon", "start", cwd=other)
    try:
        wait_until(lambda: remembered(world, other) == {"yesterday"}, "the person's own days are over there")
        assert remembered(world) == {"last"}
    finally:
        world.run("daemon", "stop", cwd=other)


@pytest.mark.parametrize("whose", ["the person's", "the project's", "another project's"])
def test_where_a_config_is_broken_nobody_knows_what_it_would_keep(world: World, whose: str) -> None:
    other = another_project(world)
    a_session(world, 1300, "ancient")
    a_session(world, 400, "last")
    a_session(world, 400, "theirs", other)
    a_session(world, 1.1, "yesterday", other)
    configs = {
        "the person's": world.folders.config / "config.toml",
        "the project's": world.project / ".hookd" / "config.toml",
        "another project's": other / ".hookd" / "config.toml",
    }
    configs["the person's"].write_text("[memory]\nkeep_days = 30\n")
    configs[whose].write_text("[memory]\nkeep_days = for ever\n")
    service = Service(str(world.project), world.env)
    Upkeep(service).run()
    service.close()
    assert "the store's upkeep" not in str(service.recorder.failures)
    own, theirs = whose != "another project's", whose != "the project's"
    assert remembered(world) == ({"ancient", "last"} if own else set())
    assert remembered(world, other) == ({"theirs", "yesterday"} if theirs else {"yesterday"})
    assert runs(world) == (2 if own else 1)
    # The store's days are the person's to say.
    assert sessions(world) == ({"ancient", "last"} if whose == "the person's" else set())
