"""An answered event as it is kept: everything, and no secret in any field."""

import json
from typing import Any

import msgspec
import pytest

from hookd.config import Context
from hookd.daemon.entry import entry_of
from hookd.daemon.sessions import Session
from hookd.events import codec
from hookd.events.outcome import Outcome, fold
from hookd.hooks.api import Subscription
from hookd.hooks.arbiter import Arbiter
from hookd.hooks.dispatch import Dispatched
from hookd.hooks.invoke import HookRun
from hookd.journal.entries import Entry, encode
from hookd.redact.redactor import Redactor
from hookd.wire import Request
from secrets_made_up import GITHUB_TOKEN


def entry(wire: dict[str, Any], *outcomes: Outcome) -> Entry:
    payload = json.dumps({"hook_event_name": "PreToolUse", "session_id": "s1"} | wire).encode()
    event, _ = codec.decode(payload)
    request = Request("claude-code", event.name, payload, nonce="n1")
    runs = [HookRun(Subscription(hook="rules.x", event=event.name), 1.0, list(outcomes))]
    session = Session(event.session_id, "claude-code", 0)
    dispatched = Dispatched(fold(outcomes), runs, Arbiter().admit(event, runs, Context()))
    return entry_of(request, event, session, dispatched, Redactor(), spent=1.0, via="socket")


@pytest.mark.parametrize(
    "wire",
    [
        {"tool_name": GITHUB_TOKEN},
        {"tool_name": "Bash", "tool_use_id": GITHUB_TOKEN},
        {"session_id": GITHUB_TOKEN},
        {"agent_id": GITHUB_TOKEN},
        {"hook_event_name": "SessionEnd", "reason": GITHUB_TOKEN},
        {"hook_event_name": "Notification", "notification_type": GITHUB_TOKEN, "message": GITHUB_TOKEN},
        {"hook_event_name": "SomethingNew", "deep": [{"er": {GITHUB_TOKEN: 1}}]},
    ],
)
def test_no_field_keeps_a_secret(wire: dict[str, Any]) -> None:
    assert GITHUB_TOKEN[:12].encode() not in encode(entry(wire))


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(context=(GITHUB_TOKEN,)),
        Outcome(context=(f"see {GITHUB_TOKEN}",), once=GITHUB_TOKEN),
        Outcome(context=(f"held {GITHUB_TOKEN} " * 300,)),
        Outcome(messages=(f"look: {GITHUB_TOKEN}",)),
        Outcome(halt=GITHUB_TOKEN),
        Outcome(updated_input={"command": f"curl {GITHUB_TOKEN}"}),
    ],
)
def test_what_hooks_say_is_kept_without_secrets(outcome: Outcome) -> None:
    kept = entry({"tool_name": "Bash"}, outcome)
    [told] = kept.told
    assert told.by == "rules.x" and "[REDACTED:" in told.text
    assert GITHUB_TOKEN[:12].encode() not in encode(kept)


def test_a_rewrite_of_a_secret_file_is_left_out_like_the_write_itself() -> None:
    rewritten = Outcome(updated_input={"file_path": ".env", "content": "colour=blue"})
    [told] = entry({"tool_name": "Write", "tool_input": {"file_path": ".env"}}, rewritten).told
    assert msgspec.json.decode(told.text) == {"file_path": ".env", "content": "[REDACTED:file]"}
