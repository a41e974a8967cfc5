"""Turns are counted per session, also across daemons, and stable events carry their index."""

from worlds import World

TURNS = """
from hookd import HookAPI, context

def register(hookd: HookAPI) -> None:
    @hookd.on("turn_start")
    def say(event, ctx):
        return context(f"turn {event.turn_index}")

    @hookd.on("session")
    def tell(event, ctx):
        return context(f"{event.reason} after {event.previous_path}")
"""


def said(answer: dict[str, dict[str, str]]) -> str:
    return answer["hookSpecificOutput"]["additionalContext"]


def test_turns_go_on_where_another_daemon_left_off(world: World) -> None:
    world.write_hook(TURNS)
    assert said(world.send("UserPromptSubmit", prompt="a")) == "turn 0"
    assert said(world.send("PostToolBatch", tool_calls=[])) == "turn 1"
    assert said(world.send("PostToolBatch", tool_calls=[])) == "turn 2"
    world.send("Stop")
    assert said(world.send("UserPromptSubmit", prompt="b")) == "turn 3"
    world.hookd("daemon", "restart")
    assert said(world.send("PostToolBatch", tool_calls=[])) == "turn 4"


def test_another_sessions_turns_and_a_subagents_batches_do_not_count(world: World) -> None:
    world.write_hook(TURNS)
    assert said(world.send("PostToolBatch", session_id="s2", tool_calls=[])) == "turn 1"
    assert world.send("PostToolBatch", agent_id="sub", tool_calls=[]) is None
    assert said(world.send("UserPromptSubmit", prompt="a")) == "turn 0"


def test_a_cleared_session_knows_the_one_before(world: World) -> None:
    world.write_hook(TURNS)
    start = {"source": "startup", "transcript_path": "/t/one.jsonl"}
    assert said(world.send("SessionStart", **start)) == "start after None"
    world.send("SessionEnd", reason="clear", transcript_path="/t/one.jsonl")
    # Another session goes on meanwhile; it is not the one that was cleared.
    world.send("Stop", session_id="s3", transcript_path="/t/three.jsonl")
    again = {"source": "clear", "transcript_path": "/t/two.jsonl", "session_id": "s2"}
    assert said(world.send("SessionStart", **again)) == "clear after /t/one.jsonl"
