"""A call through every layer: what each says, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from hookd.gate import context
from hookd.gate.files import tool_layer
from hookd.gate.fold import fold
from hookd.gate.inner import inner
from hookd.gate.matching import Matcher
from hookd.gate.model import Case, Judged, Layer
from hookd.gate.rules import Rule


class Judge:
    """The rules in force and the layers that look at a call, cheapest first."""

    def __init__(self, rules: Iterable[tuple[str, Rule]], more: Sequence[Layer] = ()) -> None:
        self.matcher = Matcher(rules)
        static: tuple[Layer, ...] = (self.matcher.opinions, tool_layer(self.matcher))
        self._layers: tuple[Layer, ...] = (*static, inner((self.matcher.opinions,)), *more, context.opinions)

    def judge(self, case: Case) -> Judged:
        """The verdict on a call."""
        return fold(chain.from_iterable(layer(case) for layer in self._layers))
