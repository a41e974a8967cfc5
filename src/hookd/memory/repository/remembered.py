"""An observation as the store has it."""

from typing import NamedTuple

import msgspec

from hookd.memory.observations import Provenance


class Name(NamedTuple):
    """By what an observation is known in all projects: an import may be in two of them."""

    id: str
    place: int


class Remembered(msgspec.Struct, frozen=True):
    """One observation; its fields are the columns that `{columns}` names in the statements, in that order."""

    seq: int
    """The order of writing, and its number in the indexes of this database; others know it by its id."""
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
    superseded_by: str | None
    """The id of the one that stands for it, in the same place."""
    repeatable: int
    detail: str

    @property
    def name(self) -> Name:
        return Name(self.id, self.place)

    # What some statements know beside.
    project: str = ""
    """The project's key."""
    root: str = ""
