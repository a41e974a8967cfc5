"""A call through every layer: what each says, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

from hookd.gate import context
from hookd.gate.files import tool_layer
from hookd.gate.fold import fold
from hookd.gate.inner import inner
from hookd.gate.library import NamedRule
from hookd.gate.matching import Matcher
from hookd.gate.model import Case, Judged, Layer


class Judge:
    """The rules in force and the layers that look at a call, cheapest first."""

    def __init__(
        self,
        rules: Iterable[NamedRule],
        *,
        auto_allow: Literal["off", "read-only", "project"] = "off",
        more: Sequence[Layer] = (),
    ) -> None:
        matcher = Matcher((named.name, named.rule) for named in rules)
        self._layers: list[Layer] = [
            matcher.opinions,
            tool_layer(matcher),
            inner(matcher.opinions),
            *more,
            context.opinions,
        ]
        if auto_allow != "off":
            from hookd.gate.safe import safe_layer  # few people want it

            self._layers.append(safe_layer(auto_allow))

    def judge(self, case: Case) -> Judged:
        """The verdict on a call."""
        return fold(chain.from_iterable(layer(case) for layer in self._layers))
