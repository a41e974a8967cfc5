"""Which of many items a command is walked for, where a loop, xargs or parallel runs it for each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from hookd.patterns import late
from hookd.shell.programs import is_known

MANY = 12
"""So many are walked whatever they are."""
MOST = 256
"""More than this are not walked; the rest is said to be unread."""
TOO_MANY = "there are too many items to follow"
_PLAIN = late(r"(?:\w[\w.+@=,-]*/)*\w[\w.+@=,-]*")
_TELLING = late(r"id_|\.(?:key|pem)|cred|secret|token|passw|shadow", re.IGNORECASE)

Item = TypeVar("Item")


def followed(
    items: Sequence[Item], text: Callable[[Item], str], left_out: Callable[[str], None]
) -> list[Item]:
    """The first ones, and every later one that is more than a name inside the folder at hand.

    A plain name further on is one of the same kind as those walked.
    """
    if len(items) <= MANY:
        return list(items)
    found = [*items[:MANY], *(item for item in items[MANY:] if not _is_plain(text(item)))]
    if len(found) > MOST:
        left_out(TOO_MANY)
    return found[:MOST]


def _is_plain(text: str) -> bool:
    """Whether a text is names inside the folder at hand, and not a command."""
    parts = text.split()
    if len(parts) > 1 and is_known(parts[0]):
        return False
    return all(_PLAIN.fullmatch(part) for part in parts) and _TELLING.search(text) is None
