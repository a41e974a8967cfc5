"""What is carried from one command into another: fetched text that is run, a secret that is sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hookd.gate.model import Case


class Flow(NamedTuple):
    """Something that got from where it came from into a command."""

    kind: str
    command: int
    places: frozenset[str] = frozenset()


def flows(case: Case) -> Iterator[Flow]:
    """The flows of a case, by the command they end in."""
    return iter(())
