"""What hooks tell the model, through the daemon: one budget, one record, also for the next daemon."""

import json

from hookd.tokens import tokens_of
from worlds import World, wait_until

TALKATIVE = """
from hookd import HookAPI, context

def register(hookd: HookAPI) -> None:
    @hookd.on("UserPromptSubmit")
    def say(event, ctx):
        return [context("the freeze ends on Friday", once="freeze"), context(f"left: {ctx.context_tokens}")]
"""


def lines(world: World) -> list[dict[str, object]]:
    world.hookd("status")  # which brings the journal in
    [run] = (world.project / ".hookd" / "runs").iterdir()
    return [json.loads(line) for line in (run / "injections.jsonl").read_text().splitlines()]


def prompt(world: World) -> str:
    answer = world.send("UserPromptSubmit", prompt="go on")
    told: str = answer["hookSpecificOutput"]["additionalContext"]
    return told


def test_a_key_is_told_once_and_the_record_says_what_was_held_back(world: World) -> None:
    (world.project / ".hookd").mkdir()
    world.write_hook(TALKATIVE)
    assert prompt(world) == "the freeze ends on Friday\n\nleft: 200"
    assert prompt(world) == "left: 200"
    first, second, held, third = lines(world)
    assert (first["what"], first["key"], first["importance"]) == ("context", "guard.say:freeze", "person")
    assert first["tokens"] == tokens_of("the freeze ends on Friday")
    assert (second["what"], third["what"]) == ("context", "context")
    assert (held["what"], held["held"]) == ("held", "told before in this session")


def test_the_next_daemon_knows_what_a_session_was_told(world: World) -> None:
    (world.project / ".hookd").mkdir()
    world.write_hook(TALKATIVE)
    prompt(world)
    world.hookd("daemon", "stop")
    wait_until(world.no_daemon, "the daemon is gone")
    assert prompt(world) == "left: 200"


def test_memory_keeps_within_what_is_left(world: World) -> None:
    world.hookd("memory", "add", "We keep amounts in cents because floats lose them", "--kind", "decision")
    start = {"source": "startup", "session_id": "s2"}
    told = world.send("SessionStart", **start)["hookSpecificOutput"]["additionalContext"]
    assert "amounts in cents" in told
    (world.folders.config / "config.toml").write_text("[context]\nstart_tokens = 20\n")
    assert world.send("SessionStart", **{**start, "session_id": "s3"}) is None
    (world.folders.config / "config.toml").write_text("[context]\nenabled = false\n")
    assert world.send("SessionStart", **{**start, "session_id": "s4"}) is None
