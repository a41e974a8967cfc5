"""Sessions that are told something at their start."""

import copy
import json
import re
from typing import Any

from hookd.daemon.service import Service
from hookd.wire import Request
from played import Played
from worlds import make_git_folder

_SOURCE = re.compile(r"^- .+ \[(\S+) (\S+), \d+ \w+(?:, \w+)?\]$")


class Told(Played):
    """A project whose sessions ask what there is to know."""

    def beside(self, name: str) -> "Told":
        """Another project of the same person, with the same store."""
        other = copy.copy(self)
        other.root = self.base / name
        make_git_folder(other.root)
        other.service = Service(str(other.root), self.env)
        return other

    def begin(self, session: str, source: str = "startup") -> str:
        """What a session that begins is told, or nothing."""
        self.session = session
        self.service.recorder.ingest()  # with time: the one at the beginning is cut short on a slow machine
        body = {"session_id": session, "cwd": str(self.root), "hook_event_name": "SessionStart"}
        request = Request("claude-code", "SessionStart", json.dumps(body | {"source": source}).encode())
        answer = self._loop.run(self.service.answer(request))
        if not answer.stdout:
            return ""
        told: dict[str, Any] = json.loads(answer.stdout)
        return str(told["hookSpecificOutput"]["additionalContext"])

    def sources(self, told: str) -> dict[str, str]:
        """Each line's id and kind; a line without a source is an error."""
        found = {}
        for line in told.splitlines()[1:-1]:
            source = _SOURCE.match(line)
            assert source is not None, line
            found[source[1]] = source[2]
        return found
