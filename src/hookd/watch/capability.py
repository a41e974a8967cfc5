"""Watching as a capability: agents send the steps of a session, so that the journal has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookd.capability import Capability

if TYPE_CHECKING:
    from hookd.hooks.api import Context, HookAPI

# Events that cost the agent nothing to send. PermissionRequest is not among them: an unattended
# agent takes a listener's silence for a refusal.
RECORDED = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Notification",
    "PreCompact",
    "PostCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
)


def _register(hookd: HookAPI) -> None:
    for event in RECORDED:
        hookd.on(event, record, name="record")


def record(event: Any, ctx: Context) -> None:
    """Needs no code of its own: an event that reaches a hook is in the journal before it is answered."""


CAPABILITY = Capability(
    name="watch", about="Has agents send the steps of a session, for the record.", register=_register
)
