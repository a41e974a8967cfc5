"""Something that was noticed in a call; a rule says what follows from it."""

from __future__ import annotations

from typing import NamedTuple


class Notice(NamedTuple):
    """What was noticed, where, and what a person is to be shown of it."""

    kind: str
    shown: str
    """The plain form, for the reason that the person reads."""
    command: int | None = None
    """Which command of the line; None: the call as a whole."""


NOTICES = frozenset(
    "hidden-characters look-alike-word look-alike-host encoded-host posing-user odd-address "
    "turned-source token-sent environment-in-code variable-in-code secret-attached unread-post "
    "new-remote".split()
)
"""Every kind a rule may name."""
