"""Messages that hooks have for the agent's next turn."""

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from hookd.errors import UsageError
from hookd.paths import as_text
from hookd.printable import spelled_out

Path = str | os.PathLike[str]

MOST_TEXT = 10_000
"""The longest message, and the most that is handed over at once, in characters."""
MOST_WAITING = 50
MOST_FILES = 20


class Sent(msgspec.Struct, frozen=True):
    """One message and the hook that sent it."""

    text: str
    hook: str = ""


class Outbox:
    """What waits for the next turn: in order, each message taken once.

    Whoever runs hooks inside an agent gives their kits one, and puts what `take` has into the next request.
    """

    def __init__(self) -> None:
        self._waiting: list[Sent] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, text: Any, hook: str = "", *, attach: Sequence[Path] = (), folder: str = "") -> None:
        """Queues a message, with files by their paths; what is none, or too much, is the hook's mistake."""
        if not isinstance(text, str):
            raise UsageError(f"{hook}: send takes text, not {type(text).__name__}")
        if not text.strip():
            raise UsageError(f"{hook}: send needs a text that says something")
        if attach:
            text = _with_files(text, attach, folder, hook)
        if len(text) > MOST_TEXT:
            raise UsageError(f"{hook}: send takes up to {MOST_TEXT:,} characters, not {len(text):,}")
        if len(self._waiting) >= MOST_WAITING:
            raise UsageError(f"{hook}: {MOST_WAITING} messages wait for the agent already; no more are taken")
        self._waiting.append(Sent(as_text(text), hook))

    def take(self) -> list[Sent]:
        """The messages that are due now; what does not fit beside them is due the next time."""
        due, self._waiting = split(self._waiting)
        return due


def _with_files(text: str, paths: Sequence[Path], folder: str, hook: str) -> str:
    """The text and where its files lie: the agent reads them with its own tools, in front of its own gate."""
    if isinstance(paths, str | bytes | os.PathLike) or len(paths) > MOST_FILES:
        raise UsageError(f"{hook}: send takes a list of up to {MOST_FILES} paths as attachments")
    lines = []
    for path in paths:
        whole = os.path.realpath(os.path.join(folder, os.path.expanduser(path)))
        if not os.path.exists(whole):
            raise UsageError(f"{hook}: {spelled_out(as_text(whole))} is to be attached and is not there")
        lines.append(f"- {spelled_out(as_text(whole))}")
    return "\n".join([text.rstrip(), "", "Attached, to be read when needed:", *lines])


def split(waiting: list[Sent]) -> tuple[list[Sent], list[Sent]]:
    """As many messages as fit into one turn, and the rest."""
    room = MOST_TEXT
    for count, message in enumerate(waiting):
        room -= len(message.text)
        if room < 0:
            return waiting[:count], waiting[count:]
    return waiting, []
