"""The life of a hook as the agent tells it in its JSON stream: started, progress, response."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

from hookd.host.protocol import UNANNOUNCED

Listener = Callable[[dict[str, Any]], None]


class Told(NamedTuple):
    """One handler's run in the stream."""

    listener: Listener
    event: str
    name: str
    session_id: str
    hook_id: str
    background: bool = False

    @classmethod
    def of(cls, listener: Listener, event: str, name: str, session_id: str, background: bool) -> "Told":
        return cls(listener, event, name, session_id, str(uuid4()), background)

    def started(self) -> None:
        if self.event not in UNANNOUNCED:
            self._send("hook_started")

    def progress(self, stdout: str, stderr: str) -> None:
        self._send("hook_progress", stdout=stdout, stderr=stderr, output=stdout + stderr)

    def response(self, stdout: str, stderr: str, exit_code: int | None, outcome: str) -> None:
        if self.event in UNANNOUNCED and not self.background:
            return
        more = {} if exit_code is None else {"exit_code": exit_code}
        self._send(
            "hook_response", output=stdout + stderr, stdout=stdout, stderr=stderr, **more, outcome=outcome
        )

    def _send(self, subtype: str, **fields: Any) -> None:
        self.listener(
            {
                "type": "system",
                "subtype": subtype,
                "hook_id": self.hook_id,
                "hook_name": self.name,
                "hook_event": self.event,
                **fields,
                "uuid": str(uuid4()),
                "session_id": self.session_id,
            }
        )
