"""What of an answer does not count: fields that must not pass, refusals of no effect, too much of a text."""

import os
import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import msgspec

from hookd.events.outcome import Outcome
from hookd.host.classify import SILENCE, Reply
from hookd.host.protocol import channel_of
from hookd.host.session import Session

LONGEST = 10_000
"""As much of a text goes to the model; of a longer one it gets a beginning and the name of a file."""
PREVIEW = 2_000

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


def length(text: str) -> int:
    """How long the agent takes a text to be: it counts what lies beyond the first 65,536 characters twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def within_caps(reply: Reply, session: Session) -> Reply:
    """The reply with every text that is for the model or the person as long as it may be."""
    if reply is SILENCE:
        return reply
    answer = reply.answer
    first = answer.fields.get("initialUserMessage")
    long = [*answer.context, *answer.messages, reply.plain, first if isinstance(first, str) else ""]
    if all(length(text) <= LONGEST for text in long):
        return reply
    fields = answer.fields
    if isinstance(first, str):
        fields = fields | {"initialUserMessage": capped(first, session, "initialUserMessage")}
    return msgspec.structs.replace(
        reply,
        plain=capped(reply.plain, session, "stdout"),
        answer=msgspec.structs.replace(
            answer,
            context=tuple(capped(text, session, "additionalContext") for text in answer.context),
            messages=tuple(capped(text, session, "systemMessage") for text in answer.messages),
            fields=fields,
        ),
    )


def capped(text: str, session: Session, what: str) -> str:
    """The text, or if it is too long the agent's notice of where all of it is."""
    if length(text) <= LONGEST:
        return text
    try:
        folder = session.folder / "tool-results"
        file = folder / f"hook-{uuid4()}-{what}.txt"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text, encoding="utf-8", errors="replace")
        place = f"Full output saved to: {file}"
    except OSError as error:
        place = f"The rest is lost: it cannot be written to a file ({error.strerror})"
    preview = text.encode("utf-16-le", "surrogatepass")[: 2 * PREVIEW].decode("utf-16-le", "ignore")
    if (end := preview.rfind("\n")) > PREVIEW / 2:
        preview = preview[:end]
    size = f"{length(text) / 1024:.1f}KB"
    return (
        f"<persisted-output>\nOutput too large ({size}). {place}\n\n"
        f"Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
