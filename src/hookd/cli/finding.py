"""What `hookd doctor` finds."""

from collections.abc import Callable
from typing import NamedTuple


class Finding(NamedTuple):
    """The result of one check; `fix` mends it and says what it did."""

    name: str
    ok: bool
    what: str
    advice: str = ""
    fix: Callable[[], str] | None = None
