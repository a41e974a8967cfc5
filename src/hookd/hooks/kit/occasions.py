"""What a handler is given outside of any event: why it is called."""

from typing import Literal

import msgspec

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 7 * 24 * 3600.0
MOST_PER_FILE = 20
"""How many timers and watched files one hook file may have."""


class Tick(msgspec.Struct, frozen=True, tag=True):
    """So many seconds have passed since the handler was called last, or was loaded."""

    seconds: float


class FileChange(msgspec.Struct, frozen=True, tag=True):
    """A file or folder that a handler watches is another than before."""

    path: str
    """The whole path."""
    change: Literal["created", "changed", "deleted"]


Occasion = Tick | FileChange
