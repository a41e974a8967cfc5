"""The context layer: what the surroundings of a command say about it."""

from __future__ import annotations

from collections.abc import Iterator

from hookd.gate.model import Case, Opinion


def opinions(case: Case) -> Iterator[Opinion]:
    """What is odd about a command apart from any rule."""
    return iter(())
