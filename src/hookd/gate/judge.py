"""A call through every layer: what each says, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

from hookd.gate import context, guard, registration
from hookd.gate.files import tool_layer
from hookd.gate.fold import fold
from hookd.gate.inner import inner
from hookd.gate.library import NamedRule
from hookd.gate.matching import Matcher
from hookd.gate.model import Case, Judged, Layer, Opinion

REMEMBERED = 512
_LONGEST = 4_096


class Judge:
    """The rules in force and the layers that look at a call, cheapest first.

    What the layers here say of a command is remembered as long as they did not have to look at the disk
    for it: the same command comes again, and comes as `PermissionRequest` after `PreToolUse`. `more` layers
    are asked every time.
    """

    def __init__(
        self,
        rules: Iterable[NamedRule],
        *,
        auto_allow: Literal["off", "read-only", "project"] = "off",
        more: Sequence[Layer] = (),
        remember: int = REMEMBERED,
    ) -> None:
        matcher = Matcher((named.name, named.rule) for named in rules)
        self._layers: list[Layer] = [
            matcher.opinions,
            tool_layer(matcher),
            inner(matcher.opinions),
            registration.opinions,
            guard.opinions,
            context.opinions,
        ]
        if auto_allow != "off":
            from hookd.gate.safe import safe_layer  # few people want it

            self._layers.append(safe_layer(auto_allow))
        self._more = tuple(more)
        self._most = remember
        self._known: dict[object, tuple[Opinion, ...]] = {}

    def judge(self, case: Case) -> Judged:
        """The verdict on a call."""
        key = case.key if self._most and case.is_shell and len(case.command) < _LONGEST else None
        said = self._known.get(key) if key is not None else None
        if said is None:
            said = tuple(chain.from_iterable(layer(case) for layer in self._layers))
            if key is not None and not case.looked_at_disk:
                while len(self._known) >= self._most:
                    del self._known[next(iter(self._known))]
                self._known[key] = said
        return fold(chain(said, *(layer(case) for layer in self._more)))
