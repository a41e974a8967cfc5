"""Forgetting for good: no file under the data folder has a word of it left."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from memory_world import HERE, THERE, find, new_store, put

from hookd.daemon.recorder import Recorder, recording
from hookd.journal.entries import Entry, Told, encode
from hookd.journal.erase import change_lines, id_of, journal_files
from hookd.journal.ingest import open_store
from hookd.journal.recovery import Keeper
from hookd.journal.repository import Ingested
from hookd.journal.segments import JournalWriter
from hookd.memory import forget
from hookd.memory.erase import forget_old
from hookd.memory.observations import Observation, Place
from hookd.memory.recall.vectors import file_of
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.search import Filters
from hookd.memory.repository.statements import migrations
from hookd.paths import project_key
from hookd.store.cancellation import Cancellation
from hookd.store.database import Database
from worlds import World, make_git_folder, wait_until

SECRET = b"zanzibarquokka"


def files_with(folder: Path, needle: bytes) -> list[str]:
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle in path.read_bytes().lower()
    ]


def vectors_of(world: World) -> list[str]:
    path = file_of(world.folders.database)
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        return [row[0] for row in db.execute("SELECT id FROM observation_vector ORDER BY rowid")]


def record(writer: JournalWriter, name: str, command: str) -> None:
    event = Entry(
        id=name,
        at=time.time(),
        agent="claude-code",
        event="PostToolUse",
        session="s1",
        tool="Bash",
        tool_use=f"toolu_{name}",
        input={"tool_input": {"command": command}},
    )
    writer.append(encode(event))


def capture(world: World, name: str, text: str) -> None:
    """What the capture of an event leaves in the store."""
    store = open_store(world.folders.database)
    store.adopt(list(migrations()))
    place = Place(project_key(str(world.project)), str(world.project))
    row = Observation(
        text=text, id=name, event=name, tool_use=f"toolu_{name}", session="s1", provenance="tool"
    )
    store.submit(lambda db: Observations(db, place).add([row])).result()
    store.close()


def test_nothing_is_left_in_any_file(world: World) -> None:
    writer = JournalWriter(world.folders.journal(project_key(str(world.project))))
    record(writer, "old", "echo the zanzibarquokka was here")
    record(writer, "kept", "echo something harmless")
    world.json("runs", "list")  # takes the journal in
    capture(world, "old", "ran: echo the zanzibarquokka was here")
    capture(world, "kept", "ran: echo something harmless")
    world.run("memory", "search", "zanzibarquokka")  # makes vectors where they are installed
    world.run("store", "backup")
    # The writer lives on, as a daemon would: its segment cannot be deleted.
    record(writer, "later", "echo later")
    before = files_with(world.folders.data, SECRET)
    assert any("hookd.db" in name for name in before)
    assert any("journal" in name for name in before)
    assert any("backups" in name for name in before)

    found = json.loads(world.run("memory", "forget", "old", "--yes", "--json").stdout)

    assert found == {"forgotten": 1, "records": 1, "alike": []}
    assert files_with(world.folders.data, SECRET) == []
    assert [row["id"] for row in world.json("memory", "search", "echo")["results"]] == ["kept"]
    assert world.json("store", "check")["ok"]
    writer.close()
    steps = json.dumps(world.json("runs", "show"))
    assert "something harmless" in steps
    assert "echo later" in steps
    assert not world.status().get("problems")


def test_stopped_in_the_middle_it_has_forgotten_something_wholly_and_the_rest_not_at_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = JournalWriter(world.folders.journal(project_key(str(world.project))))
    for name, word in (("first", "zanzibarquokka"), ("second", "harmless")):
        record(writer, name, f"echo {word}")
        world.json("runs", "list")
        capture(world, name, f"ran: echo {word}")
    writer.close()
    world.run("store", "backup")
    monkeypatch.setattr(forget, "ROWS_AT_ONCE", 1)
    stop = Cancellation()
    store = open_store(world.folders.database)
    with store.reading() as db:
        numbers = [row[0] for row in db.rows("SELECT seq FROM observation ORDER BY seq")]

    gone = forget.forget(
        Keeper(store, world.folders.journals),
        numbers,
        str(world.project),
        partial(recording, world.folders),
        stop=stop,
        tell=lambda _: stop.tell(),
    )

    assert gone == forget.Done(observations=1, records=1)
    assert files_with(world.folders.data, SECRET) == []
    assert [row["id"] for row in world.json("memory", "search", "echo")["results"]] == ["second"]
    assert "echo harmless" in json.dumps(world.json("runs", "show"))


def test_who_is_killed_in_the_middle_leaves_it_to_the_next(world: World) -> None:
    writer = JournalWriter(world.folders.journal(project_key(str(world.project))))
    record(writer, "old", "echo the zanzibarquokka was here")
    world.json("runs", "list")
    capture(world, "old", "ran: echo the zanzibarquokka was here")
    world.run("store", "backup")
    killed = (
        "import os, signal, sys\n"
        "from hookd.memory import forget\n"
        "forget.finish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sys.argv = ['hookd', 'memory', 'forget', 'old', '--yes']\n"
        "from hookd.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", killed], env=world.env, cwd=world.project, check=False)
    assert done.returncode == -signal.SIGKILL
    assert world.json("memory", "search", "zanzibarquokka")["results"] == []
    assert files_with(world.folders.data, SECRET) != []

    found = world.json("memory", "forget", "--kind", "nothing", "--yes")
    assert found == {"forgotten": 0, "records": 1, "alike": []}

    assert files_with(world.folders.data, SECRET) == []
    writer.close()


def test_a_word_of_ones_own_is_gone_from_the_index_among_many_rows(world: World) -> None:
    rows = [{"id": f"r{n}", "text": f"row {n} says word{n} and thing{n % 7}"} for n in range(3000)]
    rows.insert(1500, {"id": "gone", "text": "row of ZanzibarQuokka", "session": "s9"})
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    (world.folders.config / "config.toml").write_text('[memory]\nvectors = "off"\n')
    world.run("memory", "import", "-", stdin=lines)
    assert files_with(world.folders.data, SECRET)
    world.run("memory", "forget", "--session", "s9", "--yes")
    assert files_with(world.folders.data, SECRET) == []
    assert world.json("memory", "stats")["observations"] == 3000
    assert world.json("memory", "search", "word2999")["results"][0]["id"] == "r2999"


def test_a_purged_project_is_forgotten_and_others_are_not(world: World) -> None:
    other = world.base / "q"
    make_git_folder(other)
    world.run("memory", "add", "the zanzibarquokka")
    world.run("memory", "add", "the other one", cwd=other)
    world.run("memory", "search", "one", "--all")  # makes vectors where they are installed
    vectors = vectors_of(world)
    world.run("purge", str(world.project), "--yes")
    assert files_with(world.folders.data, SECRET) == []
    assert [row["text"] for row in world.json("memory", "search", "", "--all")["results"]] == [
        "the other one"
    ]
    assert not vectors or vectors_of(world) == vectors[1:]


def test_wiping_a_record_moves_nobodys_place(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path)
    for name in ("one", "two", "three"):
        writer.append(encode(Entry(id=name, at=1, agent="a", event="Cancellation", detail=f"the {name}")))
    [path] = tmp_path.glob("*.jsonl")
    size = path.stat().st_size
    assert journal_files([tmp_path]) == [path]
    assert change_lines(path, lambda line: b"" if id_of(line) in ("two", "nobody") else None) == 1
    writer.append(encode(Entry(id="four", at=1, agent="a", event="Cancellation")))
    writer.close()
    lines = [line for line in path.read_bytes().split(b"\n") if line]
    assert [json.loads(line)["id"] for line in lines] == ["one", "three", "four"]
    assert path.stat().st_size > size
    assert change_lines(path, lambda line: b'{"id":"%b"}' % (b"x" * len(line))) == 3, "what does not fit goes"
    assert not path.read_bytes().strip()
    assert journal_files([tmp_path / "nowhere"]) == [] and change_lines(tmp_path / "nowhere", id_of) == 0


def heard(db: Database, at: float) -> None:
    """A session at that time."""
    events = Ingested(db, HERE.key, HERE.root)
    events.add_project(at)
    entry = Entry(id="heard", at=at, agent="claude-code", event="SessionStart", session="s1")
    assert events.add_event(entry, lambda _entry: "run")


def test_what_is_old_goes_by_itself() -> None:
    store = new_store()
    day = 86_400
    put(store, *(Observation(text=f"old {n}", at=time.time() - 400 * day) for n in range(450)), "recent")
    put(store, Observation(text="theirs", at=time.time() - 400 * day), place=THERE)
    days = {HERE.root: 365.0, THERE.root: 500.0}
    assert forget_old(store, days.__getitem__) == 0, "there is no day on record that bears the clock out"
    store.submit(lambda db: heard(db, time.time() - 2 * day)).result()
    assert forget_old(store, lambda _root: 0) == 0
    assert forget_old(store, days.__getitem__) == 450
    assert [result.text for result in find(store, "", Filters(THERE))] == ["theirs"]
    days[THERE.root] = 30
    assert forget_old(store, days.__getitem__) == 1
    assert [result.text for result in find(store, "")] == ["recent"]
    assert find(store, "old") == []
    with store.reading() as db:
        db.run("INSERT INTO observation_word (observation_word) VALUES ('integrity-check')")
    assert put(store, "again", place=HERE)


def test_a_session_that_was_played_leaves_nothing_either(world: World) -> None:
    """Every file in which the daemon has put it: events, tasks, run folders, snapshot, summary, hand-over."""
    (world.project / ".hookd").mkdir()
    world.send("SessionStart", source="startup")
    world.send("UserPromptSubmit", prompt="Mend the zanzibarquokka parser, because it loses lines.")
    command = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "./zanzibarquokka"}}
    world.send("PreToolUse", **command)
    world.send(
        "PostToolUse", **command, tool_response={"stdout": "zanzibarquokka: 3 lines lost", "stderr": ""}
    )
    world.send("PreCompact", trigger="auto")
    world.send("UserPromptSubmit", session_id="s2", prompt="Write the release notes for the parser.")
    for session in ("s1", "s2"):
        world.send("Cancellation", session_id=session, last_assistant_message="Done.")
        world.send("SessionEnd", session_id=session, reason="other")
    wait_until(lambda: (world.project / ".hookd" / "CURRENT.md").exists(), "the hand-over is written")
    world.json("runs", "list")  # takes in what is left
    mine = [name for name in files_with(world.project, SECRET) if ".hookd" in name]
    assert any("CURRENT" in name for name in mine) and any("runs" in name for name in mine)
    assert any("snapshot" in name for name in mine) and any("handovers" in name for name in mine)

    world.run("memory", "forget", "--session", "s1", "--yes")

    assert files_with(world.project, SECRET) == []
    assert files_with(world.folders.data, SECRET) == []
    assert "release notes" in (world.project / ".hookd" / "CURRENT.md").read_text()


def test_what_another_project_was_told_and_nobody_has_taken_in_yet_goes_too(world: World) -> None:
    name = world.json("memory", "add", "the zanzibarquokka gateway is used")["id"]
    other = world.base / "q"
    make_git_folder(other)
    line = f"- the zanzibarquokka gateway is used [{name[:7]} note, 17 Nov]"
    told = Told(by="memory.context", what="context", text=f"What hookd remembers:\n{line}")
    daemon = Recorder(str(other), world.folders)
    daemon.append(
        Entry(
            id="e" * 32, at=time.time(), agent="claude-code", event="SessionStart", session="s9", told=(told,)
        )
    )
    world.run("memory", "forget", name, "--yes")
    daemon.close()
    assert files_with(world.folders.data, SECRET) == []


def test_others_that_say_the_same_are_named(world: World) -> None:
    names = [world.json("memory", "add", "the gateway is used for payments")["id"] for _ in range(2)]
    said = world.run("memory", "forget", names[0], "--yes").stdout
    text = said.decode() if isinstance(said, bytes) else said
    assert f"Others that say the same are still there: hookd memory forget {names[1][:11]}" in text
