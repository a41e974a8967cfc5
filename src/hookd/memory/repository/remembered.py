"""An observation as the store has it."""

import msgspec

from hookd.memory.observations import Provenance


class Remembered(msgspec.Struct, frozen=True):
    """One observation; its fields are the columns that `{columns}` names in the statements, in that order."""

    seq: int
    """The order of writing, and its number in the index."""
    id: str
    place: int
    """The number that stands for its project."""
    at: float
    kind: str
    provenance: Provenance
    text: str
    tool: str
    path: str
    """The file that it is most about."""
    session: str
    task: str
    prompt: str
    event: str
    tool_use: str
    importance: float
    likeness: int
    superseded_by: int | None
    repeatable: int
    detail: str

    # What some statements know beside.
    project: str = ""
    """The project's key."""
    root: str = ""
    newer: str | None = None
    """The id of the one that has superseded it."""
