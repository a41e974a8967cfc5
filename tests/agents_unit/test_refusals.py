"""What the client is told to say when nothing can answer, in the words of an agent's adapter."""

import json
import sys

import pytest

from hookd.agents import claude_code
from hookd.agents.install import Client, Refusal, is_of_older_form, refusal
from hookd.client_arguments import MAX_VALUE, WHY, Arguments, failure, parse
from hookd.events.outcome import Decision, Outcome
from hookd.events.types import EVENTS, Event
from hookd.wire import Answer

GATES = {"PreToolUse", "PermissionRequest"}
NAMES = [*EVENTS, "SomethingNew"]


def call(client: Client, event: str, refused: Refusal) -> tuple[str, ...]:
    return client.call("toy", event, refused, forward=("TOY_MODE",), project_variable="TOY_ROOT")


@pytest.mark.parametrize("policy", ["ask", "deny", "allow"])
@pytest.mark.parametrize("event", NAMES)
def test_every_event_of_claude_code(event: str, policy: str) -> None:
    refused = refusal(event, policy, claude_code.encode)
    assert refused.policy == (policy if event in GATES else None)
    assert refused.exit_code == 0
    spoken = event in ("PreToolUse", "SessionStart", "UserPromptSubmit") or (
        event == "PermissionRequest" and policy != "ask"
    )
    assert refused.say.count(WHY) == spoken, "silence is how a permission request is left to the person"
    assert not spoken or WHY in json.dumps(json.loads(refused.say))
    assert len(refused.say) < MAX_VALUE // 4


def exits(event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:  # noqa: ARG001
    """An agent that is refused by exit code and standard error, and can be told nothing else."""
    denied = outcome.decision in (Decision.ASK, Decision.DENY)
    return Answer(2, stderr=outcome.reason.encode()) if denied else Answer(), ()


@pytest.mark.parametrize(
    ("event", "policy", "code"),
    [("PreToolUse", "ask", 2), ("PreToolUse", "deny", 2), ("PreToolUse", "allow", 0), ("Stop", "deny", 0)],
)
def test_an_agent_that_is_refused_by_exit_code(event: str, policy: str, code: int) -> None:
    words = call(Client("hookd-client"), event, refusal(event, policy, exits))
    given = parse(words)
    assert given is not None
    answer = failure(given, "it is gone", sys.executable)
    assert (answer.exit_code, answer.stdout) == (code, b"")
    assert (b"hookd cannot judge this call: it is gone. Run `hookd doctor`" in answer.stderr) == bool(code)


def test_an_agent_that_has_no_words_for_a_refusal_is_refused_by_exit_code() -> None:
    def mute(event: Event, outcome: Outcome) -> tuple[Answer, tuple[str, ...]]:  # noqa: ARG001
        return Answer(), ("deny",) if outcome.decision is not None else ("message",)

    assert refusal("PreToolUse", "deny", mute) == Refusal("deny", "", 2)
    assert refusal("PreToolUse", "allow", mute) == Refusal("allow")
    assert refusal("SessionStart", "deny", mute) == Refusal(None)


def test_the_client_reads_what_is_written() -> None:
    client = Client("/opt/python", ("-I", "-m", "hookd.client"), ("HOME=/h", "HOOKD_HOME=/h/k"))
    words = call(client, "before", Refusal("deny", 'no: "{why}"', 3))
    assert words[:3] == client.arguments
    assert parse(words[3:]) == Arguments(
        agent="toy",
        event="before",
        is_gate=True,
        policy="deny",
        say='no: "{why}"',
        exit_code=3,
        forward="CI,TOY_MODE",
        project_variable="TOY_ROOT",
        folders={"HOME": "/h", "HOOKD_HOME": "/h/k"},
    )
    assert not is_of_older_form(words)


def test_only_a_gate_is_told_to_say_nothing() -> None:
    client = Client("hookd-client")
    assert parse(call(client, "before", Refusal("ask"))).say == ""  # type: ignore[union-attr]
    assert "--say" not in call(client, "after", Refusal(None))
