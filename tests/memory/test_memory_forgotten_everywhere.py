"""Forgetting, for every kind of row and in every file: what a session did, was told, found and passed on."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookd.journal.entries import Entry, encode
from hookd.journal.segments import JournalWriter
from hookd.paths import project_key
from worlds import World, wait_until

WORD = "zanzibarquokka"
# A name that is shorter than what is looked for in just any text.
SHORT = "qxzj.py"
FACT = f"the {WORD} gateway takes the payments of all shops"

Making = Callable[[World], None]


def call(world: World, tool: str, given: dict[str, Any], answer: Any, session: str = "s1") -> None:
    named = {
        "session_id": session,
        "tool_name": tool,
        "tool_use_id": f"toolu_{os.urandom(4).hex()}",
        "tool_input": given,
    }
    world.send("PreToolUse", **named)
    if isinstance(answer, Exception):
        world.send("PostToolUseFailure", **named, error=str(answer))
    else:
        world.send("PostToolUse", **named, tool_response=answer)


def shell(world: World, command: str, output: str | Exception = "", session: str = "s1") -> None:
    answer = (
        output if isinstance(output, Exception) else {"stdout": output, "stderr": "", "interrupted": False}
    )
    call(world, "Bash", {"command": command}, answer, session)


def a_note(world: World) -> None:
    world.hookd("memory", "add", FACT)


def write(world: World, name: str, content: str = "import payments") -> None:
    path = str(world.project / name)
    call(world, "Write", {"file_path": path, "content": content}, {"filePath": path})


def a_write(world: World) -> None:
    """Nothing but its name says it, and so do the agent and the summary: which files were changed."""
    write(world, f"{WORD}.py")
    world.send("Stop", last_assistant_message=f"There is a {WORD}.py now.")


def a_write_of_a_short_name(world: World) -> None:
    write(world, SHORT)
    world.send("Stop", last_assistant_message=f"{SHORT} is there, in {world.project}/{SHORT}.")


def a_write_of_it(world: World) -> None:
    write(world, "pay.py", f"# {FACT}")


def a_write_among_many(world: World) -> None:
    for name in ("ledger", "parser", "report", "export", "import", "config", "server"):
        write(world, f"src/{name}.py")
    a_write(world)


def an_edit_by_name(world: World) -> None:
    path = str(world.project / "src" / f"{WORD}.py")
    given = {"file_path": path, "old_string": "gateway = None", "new_string": "gateway = 1"}
    call(world, "Edit", given, {"filePath": path})


def a_deletion(world: World) -> None:
    a_write(world)
    shell(world, f"rm {WORD}.py")


def a_read(world: World) -> None:
    path = str(world.project / f"{WORD}.py")
    call(world, "Read", {"file_path": path}, {"file": {"filePath": path, "content": FACT}})


def a_passed_check(world: World) -> None:
    write(world, "pay.py")
    shell(world, f"pytest tests/test_{WORD}.py", "12 passed")


def a_failed_command(world: World) -> None:
    shell(world, f"./deploy --gateway {WORD}", RuntimeError(f"connection refused: {FACT}"))


def a_todo(world: World) -> None:
    item = {"content": f"Mend the {WORD} gateway", "activeForm": f"Mending the {WORD} gateway"}
    call(world, "TodoWrite", {"todos": [{**item, "status": "in_progress"}]}, {"oldTodos": [], "newTodos": []})
    write(world, "pay.py")


def a_linter(world: World) -> None:
    """Not worth an observation; the summary has what was checked."""
    write(world, "pay.py")
    shell(world, f"ruff check src/{WORD}.py", "All checks passed!")


def an_edit(world: World) -> None:
    path = str(world.project / "pay.py")
    given = {"file_path": path, "old_string": "gateway = None", "new_string": f"gateway = '{WORD}' # {FACT}"}
    call(world, "Edit", given, {"filePath": path})


def a_command(world: World) -> None:
    shell(world, f"./deploy --gateway {WORD}", f"deployed: {FACT}")


def a_failure(world: World) -> None:
    shell(world, f"pytest tests/test_{WORD}.py", RuntimeError(f"1 failed: {FACT}"))


def a_mended_failure(world: World) -> None:
    a_failure(world)
    shell(world, f"pytest tests/test_{WORD}.py", "1 passed")


def a_decision(world: World) -> None:
    world.send(
        "UserPromptSubmit", prompt=f"Let's use the {WORD} gateway for payments because it is there already."
    )


def a_summary(world: World) -> None:
    world.send("UserPromptSubmit", prompt=f"Mend the parser of the {WORD} gateway, please.")
    write(world, "pay.py")
    world.send("Stop", last_assistant_message=f"The parser of the {WORD} gateway reads every line now.")


def an_imported_row(world: World) -> None:
    row = {"text": FACT, "kind": "decision", "session": "of-another-tool", "path": f"src/{WORD}.py"}
    world.run("memory", "import", "-", stdin=json.dumps(row).encode())


def a_row_through_mcp(world: World) -> None:
    from mcp_world import Asked, drive

    async def script(ask: Asked) -> str:
        return await ask("remember", text=FACT, kind="decision")

    answer = drive(world, script)
    call(world, "mcp__hookd__remember", {"text": FACT, "kind": "decision"}, answer)


KINDS: tuple[Making, ...] = (
    a_note,
    a_write,
    a_write_of_a_short_name,
    a_write_of_it,
    a_write_among_many,
    an_edit,
    an_edit_by_name,
    a_deletion,
    a_read,
    a_command,
    a_passed_check,
    a_failed_command,
    a_todo,
    a_linter,
    a_failure,
    a_mended_failure,
    a_decision,
    a_summary,
    an_imported_row,
    a_row_through_mcp,
)
IN_SUMMARIES = (
    *(a_write, a_write_of_a_short_name, a_write_among_many, an_edit_by_name, a_deletion),
    *(a_passed_check, a_todo, a_linter, a_summary),
)
"""What a session's summary says in words, and so every session that is told of that one."""


def files_with_it(world: World, word: str = WORD) -> list[str]:
    """All that has it: home, data, project and runtime folder, the database and its log among them."""
    places = {world.base, Path(world.files.folder)}
    files = sorted({path for place in places for path in place.rglob("*") if path.is_file()})
    found = [str(path) for path in files if word.encode() in path.read_bytes().lower()]
    return found + [str(path) for place in places for path in place.rglob(f"*{word}*")]


def tell_a_session(world: World, session: str, word: str = WORD) -> None:
    """It begins with what is remembered, looks for more in every way, is compacted and ends its turn."""
    told = world.send("SessionStart", session_id=session, source="startup")
    searched = world.hookd("memory", "search", word)
    current = world.project / ".hookd" / "CURRENT.md"
    stands = current.read_text() if current.exists() else ""
    world.send("UserPromptSubmit", session_id=session, prompt="Go on with the payments.")
    shell(world, "hookd memory search payments", searched, session)
    shell(
        world,
        "hookd memory search payments --json",
        json.dumps(world.json("memory", "search", word)),
        session,
    )
    shell(world, "cat .hookd/CURRENT.md", stands, session)
    call(world, "Read", {"file_path": str(current)}, {"file": {"content": stands}}, session)
    call(world, "mcp__hookd__search", {"query": "payments"}, searched, session)
    world.send("PreCompact", session_id=session, trigger="auto")
    world.send("SessionStart", session_id=session, source="compact")
    world.send("PostCompact", session_id=session, trigger="auto", compact_summary=json.dumps(told))
    world.send("Stop", session_id=session, last_assistant_message=f"It stands like this:\n{stands}")


def all_that_is_found(rows: list[Any]) -> list[Any]:
    return rows


def all_but_summaries(rows: list[Any]) -> list[Any]:
    """What a summary says of it goes with it; one that is still found was not made of it."""
    return [row for row in rows if row["kind"] != "summary"] or rows


@pytest.mark.parametrize("which", [all_that_is_found, all_but_summaries], ids=lambda which: which.__name__)
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_no_file_has_a_word_of_it(world: World, make: Making, which: Any) -> None:
    word = SHORT if make is a_write_of_a_short_name else WORD
    (world.project / ".hookd").mkdir()
    world.send("SessionStart", source="startup")
    make(world)
    world.send("Stop", last_assistant_message="Done.")
    world.send("SessionStart", session_id="still-there", source="startup")
    world.send("SessionEnd", reason="other")
    tell_a_session(world, "s2", word)
    tell_a_session(world, "still-there", word)
    world.send("SessionEnd", session_id="s2", reason="other")
    world.json("runs", "list")  # takes in what is left
    world.hookd("store", "backup")
    spool = world.folders.spool(project_key(str(world.project)))
    assert spool is not None
    segment = next(world.folders.journals.glob("*/**/*.jsonl"))
    writer = JournalWriter(spool, origin=lambda: segment.read_bytes().split(b"\n")[0])
    if make is a_command:
        writer.append(encode(spooled()))
    before = files_with_it(world, word)
    parts = ["/data/hookd.db", "/data/journal/", "/data/backups/", "/.hookd/runs/"]
    if make in IN_SUMMARIES:
        parts += ["/.hookd/CURRENT.md", "/.hookd/handovers/", "/injections.jsonl"]
    for part in parts:
        assert any(part in name for name in before), (part, before)
    pid = world.daemon_pid()

    forget_it(world, which, word)
    writer.close()

    assert files_with_it(world, word) == []
    # The daemon that was there all along brings nothing of it back, nor do its last words.
    assert world.daemon_pid() == pid
    tell_a_session(world, "still-there", word)
    world.send("SessionEnd", session_id="still-there", reason="other")
    wait_until(world.no_daemon, "the daemon ends itself")
    told = [world.hookd("runs", "show", run["run"]) for run in world.json("runs", "list")]
    assert len(told) == 3 and word not in "".join(told)
    assert word not in world.hookd("memory", "export") + world.hookd("status") + world.hookd("logs")
    world.hookd("store", "backup")
    assert files_with_it(world, word) == []
    assert world.json("store", "check")["ok"]


def forget_it(world: World, which: Any, word: str) -> None:
    """As a person does: by what a search shows, until it shows nothing more."""
    while rows := [row for row in world.json("memory", "search", word)["results"] if word in str(row)]:
        world.hookd("memory", "forget", *(row["id"] for row in which(rows)), "--yes")


def spooled() -> Entry:
    """What a process left that could not write to the journal."""
    return Entry(
        id="5" * 32,
        at=time.time(),
        agent="claude-code",
        event="PostToolUse",
        session="s1",
        tool="Bash",
        tool_use="toolu_spooled",
        input={"tool_input": {"command": f"./deploy --gateway {WORD}"}},
        output=FACT,
    )
