"""The model answers what the rules leave open, and nothing else."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from model_server import ModelServer, Reply, Request, answer, says, serving
from secrets_made_up import GITHUB_TOKEN
from worlds import PATIENCE, World

OPEN = "git stash drop"
GRAVE = "git push --force origin main"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(lambda request: says(request, answer("allow", 0.95, "it is only a stash"))) as made:
        yield made


@pytest.fixture
def world(server: ModelServer) -> Iterator[World]:
    made = World()
    key = made.base / "model.key"
    key.write_text("made-up-key-1\n")
    key.chmod(0o600)
    configure(made, server)
    yield made
    made.close()


def configure(world: World, server: ModelServer | None, model: str = "", gate: str = "") -> None:
    table = ""
    if server is not None:
        key = world.base / "model.key"
        table = f'provider = "anthropic"\nmodel = "claude-haiku-4-5"\nbase_url = "{server.url}"\n'
        table += f'key_file = "{key}"\n{model}'
    world.folders.config.mkdir(parents=True, exist_ok=True)
    (world.folders.config / "config.toml").write_text(f"[gate]\n{gate}\n[model]\n{table}\n")


def decision(answer: Any) -> str | None:
    return answer["hookSpecificOutput"].get("permissionDecision") if answer else None


def trace(world: World) -> list[dict[str, Any]]:
    """What was said about the last question."""
    found: list[dict[str, Any]] = world.json("why")["trace"]
    return found


def test_a_sure_allow_lifts_the_question_and_is_remembered(world: World, server: ModelServer) -> None:
    assert world.bash(OPEN) is None
    assert world.bash(OPEN) is None
    assert len(server.requests) == 1
    assert world.bash("ls") is None
    assert decision(world.bash(GRAVE)) == "deny"
    assert len(server.requests) == 1, "what the rules have decided is not asked"
    (context,) = server.requests[0].data["context"]
    assert context.startswith("rule git.drop-stash (high):")
    health = world.status()["daemon"]["evaluator"]
    assert (health["configured"], health["calls"], health["cached"]) == (True, 1, 1)


@pytest.mark.parametrize(
    ("verdict", "confidence", "expected", "rule"),
    [
        ("allow", 0.5, "ask", "model.unsure"),
        ("ask", 1, "ask", "model.ask"),
        ("deny", 0.6, "deny", "model.deny"),
    ],
)
def test_what_the_model_says_is_folded_in(
    world: World, server: ModelServer, verdict: str, confidence: float, expected: str, rule: str
) -> None:
    server.reply = lambda request: says(request, answer(verdict, confidence, "because"))
    assert decision(world.bash(OPEN)) == expected
    assert trace(world)[-1]["rule"] == rule


def test_both_events_of_a_call_share_one_request(world: World, server: ModelServer) -> None:
    both_are_sent = threading.Event()

    def slow(request: Request) -> Reply:
        assert both_are_sent.wait(PATIENCE)
        return says(request, answer("deny", 0.9, "no"))

    server.reply = slow
    world.hookd("daemon", "start")
    tool = {"tool_name": "Bash", "tool_input": {"command": OPEN}}
    processes = []
    for event in ("PreToolUse", "PermissionRequest"):
        process = world.popen(event)
        assert process.stdin is not None
        process.stdin.write(world.payload(event, **tool))
        process.stdin.close()
        process.stdin = None
        processes.append(process)
    assert server.arrived.acquire(timeout=PATIENCE)
    both_are_sent.set()
    before, request = (json.loads(process.communicate(timeout=PATIENCE)[0]) for process in processes)
    assert decision(before) == "deny"
    assert request["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    assert decision(world.bash(OPEN)) == "deny"
    assert len(server.requests) == 1


def test_an_endpoint_that_is_down_leaves_the_question(world: World, server: ModelServer) -> None:
    server.reply = lambda request: Reply(b"out of order", status=503)  # noqa: ARG005
    assert decision(world.bash(OPEN)) == "ask"
    last = trace(world)[-1]
    assert last["rule"] == "model.failed" and "503" in last["reason"]
    assert world.status()["daemon"]["evaluator"]["last_error"]


def test_a_budget_that_is_used_up_leaves_the_question(world: World, server: ModelServer) -> None:
    configure(world, server, "max_calls_per_session = 1\n")
    assert world.bash(OPEN) is None
    assert decision(world.bash("git stash clear")) == "ask"
    assert "max_calls_per_session" in trace(world)[-1]["reason"]
    assert len(server.requests) == 1


def test_a_slow_model_leaves_the_question(world: World, server: ModelServer) -> None:
    configure(world, server, "timeout_seconds = 0.2\n")
    over = threading.Event()

    def never(request: Request) -> Reply:
        over.wait(PATIENCE)
        return says(request, answer())

    server.reply = never
    try:
        assert decision(world.bash(OPEN)) == "ask"
        assert "did not answer within" in trace(world)[-1]["reason"]
    finally:
        over.set()


def test_no_secret_leaves_the_machine(world: World, server: ModelServer) -> None:
    world.bash(f"GITHUB_TOKEN={GITHUB_TOKEN} {OPEN}")
    assert server.requests and all(GITHUB_TOKEN not in request.texts for request in server.requests)


def test_it_is_not_asked_about_what_only_a_person_may_decide(world: World, server: ModelServer) -> None:
    edit = {"file_path": str(world.project / ".claude/settings.json"), "old_string": "a", "new_string": "b"}
    assert decision(world.send("PreToolUse", tool_name="Edit", tool_input=edit)) == "ask"
    configure(world, server, gate='model = "off"')
    assert decision(world.bash(OPEN)) == "ask"
    configure(world, server, gate='mode = "audit"')
    assert world.bash(OPEN) is None
    assert server.requests == []


def test_a_project_cannot_bring_a_model_of_its_own(world: World, server: ModelServer) -> None:
    with serving(lambda request: says(request, answer())) as theirs:
        configure(world, None)
        world.write_project_file(
            "config.toml", f'[model]\nprovider = "openai"\nmodel = "m"\nbase_url = "{theirs.url}"\n'
        )
        assert decision(world.bash(OPEN)) == "ask"
        assert theirs.requests == [] and server.requests == []


def test_explain_asks_it_only_if_told_to(world: World, server: ModelServer) -> None:
    assert world.json("explain", OPEN)["verdict"] == "ask"
    assert server.requests == []
    told = world.json("explain", "--model", OPEN)
    assert (told["verdict"], told["layer"], told["answer"]) == ("none", "model", None)
    assert len(server.requests) == 1


def test_in_ci_a_question_is_a_denial(world: World) -> None:
    configure(world, None)
    denied = world.bash(OPEN, env={"CI": "true"})
    assert decision(denied) == "deny"
    assert "Nobody can be asked here" in denied["hookSpecificOutput"]["permissionDecisionReason"]
    assert decision(world.bash(OPEN, env={"CI": "false"})) == "ask"
    configure(world, None, gate='ci = "off"')
    assert decision(world.bash(OPEN, env={"CI": "1"})) == "ask"
    configure(world, None, gate='ci = "on"')
    assert decision(world.bash(OPEN)) == "deny"


def test_evaluations_are_counted(world: World, server: ModelServer) -> None:
    world.bash(OPEN, session_id="s1")
    world.bash(OPEN, session_id="s1")
    server.reply = lambda request: Reply(b"out of order", status=503)  # noqa: ARG005
    world.bash("git stash clear", session_id="s1")
    found = world.json("analyze", "evaluations")
    assert (found["asked"], found["remembered"]) == (3, 1)
    assert found["answers"] == {"allow": 2, "failed": 1}
    assert found["spent"]["usd"] > 0 and len(found["failures"]) == 1
    assert (found["spent"]["calls"], found["spent"]["unpriced"]) == (1, 0)
    world.hookd("daemon", "stop")
    for path in (world.folders.database, *world.folders.database.parent.glob("backups/*")):
        path.unlink()
    world.bash("true")
    assert world.json("analyze", "evaluations")["spent"] == found["spent"], "it is in the journal"
    assert "3 questions for the model: 2 allow, 1 failed" in world.hookd("analyze", "evaluations")
    assert world.json("analyze", "decisions")["passed"] == {"model": 2}


@pytest.mark.parametrize("command", ["some-tool | bash", 'eval "$CODE"', "rm -rf src 'x"])
def test_what_nobody_has_read_is_not_for_a_model(world: World, server: ModelServer, command: str) -> None:
    assert decision(world.bash(command)) == "ask"
    call = world.send("PreToolUse", tool_name="Bash", tool_input={"command": {"a": 1}}, tool_use_id="x")
    assert decision(call) == "ask"
    assert server.requests == []


def test_a_models_allow_lifts_the_question_and_no_more(world: World, server: ModelServer) -> None:
    configure(world, server, gate='auto_allow = "read-only"')
    assert world.bash(OPEN) is None
    assert len(server.requests) == 1
    assert world.json("explain", OPEN, "--model")["answer"] is None
