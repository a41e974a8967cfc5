"""What a model's answers cost."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hookd.llm.provider import Asked, Usage

_VERSION = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
# What a provider adds to a question by itself: the description of the answer, and its own instructions.
_ADDED_TOKENS = 1000


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        return (usage.input * self.input + usage.output * self.output) / 1_000_000

    def at_most(self, prompt: Asked) -> float:
        """More than any answer to this costs: no token is shorter than a byte."""
        asked = len(prompt.system.encode()) + len(prompt.user.encode()) + _ADDED_TOKENS
        return self.of(Usage(asked, prompt.max_tokens))


def price_of(model: str) -> Price | None:
    """The model's price, if it is known."""
    return _table().get(_VERSION.sub("", model))


@cache
def _table() -> dict[str, Price]:
    known = tomllib.loads((Path(__file__).with_name("prices.toml")).read_text("utf-8"))
    return {name: Price(*figures) for name, figures in known["models"].items()}
