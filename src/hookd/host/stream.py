"""The life of a hook as the agent tells it in its JSON stream: started, progress, response."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

from hookd.host.classify import Ended, Reply
from hookd.host.protocol import UNANNOUNCED

ASKED = frozenset({"prompt", "agent"})
"""Of these the agent's stream says that they have started, and no more."""
Listener = Callable[[dict[str, Any]], None]


def careful(listener: Listener, note: Callable[[str], None]) -> Listener:
    """A listener whose own trouble is only noted: no handler suffers from who looks on."""

    def told(line: dict[str, Any]) -> None:
        try:
            listener(line)
        except Exception as error:  # noqa: BLE001 - the embedder's function may raise anything
            note(f"on_event raised {type(error).__name__} at {line['subtype']}: {error}")

    return told


class Told(NamedTuple):
    """One handler's run in the stream."""

    listener: Listener
    event: str
    name: str
    session_id: str
    hook_id: str
    kind: str
    background: bool
    status: str = ""
    """What the settings want a person to read while the handler runs."""

    def started(self) -> None:
        if self.event not in UNANNOUNCED:
            self._send("hook_started", **({"status_message": self.status} if self.status else {}))

    def progress(self, stdout: str, stderr: str) -> None:
        self._send("hook_progress", stdout=stdout, stderr=stderr, output=stdout + stderr)

    def response(self, ended: Ended, reply: Reply) -> None:
        if (self.event in UNANNOUNCED and not self.background) or self.kind in ASKED or ended.detached:
            return
        stdout, stderr = ended.stdout, ended.stderr
        code = ended.exit_code if ended.status is None else ended.status
        if reply.misnamed:
            stdout, stderr, code = "", f"Failed to run: {reply.problem}", 1
        elif reply.unreadable:
            spoken = stderr.strip() if code else ""
            stderr = reply.problem + (f"\n\nHook exited {code} with stderr:\n{spoken}" if spoken else "")
        more = {} if code is None else {"exit_code": code}
        self._send(
            "hook_response",
            output=stdout + stderr,
            stdout=stdout,
            stderr=stderr,
            **more,
            outcome=reply.status,
        )

    def detached(self, ended: Ended) -> None:
        """A handler that had gone to the background has ended; nothing that it says counts any more."""
        self.response(ended, Reply(status="error" if ended.exit_code else "success"))

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
