"""A model that has read a placeholder must not put it where the secret was."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from hookd.events.calls import Call
from hookd.events.outcome import Outcome, block
from hookd.events.types import PreToolUse
from hookd.redact.redactor import Redactor

_MARKER = re.compile(r"\[REDACTED:[a-z0-9-]{1,64}\]")
# A file that is larger is no configuration, and this is read while the agent waits.
MAX_BYTES = 1 << 20


def about_placeholders(event: PreToolUse, cwd: Path, redactor: Redactor) -> Outcome | None:
    """Blocks a write that would put a placeholder over the very secret it stands for."""
    markers = {marker for text, replaced in _new_texts(event.call) for marker in _added(text, replaced)}
    if not markers:
        return None
    present = _content(cwd, event.path)
    # Only a file that holds such a secret now has one to lose.
    lost = sorted(markers & set(_MARKER.findall(redactor.text(present))) - set(_MARKER.findall(present)))
    if not lost:
        return None
    return block(
        f"{', '.join(lost)} is hookd's placeholder for a secret, and {event.path} holds the real value: "
        "writing this would destroy it. Leave that line as it is and edit around it."
    )


def _new_texts(call: Call) -> Iterator[tuple[str, str]]:
    """Each text the call would write, and the text it would take the place of."""
    yield call.content, ""
    yield from ((edit.new, edit.old) for edit in call.edits)


def _added(text: str, replaced: str) -> set[str]:
    if "[REDACTED:" not in text:
        return set()
    return set(_MARKER.findall(text)) - set(_MARKER.findall(replaced))


def _content(cwd: Path, name: str) -> str:
    """What is in an ordinary file of sensible size; a pipe or a device would never end."""
    try:
        path = cwd / name
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
            return ""
        return path.read_text("utf-8", "replace")
    except (OSError, ValueError):  # not there, or a name that cannot be one
        return ""
