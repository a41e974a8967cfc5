"""Every event with every field of every output: what the protocol heeds comes through, the rest does not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hookd.events.types import EVENTS
from hookd.host import Fired, HookEngine
from hookd.host.answers import SPECIFIC, UNIVERSAL

VALUES: dict[str, Any] = {
    "continue": False,
    "stopReason": "s",
    "decision": "block",
    "reason": "r",
    "systemMessage": "m",
    "suppressOutput": True,
    "terminalSequence": "\a",
    "additionalContext": "c",
    "initialUserMessage": "i",
    "permissionDecision": "deny",
    "permissionDecisionReason": "why",
    "updatedInput": {"a": 1},
    "retry": True,
    "updatedToolOutput": {"a": 1},
    "updatedMCPToolOutput": "o",
    "classifierContext": "k",
    "watchPaths": ["/a"],
    "sessionTitle": "t",
    "suppressOriginalPrompt": True,
    "reloadSkills": True,
    "worktreePath": "/w",
    "action": "decline",
    "content": {"a": 1},
    "displayContent": "d",
}
# The halt, the message and the refusal, by the events that heed them.
HALTS = set(
    """UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolBatch SubagentStop Stop
    TeammateIdle PreModelSwitch PostModelSwitch""".split()
)
MESSAGES = HALTS | set(
    """SessionStart PermissionRequest PostToolUseFailure SubagentStart TaskCreated TaskCompleted CwdChanged
    DirectoryAdded FileChanged""".split()
)
BLOCKS = set(
    """UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure PostToolBatch
    SubagentStop TaskCreated Stop ConfigChange PreCompact PreModelSwitch Elicitation
    ElicitationResult""".split()
)
SILENT = {"Setup", "WorktreeCreate"}
# Named in an output's type, and of no effect by the agent's documentation.
OF_NO_EFFECT = {("Setup", "additionalContext"), ("Notification", "additionalContext")}


def answered(event: str, output: dict[str, Any]) -> Fired:
    async def run() -> Fired:
        async with HookEngine(cwd=Path("/"), env={"HOME": "/"}) as engine:

            async def answer(_event: Any) -> dict[str, Any]:
                return output

            engine.on(event, answer, on_failure="allow")
            return await engine.fire(event)

    return asyncio.run(run())


@pytest.mark.parametrize("event", EVENTS)
def test_common_fields(event: str) -> None:
    assert set(UNIVERSAL) <= VALUES.keys()
    halted = answered(event, {"continue": False, "stopReason": "s"}).output
    assert halted == ({"continue": False, "stopReason": "s"} if event in HALTS else {})
    assert answered(event, {"systemMessage": "m"}).output == (
        {"systemMessage": "m"} if event in MESSAGES else {}
    )
    assert answered(event, {"suppressOutput": True}).output == {}
    sequence = {"terminalSequence": "\a"}
    assert answered(event, sequence).output == ({} if event in SILENT else sequence)
    refused = answered(event, {"decision": "block", "reason": "r"})
    assert (refused.decision is not None) is (event in BLOCKS)
    assert refused.reason == ("r" if event in BLOCKS else "")


@pytest.mark.parametrize(
    ("event", "field"), [(event, field) for event in SPECIFIC for field in SPECIFIC[event]]
)
def test_fields_of_their_own(event: str, field: str) -> None:
    value = {"behavior": "allow"} if (event, field) == ("PermissionRequest", "decision") else VALUES[field]
    beside = {"permissionDecision": "deny"} if field == "permissionDecisionReason" else {}
    beside |= {"action": "accept"} if field == "content" else {}
    own = {"hookEventName": event, **beside, field: value}
    fired = answered(event, {"hookSpecificOutput": own})
    wanted = {} if (event, field) in OF_NO_EFFECT else {"hookSpecificOutput": own}
    assert fired.output == wanted


@pytest.mark.parametrize("event", SPECIFIC)
def test_another_events_output_is_none(event: str) -> None:
    other = next(name for name in SPECIFIC if name != event)
    fired = answered(event, {"hookSpecificOutput": {"hookEventName": other}, "systemMessage": "m"})
    assert fired.output == {}
    assert fired.handlers[0].outcome == "error"
