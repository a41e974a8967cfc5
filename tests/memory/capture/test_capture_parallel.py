"""Many sessions and several projects at once, through real daemons: nothing lost, doubled or misplaced."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hookd.journal.ingest import open_store
from hookd.memory.repository.statements import migrations
from worlds import World, make_git_folder

SESSIONS = {"a": 10, "b": 3, "c": 3}
CALLS = 6


@pytest.fixture
def worlds() -> Iterator[dict[str, World]]:
    """Three projects of one person."""
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="hk-")))
    made = {}
    for name in SESSIONS:
        make_git_folder(base / name)
        world = World.__new__(World)
        world._settle(base, base / name, {"HOME": str(base), "HOOKD_HOME": str(base / "h")}, native=True)
        made[name] = world
        shutil.rmtree(world.folders.hooks)  # the next one makes it again
    yield made
    for world in made.values():
        world.run("daemon", "stop", check=False)
        assert world.no_daemon()
    shutil.rmtree(base, ignore_errors=True)


def play(world: World, name: str, session: str) -> None:
    """A session: each call is a file of its own, and every second one is chatter that nobody keeps."""
    for number in range(CALLS):
        use = f"toolu_{number}"  # the same ids in every session: they count within one
        write = {
            "file_path": str(world.project / f"{session}_{number}.py"),
            "content": f"{name} {session} {number}",
        }
        for tool, given, tool_use in (("Write", write, use), ("Bash", {"command": "git status"}, f"{use}x")):
            common = {"tool_name": tool, "tool_input": given, "tool_use_id": tool_use, "session_id": session}
            world.send("PreToolUse", **common)
            world.send("PostToolUse", **common, tool_response={"stdout": "On branch main", "stderr": ""})


def test_ten_sessions_in_one_project_and_three_projects_at_once(worlds: dict[str, World]) -> None:
    for world in worlds.values():
        world.hookd("daemon", "start")
        world.warm = False
    sessions = [(name, f"s{number}") for name, count in SESSIONS.items() for number in range(count)]
    with ThreadPoolExecutor(len(sessions)) as pool:
        done = [pool.submit(play, worlds[name], name, session) for name, session in sessions]
        for each in done:
            each.result()
    for world in worlds.values():
        world.json("memory", "stats")  # brings in what a daemon still has in hand
    store = open_store(worlds["a"].folders.database)
    store.adopt(list(migrations()))
    with store.reading() as db:
        rows = db.rows(
            "SELECT project.root, session, tool_use, text FROM observation "
            "JOIN memory_place ON memory_place.number = place JOIN project ON project.key = project"
        )
        problems = db.rows("SELECT what FROM problem WHERE kind = 'memory'")
    expected = Counter(
        (
            str(worlds[name].project),
            session,
            f"toolu_{number}",
            f"wrote {session}_{number}.py\n{name} {session} {number}",
        )
        for name, session in sessions
        for number in range(CALLS)
    )
    assert Counter(tuple(row) for row in rows) == expected
    assert sum(expected.values()) == 16 * CALLS and problems == []
