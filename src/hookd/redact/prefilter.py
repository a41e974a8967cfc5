"""Which kinds are worth a look: sets of patterns that each read a text once."""

from collections.abc import Iterable
from typing import Any

_MEMORY = 64 << 20


class Prefilter:
    """Triggers and the numbers they stand for.

    One automaton for all would have a state for every combination of what its parts are in the middle of, and
    random text would visit them all. So those that combine badly are in sets of their own.
    """

    def __init__(self, triggers: Iterable[tuple[int, str]]) -> None:
        groups: dict[str, list[tuple[int, str]]] = {}
        for number, trigger in triggers:
            groups.setdefault(_group(trigger), []).append((number, trigger))
        self._sets = [(_compiled(group), [number for number, _ in group]) for group in groups.values()]

    def numbers(self, data: bytes) -> set[int]:
        """What stands for the triggers that are in the data."""
        return {numbers[hit] for matcher, numbers in self._sets for hit in matcher.Match(data) or ()}


def _group(trigger: str) -> str:
    if len(trigger) > 2000:
        return "names"
    if trigger.startswith("(?i)"):
        return "folded"
    first = trigger.removeprefix(r"\b")[:2]
    return "literal" if first.isalnum() or "[" not in trigger else "shapes"


def _compiled(triggers: list[tuple[int, str]]) -> Any:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = _MEMORY
    matcher = re2.Set.SearchSet(options)
    for _, trigger in triggers:
        matcher.Add(trigger.encode("latin-1"))
    matcher.Compile()
    return matcher
