"""A capability is one module and one line in the tuple: everything from the config to the page has it."""

import json
import sqlite3
import urllib.request
from pathlib import Path

from copied_package import CopiedWorld
from worlds import wait_until

PROMPT = {"prompt": "play"}
CALL = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}
DONE = {**CALL, "tool_response": {"stdout": "x"}}


def said(world: CopiedWorld, session: str = "s1") -> str:
    answer = world.send("UserPromptSubmit", session_id=session, **PROMPT)
    context: str = answer["hookSpecificOutput"]["additionalContext"]
    return context


def rows(world: CopiedWorld) -> list[tuple[str, str]]:
    db = sqlite3.connect(world.folders.database)
    is_there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'toy'").fetchone()
    sql = "SELECT session, what FROM toy ORDER BY what"
    found = db.execute(sql).fetchall() if is_there else []
    db.close()
    return found


def test_its_table_of_the_config_counts_and_an_untrusted_one_only_tightens(world: CopiedWorld) -> None:
    (world.folders.config / "config.toml").write_text('[toy]\ngreeting = "hi"\n')
    world.write_project_file("config.toml", '[toy]\ngreeting = "evil"\nmost = 3\n')
    assert said(world).startswith("hi, at most 3:")
    assert any("toy.greeting" in waits for waits in world.status()["waiting_for_trust"])
    (world.folders.config / "config.toml").write_text("[toy]\nloud = true\n")
    said(world)
    assert any("loud" in problem for problem in world.status()["config_problems"])


def test_its_files_are_held_to_trust_and_keep_their_last_good_version(world: CopiedWorld) -> None:
    own = world.folders.config / "toys" / "ball.txt"
    own.parent.mkdir()
    own.write_text("ball")
    world.write_project_file("toys/knife.txt", "knife")
    assert said(world).endswith(": ball")
    assert any(waits.endswith("knife.txt: toy") for waits in world.status()["waiting_for_trust"])
    world.trust()
    own.write_text("broken")
    assert said(world).endswith(": ball knife")
    assert any("ball.txt is broken" in problem["what"] for problem in world.status()["problems"])


def test_what_it_takes_from_the_journal_is_shown_everywhere(world: CopiedWorld) -> None:
    world.write_project_file("TOY.md", "written by the toy")
    said(world)
    world.send("PostToolUse", **DONE)
    wait_until(lambda: ("s1", "Bash") in rows(world), "the batch was taken in")
    assert world.hookd("toy") == "Bash\n"
    assert "  toy         hello\n" in world.hookd("status")
    assert {"check": "toy", "ok": True, "what": "plays", "advice": ""} in world.json("doctor")
    assert "TOY LOUD" not in world.hookd("statusline")
    [run] = (world.project / ".hookd" / "runs").iterdir()
    assert json.loads((run / "toys.jsonl").read_text())["said"].startswith("hello, at most 5")
    assert "TOY.md" in (world.project / ".hookd" / ".gitignore").read_text()
    assert world.status()["trust"]["state"] == "nothing to trust"

    assert "Tell what was played with." in world.hookd("help", "--all")


def test_its_page_is_served(world: CopiedWorld) -> None:
    (world.folders.config / "config.toml").write_text('[toy]\ngreeting = "<LOUD>"\n')
    said(world)
    world.send("PostToolUse", **DONE)
    wait_until(lambda: rows(world), "the batch was taken in")
    port = wait_until(
        lambda: Path(world.files.port).exists() and Path(world.files.port).read_text().strip(), "a port"
    )
    token = Path(world.files.token).read_text().strip()

    def get(path: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}")
        request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=30) as response:
            text: str = response.read().decode()
        return text

    assert "<p>&lt;LOUD&gt;: Bash</p>" in get("/toy")
    assert '<a href="/toy">Toy</a>' in get("/")
    assert json.loads(get("/health"))["toy"]["greeting"] == "<LOUD>"
    world.hookd("init")
    assert "TOY LOUD" in world.hookd("statusline")


def test_it_acts_when_a_session_ends_and_in_quiet_moments(world: CopiedWorld) -> None:
    said(world)
    world.send("PostToolUse", **DONE)

    wait_until(lambda: ("", "quiet") in rows(world), "a quiet moment")
    world.send("SessionEnd", reason="other")
    wait_until(lambda: ("", "ended") in rows(world), "the session's end was worked on")


def test_it_forgets_an_observation_and_a_project(world: CopiedWorld) -> None:
    world.write_project_file("TOY.md", "written by the toy")
    said(world)
    world.send("PreToolUse", **CALL)
    world.send("PostToolUse", **{**DONE, "tool_input": {"command": "./measure-it"}})
    world.send(
        "PostToolUse", **{**DONE, "tool_name": "Write", "tool_use_id": "t2", "tool_input": {"file_path": "a"}}
    )
    wait_until(lambda: {("s1", "Bash"), ("s1", "Write")} <= {*rows(world)}, "both were taken in")
    world.hookd("memory", "forget", "--kind", "edit", "--yes")
    assert ("s1", "Write") not in rows(world)
    assert ("s1", "Bash") in rows(world)
    world.hookd("purge", str(world.project), "--yes")
    assert {session for session, _ in rows(world)} <= {""}
    assert not (world.project / ".hookd").exists()


def test_its_command_is_not_for_agents_unless_it_says_so(world: CopiedWorld) -> None:
    assert world.json("explain", "hookd toy")["verdict"] == "deny"
    world.change("toy.py", '"Tell what was played with."),)', '"Tell what was played with.", agent="yes"),)')
    assert world.json("explain", "hookd toy")["verdict"] == "none"


def test_it_can_be_turned_off(world: CopiedWorld) -> None:
    (world.folders.config / "config.toml").write_text('[hooks]\ndisabled = ["toy"]\n')
    assert world.send("UserPromptSubmit", **PROMPT) is None
