"""An answered event as it is kept: everything, and no secret in any field."""

import json
from typing import Any

import msgspec
import pytest

from hookd.config import Context
from hookd.daemon.journal_entry import entry_of
from hookd.daemon.sessions import ActiveSession
from hookd.events import codec
from hookd.events.outcome import (
    Fact,
    Outcome,
    allow,
    ask,
    block,
    context,
    defer,
    fold,
    halt,
    notify,
    replace,
    respond,
    rewrite,
)
from hookd.hooks.api import Subscription
from hookd.hooks.context_budget import Arbiter
from hookd.hooks.dispatch import Dispatched
from hookd.hooks.invoke import HookRun
from hookd.journal.entries import Entry, HookCall, encode
from hookd.redact.redactor import Redactor
from hookd.wire import Request
from secrets_made_up import GITHUB_TOKEN


def entry(wire: dict[str, Any], *outcomes: Outcome) -> Entry:
    payload = json.dumps({"hook_event_name": "PreToolUse", "session_id": "s1"} | wire).encode()
    event, _ = codec.decode(payload)
    request = Request("claude-code", event.name, payload, nonce="n1")
    runs = [HookRun(Subscription(hook="rules.x", event=event.name), 1.0, list(outcomes))]
    session = ActiveSession(event.session_id, "claude-code", 0)
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


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [
        ([], ""),
        ([Outcome()], ""),
        ([Outcome(facts=(Fact(kind="verdict"),))], ""),
        ([allow()], "allow"),
        ([ask("sure?")], "ask"),
        ([defer()], "defer"),
        ([block("no")], "deny"),
        ([context("note")], "context"),
        ([notify("look")], "message"),
        ([rewrite({"command": "ls"})], "rewrite"),
        ([replace("cut")], "replace"),
        ([halt("enough")], "halt"),
        ([respond(sessionTitle="x")], "fields"),
        ([notify("look"), context("note")], "context"),
        ([context("note"), ask("sure?"), block("no")], "deny"),
    ],
)
def test_what_a_hook_answered_is_kept_in_a_word(outcomes: list[Outcome], word: str) -> None:
    kept = entry({"tool_name": "Bash"}, *outcomes)
    assert kept.hook_calls == (HookCall("rules.x", 1000, word),)


def test_how_a_hook_failed_is_kept_in_a_word_and_what_it_answered_is_not() -> None:
    event, _ = codec.decode(b'{"hook_event_name": "Stop"}')
    about = Subscription(hook="rules.x", event="Stop")
    runs = [
        HookRun(about, 0.0004, fault="raised ValueError"),
        HookRun(about, 5000.25, [context("note")], fault="did not finish", stuck=True),
        HookRun(about, 0, fault="is quarantined", quarantined=True),
    ]
    request = Request("claude-code", "Stop", b"", nonce="n1")
    session = ActiveSession("s1", "claude-code", 0)
    kept = entry_of(request, event, session, Dispatched(Outcome(), runs), Redactor(), spent=1.0, via="socket")
    assert [(call.microseconds, call.outcome) for call in kept.hook_calls] == [
        (0, "failed"),
        (5_000_250, "stopped"),
        (0, "quarantined"),
    ]
