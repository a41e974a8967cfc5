"""Which sessions are under way, so that a daemon knows when its work is done."""

import time
from collections import deque
from typing import TYPE_CHECKING

from hookd.events.stable import turn_after
from hookd.events.types import Event, PreToolUse, SessionEnd, SessionStart, ToolEvent, UserPromptSubmit

if TYPE_CHECKING:
    from hookd.daemon.report import SessionStatus

MOST_CALLS = 500
# After these the agent goes on at once with another session.
_GOES_ON = frozenset({"clear", "resume"})


class ActiveSession:
    """One session as this process has seen it."""

    __slots__ = ("_calls", "agent", "events", "id", "last", "path", "started", "turn")

    def __init__(self, session_id: str, agent: str, turn: int) -> None:
        self.id = session_id
        self.agent = agent
        self.started = self.last = time.time()
        self.path: str | None = None
        self.turn = turn
        self.events = 0
        self._calls: dict[str, None] = {}

    def began(self, event: Event) -> bool:
        """Whether this process has put the beginning of the event's call on record."""
        if not isinstance(event, ToolEvent) or not event.tool_use_id:
            return False
        if isinstance(event, PreToolUse):
            self._calls[event.tool_use_id] = None
            if len(self._calls) > MOST_CALLS:  # calls that were denied never end
                del self._calls[next(iter(self._calls))]
            return True
        return event.tool_use_id in self._calls

    def report(self) -> "SessionStatus":
        return {
            "id": self.id,
            "agent": self.agent,
            "started": self.started,
            "last": self.last,
            "turn": self.turn,
            "events": self.events,
        }


class SessionTable:
    """The sessions of one project."""

    def __init__(self) -> None:
        self._sessions: dict[str, ActiveSession] = {}
        self._ended: deque[str] = deque(maxlen=100)
        self._last_path: str | None = None
        self._left_path: str | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def touch(self, event: Event, agent: str, known_turn: int = 0) -> ActiveSession:
        """The event's session, counted as alive from now on."""
        session = self._sessions.get(event.session_id)
        if session is None:
            session = ActiveSession(event.session_id, agent, known_turn)
            if event.session_id and not self._is_straggler(event):
                self._sessions[event.session_id] = session
        session.last = time.time()
        session.events += 1
        session.path = event.transcript_path or session.path
        return session

    def _is_straggler(self, event: Event) -> bool:
        """Whether this came late from a session that has ended; only a person's doing brings one back."""
        return event.session_id in self._ended and not isinstance(event, SessionStart | UserPromptSubmit)

    def settle(self, event: Event, session: ActiveSession) -> bool:
        """Moves the session on after its event; True when that was the last session's end."""
        session.turn = turn_after(event, session.turn)
        self._last_path = session.path or self._last_path
        if isinstance(event, SessionStart):
            self._left_path = None
        if not isinstance(event, SessionEnd):
            return False
        self._left_path = session.path if event.reason in _GOES_ON else None
        self._sessions.pop(event.session_id, None)
        self._ended.append(event.session_id)
        return not self._sessions and event.reason not in _GOES_ON

    @property
    def previous_path(self) -> str | None:
        """The transcript before the one that begins: what was left for it, else what was seen last."""
        return self._left_path or self._last_path

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def report(self) -> "list[SessionStatus]":
        return [session.report() for session in self._sessions.values()]
