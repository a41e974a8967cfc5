"""Messages of hooks, people and scripts for the agent's next turn, on disk until they are handed over.

One file per project, there only while something waits. A message belongs to a session, or to any. It is
handed over with one event; if that event is answered a second time, because the daemon died over it, it has
the same messages.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hookd.events.types import Event
from hookd.hooks.kit.outbox import MOST_WAITING, Sent, split
from hookd.private_files import alone_in, write_private

if TYPE_CHECKING:
    from hookd.store.engine import Store

KEEP_DAYS = 7
"""A session that does not come back within this time gets nothing any more."""

AGAIN_SECONDS = 60.0
"""How long after an event was answered its client may come with it again."""

ANY_SESSION = ""
"""Messages for whichever session of the project comes to a turn first: what comes from outside an event."""

# Where the model reads next what a hook adds, in the main agent's own conversation.
DELIVERS = frozenset(
    {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PostToolBatch"}
)


class _Messages(msgspec.Struct, frozen=True):
    at: float
    messages: list[Sent]
    event: str = ""
    """The one that they were handed over with, if they were."""


class _Box(msgspec.Struct, frozen=True):
    waiting: dict[str, _Messages] = {}
    delivered: dict[str, _Messages] = {}


class ProjectOutbox:
    """The messages that wait in one project; looking whether there are any costs one `stat`."""

    def __init__(self, data: Path, key: str, clock: Callable[[], float] = time.time) -> None:
        self._folder = data / "outbox"
        self._path = self._folder / f"{key[:16]}.msgpack"
        self._name = str(self._path)
        self._clock = clock

    @staticmethod
    def delivers(event: Event) -> bool:
        """Whether what is told with this event is in front of the main agent's model at its next turn."""
        return event.name in DELIVERS and event.agent_id is None and bool(event.session_id)

    def put(self, session: str, messages: Iterable[Sent]) -> int:
        """Queues messages for a session, or for any; returns how many of the oldest had to go for it."""
        with alone_in(self._folder):
            box = self._read()
            waiting = [*(box.waiting[session].messages if session in box.waiting else []), *messages]
            kept = waiting[-MOST_WAITING:]
            self._write(box.waiting | {session: _Messages(self._clock(), kept)}, box.delivered)
        return len(waiting) - len(kept)

    def take(self, session: str, event: str) -> list[Sent]:
        """What is due for this session; the same again for an event that is answered again."""
        if not os.path.exists(self._name):
            return []
        with alone_in(self._folder):
            box = self._read()
            before = box.delivered.get(session)
            if before is not None and event and before.event == event:
                return before.messages
            still = dict(box.waiting)
            theirs = [name for name in (session, ANY_SESSION) if name in still]
            due, _ = split([message for name in theirs for message in still[name].messages])
            left = len(due)
            for name in theirs:
                waiting = still.pop(name)
                rest, left = waiting.messages[left:], max(left - len(waiting.messages), 0)
                if rest:
                    still[name] = _Messages(waiting.at, rest)
            delivered = {name: entry for name, entry in box.delivered.items() if name != session}
            if due and event:
                delivered[session] = _Messages(self._clock(), due, event)
            # What waits for another session costs this one's events no write.
            if due or delivered != box.delivered or not (still or delivered):
                self._write(still, delivered)
        return due

    def drop_old(self, store: "Store") -> None:
        """Drops what has waited for too long, as far as the record bears that out; no event waits for it."""
        if not os.path.exists(self._name):
            return
        from hookd.journal.age import too_old

        with store.reading() as db:
            before = too_old(db, KEEP_DAYS, self._clock())
        if before is None:
            return
        with alone_in(self._folder):
            box = self._read()
            waiting = {name: entry for name, entry in box.waiting.items() if entry.at >= before}
            if len(waiting) < len(box.waiting):
                self._write(waiting, box.delivered)

    def forget(self) -> None:
        """Drops all that waits."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> _Box:
        try:
            box = msgspec.msgpack.decode(self._path.read_bytes(), type=_Box)
        except (FileNotFoundError, msgspec.DecodeError):
            return _Box()
        again = self._clock() - AGAIN_SECONDS
        return _Box(box.waiting, {name: entry for name, entry in box.delivered.items() if entry.at > again})

    def _write(self, waiting: dict[str, _Messages], delivered: dict[str, _Messages]) -> None:
        if not waiting and not delivered:
            self.forget()
            return
        write_private(self._path, msgspec.msgpack.encode(_Box(waiting, delivered)))
