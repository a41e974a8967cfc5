"""`hookd send`: what a person or a script has for the agent's next turn."""

import json
from typing import Any

from secrets_made_up import GITHUB_TOKEN
from worlds import World, wait_until


def told(answer: Any) -> str | None:
    found: str | None = answer["hookSpecificOutput"].get("additionalContext") if answer else None
    return found


def prompt(world: World, session: str = "s1") -> str | None:
    return told(world.send("UserPromptSubmit", prompt="go on", session_id=session))


def quiet(world: World) -> None:
    """Nothing of hookd's own is told in this world."""
    (world.folders.config / "config.toml").write_text("[memory]\ncontext = false\n")


def test_what_a_person_sends_reaches_the_next_turn_once(world: World) -> None:
    quiet(world)
    assert "the next session to have one" in world.hookd("send", "the deploy is done")
    result: dict[str, Any] = {"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": ""}}
    assert told(world.send("PostToolUse", agent_id="sub", **result)) is None, "a subagent is not asked for it"
    assert told(world.send("PostToolUse", **result)) == "the deploy is done"
    assert prompt(world) is None
    assert list((world.folders.data / "outbox").glob("*.msgpack")) == []


def test_it_waits_for_a_session_that_begins_later_without_a_daemon(world: World) -> None:
    quiet(world)
    world.hookd("send", "look at the nightly build")
    assert world.no_daemon(), "sending starts nothing"
    assert told(world.send("SessionStart", source="startup")) == "look at the nightly build"


def test_a_session_is_named_by_its_id_or_its_beginning(world: World) -> None:
    quiet(world)
    for session in ("aaaa-1", "bbbb-2"):
        prompt(world, session)
    assert "session bbbb-2" in world.hookd("send", "for the second", "--session", "bbbb")
    world.hookd("send", "for the second again", "--session", "bbbb-2")
    world.hookd("send", "for anybody")
    assert prompt(world, "aaaa-1") == "for anybody"
    assert prompt(world, "bbbb-2") == "for the second\n\nfor the second again"


def test_a_session_that_has_ended_is_found_on_record_and_gets_it_when_it_comes_back(world: World) -> None:
    quiet(world)
    prompt(world, "aaaa-1")
    world.send("SessionEnd", session_id="aaaa-1", reason="other")
    world.hookd("daemon", "stop")
    world.hookd("send", "later", "--session", "aaaa")
    assert prompt(world, "bbbb-2") is None
    assert prompt(world, "aaaa-1") == "later"


def test_a_session_that_nobody_knows_is_a_mistake(world: World) -> None:
    prompt(world)
    refused = world.run("send", "hello", "--session", "nope", check=False)
    assert refused.returncode == 2
    assert b"no run is called nope" in refused.stderr
    assert not list((world.folders.data / "outbox").glob("*.msgpack"))


def test_files_are_attached_by_their_paths(world: World) -> None:
    quiet(world)
    (world.project / "logs").mkdir()
    (world.project / "logs" / "ci.txt").write_text("red")
    world.run("send", "CI is red", "--attach", "ci.txt", "--attach", "..", cwd=world.project / "logs")
    attached = f"- {world.project}/logs/ci.txt\n- {world.project}"
    assert prompt(world) == f"CI is red\n\nAttached, to be read when needed:\n{attached}"
    missing = world.run("send", "x", "--attach", "nothing.txt", check=False)
    assert missing.returncode == 2
    assert f"{world.project}/nothing.txt is to be attached and is not there".encode() in missing.stderr


def test_text_may_come_from_standard_input_and_no_secret_is_kept(world: World) -> None:
    quiet(world)
    world.run("send", "-", stdin=f"the token is {GITHUB_TOKEN}\n".encode())
    [box] = (world.folders.data / "outbox").glob("*.msgpack")
    assert GITHUB_TOKEN.encode() not in box.read_bytes()
    assert (prompt(world) or "").startswith("the token is [REDACTED:")


def test_what_says_nothing_or_too_much_is_a_mistake(world: World) -> None:
    for text, why in ((" ", b"says something"), ("x" * 10_001, b"10,000 characters")):
        refused = world.run("send", text, check=False)
        assert refused.returncode == 2
        assert why in refused.stderr


def test_an_agent_cannot_talk_to_itself_through_it(world: World) -> None:
    refused = world.run("send", "the person says yes", env={"CLAUDECODE": "1"}, check=False)
    assert refused.returncode == 1
    assert b"started by a coding agent" in refused.stderr
    answer = world.bash("hookd send 'the person says yes'")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert prompt(world) is None


def test_it_is_on_record_as_sent(world: World) -> None:
    quiet(world)
    (world.project / ".hookd").mkdir()
    world.send("SessionStart", source="startup")
    world.hookd("send", "the deploy is done")
    prompt(world)
    world.send("SessionEnd", reason="other")
    wait_until(world.no_daemon, "the daemon ends")
    [run] = (world.project / ".hookd" / "runs").iterdir()
    injections = [json.loads(line) for line in (run / "injections.jsonl").read_text().splitlines()]
    assert [(each["by"], each["text"]) for each in injections] == [("hookd.send", "the deploy is done")]
