"""What of an answer does not count: fields that must not pass, refusals of no effect."""

import os
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from hookd.events.outcome import Outcome
from hookd.host.protocol import channel_of

# What may be written to a host's terminal: a bell, or a title or a notice; nothing that moves or asks.
_SEQUENCE = re.compile(r"(?:\x07|\x1b\](?:0|1|2|9|99|777)(?:;[^\x00-\x1f\x7f-\x9f]*)?(?:\x07|\x1b\\))+")


def checked(event: str, answer: Outcome, source: str) -> Outcome:
    """One handler's answer under its name, without fields that must not reach the host."""
    fields = answer.fields
    said: tuple[str, ...] = ()
    sequence = fields.get("terminalSequence")
    if sequence is not None and not (isinstance(sequence, str) and _SEQUENCE.fullmatch(sequence)):
        said = (f"{source}: its terminalSequence is ignored; only a bell and OSC 0, 1, 2, 9, 99, 777 pass",)
        fields = {name: value for name, value in fields.items() if name != "terminalSequence"}
    if channel_of(event).decision == "decline" and "content" in fields and "action" not in fields:
        said = (*said, f"{source}: its content is ignored, since there is no action beside it")
        fields = {name: value for name, value in fields.items() if name != "content"}
    return msgspec.structs.replace(answer, source=source, fields=fields, conflicts=(*answer.conflicts, *said))


def cannot_be_stopped(event: str, payload: Mapping[str, Any]) -> bool:
    """Whether this very event goes on whatever a hook says, although others of its kind can be stopped."""
    if event == "ConfigChange":
        return payload.get("source") == "policy_settings"
    folder = payload.get("worktree_path")
    return event == "WorktreeRemove" and isinstance(folder, str) and not os.path.lexists(folder)


def is_of_another_shape(payload: Mapping[str, Any], details: Any) -> bool:
    """Whether the agent would ignore this in the place of what Bash gave."""
    response = payload.get("tool_response")
    if payload.get("tool_name") != "Bash" or not isinstance(response, dict):
        return False
    needed = response.keys() & {"stdout", "stderr", "interrupted"}
    return bool(needed) and not (isinstance(details, dict) and needed <= details.keys())
