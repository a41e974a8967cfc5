"""Hooks without hookd: one-line shell commands that answer, and a recorder that only listens."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Handler = dict[str, Any]
Group = dict[str, Any]


def on(matcher: str, *handlers: Handler) -> Group:
    """Handlers for the tools (or sources, or agent types) a matcher names; `*` for all."""
    return {"matcher": matcher, "hooks": list(handlers)}


def shell(line: str, **options: Any) -> Handler:
    """A handler in shell form; the payload is read to its end first, as every well-behaved hook does."""
    return {"type": "command", "command": f"cat > /dev/null; {line}", **options}


def execute(command: str, *args: str, **options: Any) -> Handler:
    """A handler in exec form: no shell in between."""
    return {"type": "command", "command": command, "args": list(args), **options}


def answer(output: dict[str, Any], **options: Any) -> Handler:
    """A handler that prints one JSON answer."""
    return shell(f"echo {shlex.quote(json.dumps(output))}", **options)


def specific(event: str, **fields: Any) -> Handler:
    """A handler that answers with `hookSpecificOutput`."""
    return answer({"hookSpecificOutput": {"hookEventName": event, **fields}})


def write_settings(project: Path, hooks: dict[str, list[Group]]) -> None:
    """Register hooks in a project the way a person would."""
    file = project / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


@dataclass(frozen=True)
class Record:
    """One call of the recording hook."""

    payload: dict[str, Any]
    env: dict[str, str]
    cwd: str
    pid: int
    group: int
    session: int

    @property
    def event(self) -> str:
        return str(self.payload["hook_event_name"])

    @property
    def label(self) -> str:
        """The event and, where it has one, its tool or source: `PreToolUse Bash`, `SessionStart resume`."""
        detail = self.payload.get("tool_name") or self.payload.get("source")
        return f"{self.event} {detail}" if detail else self.event


class Recorder:
    """Listens to events beside whatever else is registered."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        # Isolated and without site-packages, to start quickly. The timeout is for SessionEnd: without one of
        # their own its hooks share a second and a half, and on a busy machine a record would be lost.
        script = str(Path(__file__).with_name("record_event.py"))
        self.handler = execute(sys.executable, "-IS", script, str(folder), timeout=30)

    def hooks(self, events: Sequence[str]) -> dict[str, list[Group]]:
        """The settings that record these events."""
        return {event: [on("*", self.handler)] for event in events}

    def first(self, handler: Handler) -> Handler:
        """The same handler, once something is on record: whoever answers a dialog first ends the others."""
        wait = f"until ls {shlex.quote(str(self._folder))}/*.json > /dev/null 2>&1; do sleep 0.02; done"
        return {**handler, "command": f"{wait}; {handler['command']}"}

    def records(self, event: str | None = None) -> list[Record]:
        """What was recorded so far, in order of time; of one event, or of all."""
        files = sorted(self._folder.glob("*.json"))
        records = [Record(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
        return [record for record in records if event in (None, record.event)]
