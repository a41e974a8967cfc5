"""What a person grants at a terminal: a call once, a pause; and nobody else."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hookd.gate.people.grants import ONCE_SECONDS, PAUSE_SECONDS, GrantBook, Learned
from hookd.paths import UserFolders
from worlds import World

STOPPED = "git push --force origin main"


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


@pytest.fixture
def folders(tmp_path: Path) -> UserFolders:
    return UserFolders(tmp_path / "config", tmp_path / "data")


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def decision(answer: Any) -> str | None:
    return answer["hookSpecificOutput"].get("permissionDecision") if answer else None


def code_in(answer: Any) -> str:
    reason: str = answer["hookSpecificOutput"]["permissionDecisionReason"]
    return reason.rpartition("hookd allow-once ")[2].rstrip(")")


def facts(world: World) -> list[dict[str, Any]]:
    """The verdicts on record, oldest first."""
    world.hookd("runs", "list")
    with closing(sqlite3.connect(world.folders.database)) as db, db:
        rows = db.execute(
            "SELECT data FROM fact JOIN event ON event.id = fact.event WHERE kind = 'verdict' ORDER BY seq"
        ).fetchall()
    return [msgspec.json.decode(row[0]) for row in rows]


def test_a_denials_code_lets_that_very_call_pass_once(world: World) -> None:
    denied = world.bash(STOPPED)
    assert decision(denied) == "deny"
    said = world.at_terminal("allow-once", code_in(denied), answers=b"y\n")
    assert STOPPED in said and "may pass once" in said
    assert decision(world.bash("git push --force origin other")) == "deny"
    assert world.bash(STOPPED, tool_use_id="t1") is None
    # The agent's own dialog about the same call is not answered with a refusal either.
    tool = {"tool_name": "Bash", "tool_input": {"command": STOPPED}}
    assert world.send("PermissionRequest", **tool) is None
    assert decision(world.bash(STOPPED)) == "deny"
    assert [fact.get("once") for fact in facts(world)].count(code_in(denied)) == 2
    assert any(p["kind"] == "grant" and "allowed once" in p["what"] for p in world.status()["notices"])


def test_all_of_a_call_is_shown_before_it_is_granted(world: World) -> None:
    hidden = f"{STOPPED} # {'x' * 3000}\ngit push --force origin second-line"
    said = world.at_terminal("allow-once", code_in(world.bash(hidden)), answers=b"n\n", expect=1)
    assert "second-line" in said
    wanted = {"command": STOPPED, "other": "also-this"}
    denied = world.send("PreToolUse", tool_name="mcp__shell__run", tool_input=wanted)
    said = world.at_terminal("allow-once", code_in(denied), answers=b"n\n", expect=1)
    assert "mcp__shell__run" in said and "other: also-this" in said


def test_a_call_that_nobody_would_read_is_not_granted(world: World) -> None:
    code = code_in(world.bash(f"{STOPPED} # {'x' * 30_000}"))
    assert "too long" in world.at_terminal("allow-once", code, answers=b"y\n", expect=2)


def test_a_code_that_no_call_has_is_refused(world: World) -> None:
    world.bash(STOPPED)
    said = world.at_terminal("allow-once", "aaaaaa", answers=b"y\n", expect=2)
    assert "no call of the last ten minutes has the code" in said
    assert decision(world.bash(STOPPED)) == "deny"


def test_no_is_no(world: World) -> None:
    code = code_in(world.bash(STOPPED))
    world.at_terminal("allow-once", code, answers=b"n\n", expect=1)
    assert decision(world.bash(STOPPED)) == "deny"


def test_an_agent_or_a_script_grants_nothing(world: World) -> None:
    code = code_in(world.bash(STOPPED))
    for words in (["allow-once", code], ["pause"]):
        done = world.run(*words, check=False, stdin=b"y\n")
        assert done.returncode == 1 and b"needs a person at a terminal" in done.stderr
    world.env["CLAUDECODE"] = "1"
    said = world.at_terminal("pause", answers=b"", expect=1)
    assert "started by a coding agent" in said
    assert decision(world.bash(STOPPED)) == "deny"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="this system does not tell")
@pytest.mark.parametrize("name", ["CLAUDECODE", "AI_AGENT"])
def test_a_terminal_that_an_agent_made_up_grants_nothing(world: World, name: str) -> None:
    said = world.at_terminal("pause", answers=b"", expect=1, below={name: "1"})
    assert "started by a coding agent" in said
    assert decision(world.bash(STOPPED)) == "deny"
    world.at_terminal("pause", answers=b"", below={"OTHER": "1"})
    assert world.bash(STOPPED) is None


def test_a_pause_only_watches_and_says_so_at_once(world: World) -> None:
    world.hookd("init")
    assert decision(world.bash(STOPPED)) == "deny"
    world.at_terminal("pause", "--minutes", "5", answers=b"")
    assert "GATE PAUSED" in world.hookd("statusline")
    status = world.status()
    assert 0 < status["gate"]["paused_until"] - time.time() <= 300
    assert status["daemon"]["gate"]["paused_until"] == status["gate"]["paused_until"]
    assert "paused until" in world.hookd("status")
    assert world.bash(STOPPED) is None
    # What would touch hookd itself stays stopped.
    assert decision(world.bash("hookd pause --minutes 60")) == "deny"
    assert "enforces again" in world.hookd("pause", "--end")
    assert decision(world.bash(STOPPED)) == "deny"
    assert "PAUSED" not in world.hookd("statusline")
    assert [fact["mode"] for fact in facts(world)] == ["enforce", "paused", "enforce", "enforce"]
    kinds = [p["what"] for p in world.status()["notices"] if p["kind"] == "grant"]
    assert sorted(kinds) == ["the gate was paused for 5 min", "the pause was ended"]


def test_what_was_granted_is_a_notice_and_no_problem(world: World) -> None:
    world.hookd("init")
    world.write_project_file("rules/mine.toml", 'pack = "mine"\n')
    world.trust()
    code = code_in(world.bash(STOPPED))
    world.at_terminal("allow-once", code, answers=b"y\n")
    world.at_terminal("pause", "--minutes", "5", answers=b"")
    status, line = world.hookd("status").splitlines(), world.hookd("statusline")
    assert "  problems    none" in status
    at = next(number for number, each in enumerate(status) if each.startswith("  notices     "))
    told = [each[14:] for each in status[at : at + 3]]
    assert told[0].startswith("the gate was paused for 5 min (")
    assert told[1].startswith(f"a call that git.force-push stopped was allowed once, code {code} (")
    assert told[2].startswith("what the project brings was trusted: 1 file (")
    assert "GATE PAUSED" in line and "problems" not in line and "degraded" not in line
    assert world.status()["problems"] == []
    for minutes in ("6", "7", "8"):
        world.at_terminal("pause", "--minutes", minutes, answers=b"")
    assert "              and 1 more this week; `hookd status --json` has them\n" in world.hookd("status")


def test_why_tells_the_last_stop_and_what_to_do(world: World) -> None:
    assert "Nothing was stopped" in world.hookd("why")
    assert world.json("why") is None
    code = code_in(world.bash(STOPPED))
    world.bash("ls")
    told = world.json("why")
    assert (told["verdict"], told["rule"], told["layer"]) == ("deny", "git.force-push", "static")
    assert told["call"] == STOPPED and told["code"] == code and told["trace"]
    shown = world.hookd("why")
    assert STOPPED in shown and f"hookd allow-once {code}" in shown and '"git.force-push" = "ask"' in shown
    world.bash("hookd pause")
    assert "nothing lifts self-protection.hookd-commands" in world.hookd("why")
    assert world.json("why")["code"] is None


def test_why_tells_of_a_persons_own_hook_too(world: World) -> None:
    world.write_hook(
        "from hookd import block\n"
        "def register(hookd):\n"
        "    @hookd.on('tool_call', tool='Bash')\n"
        "    def careful(event, ctx):\n"
        "        return block('not today') if 'acme' in event.command else None\n"
    )
    world.bash("acme --deploy")
    told = world.json("why")
    assert (told["by"], told["verdict"], told["reason"]) == ("guard.careful", "deny", "not today")
    assert "by guard.careful" in world.hookd("why")


def test_grants_expire(folders: UserFolders) -> None:
    clock = Clock()
    book = GrantBook(folders, "/p", clock)
    call = book.call("Bash", {"command": "x"}, "/p")
    book.allow_once("abc", call)
    book.pause(60)
    book.learn(Learned(id=1, rule="a.b", shape="s", since=clock.now, until=clock.now + 90, by="person"))
    clock.now += 61
    assert book.read().paused_until == 0 and book.read().once and book.read().learned
    clock.now += 30
    assert not book.read().learned
    clock.now += ONCE_SECONDS
    assert book.use(call, "PreToolUse") is None
    assert not book.read().once


def test_what_was_learned_outlives_a_clock_that_jumped_and_came_back(folders: UserFolders) -> None:
    clock = Clock()
    book = GrantBook(folders, "/p", clock)
    day = 86_400.0
    for number, days in ((1, 90), (2, 90), (3, 500)):
        book.learn(
            Learned(
                id=number,
                rule="a.b",
                shape=f"s{number}",
                since=clock.now,
                until=clock.now + days * day,
                by="person",
            )
        )
    clock.now += 400 * day
    assert [each.id for each in book.read().learned] == [3]
    book.pause(60)
    assert not book.unlearn(2), "it is not in force, and what is taken back must not return"
    clock.now -= 400 * day
    assert [each.id for each in book.read().learned] == [1, 3]
    book.forget_expired(clock.now + 91 * day)
    assert [each.id for each in book.read().learned] == [3]


def test_no_pause_is_longer_than_a_person_may_ask_for(folders: UserFolders) -> None:
    clock = Clock()
    book = GrantBook(folders, "/p", clock)
    book.pause(PAUSE_SECONDS + 1)
    assert not book.read().paused_until
    book.pause(PAUSE_SECONDS)
    assert book.read().paused_until
    clock.now -= 86_400
    assert not book.read().paused_until


def test_a_clock_that_is_set_back_does_not_prolong_a_code(folders: UserFolders) -> None:
    clock = Clock()
    book = GrantBook(folders, "/p", clock)
    call = book.call("Bash", {"command": "x"}, "/p")
    book.allow_once("abc", call)
    clock.now -= 86_400
    assert book.use(call, "PreToolUse") is None


def test_a_forged_copied_or_open_file_grants_nothing(folders: UserFolders) -> None:
    book = GrantBook(folders, "/p")
    book.pause(60)
    (path,) = (folders.data / "grants").glob("*.grants")
    assert path.stat().st_mode & 0o777 == 0o600
    genuine = path.read_bytes()
    other = GrantBook(folders, "/q")
    other.pause(60)
    (theirs,) = [p for p in (folders.data / "grants").glob("*.grants") if p != path]
    theirs.write_bytes(genuine)
    assert not GrantBook(folders, "/q").read().paused_until
    path.write_bytes(genuine.replace(b"/p", b"/r"))
    assert not GrantBook(folders, "/p").read().paused_until
    path.write_bytes(genuine)
    assert GrantBook(folders, "/p").read().paused_until
    os.chmod(path, 0o666)
    assert not GrantBook(folders, "/p").read().paused_until


def test_a_call_is_known_by_what_it_does(folders: UserFolders) -> None:
    book = GrantBook(folders, "/p")
    call = book.call("Bash", {"command": "x", "description": "one"}, "/p")
    assert call == book.call("Bash", {"description": "two", "command": "x"}, "/p")
    assert call != book.call("Bash", {"command": "x"}, "/p/sub")
    assert call != book.call("Bash", {"command": "x "}, "/p")
    assert call != book.call("Write", {"command": "x"}, "/p")
