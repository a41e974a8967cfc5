"""What a provider of answers is, what goes to it and comes back, and what that costs."""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hookd.errors import ModelError

_VERSION = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
# What a provider adds to a question by itself: the description of the answer, and its own instructions.
_ADDED_TOKENS = 1000


class NotServedError(ModelError):
    """Nobody has worked on the question, so it has cost nothing."""


class Usage(NamedTuple):
    """What the provider says it will charge for, in tokens."""

    input: int
    output: int


class Completion(NamedTuple):
    """What the model said, as text, and what it took; nothing if the provider does not tell."""

    text: str
    usage: Usage | None = None


class Form(NamedTuple):
    """The form an answer must have: a name for it, what it is, and its JSON schema."""

    name: str
    about: str
    schema: dict[str, Any]

    @classmethod
    def of(cls, name: str, about: str, *, optional: str = "", **properties: dict[str, Any]) -> "Form":
        """An object with these properties and no others."""
        required = [each for each in properties if each != optional]
        fields = {"properties": properties, "required": required}
        return cls(name, about, {"type": "object", **fields, "additionalProperties": False})


class Asked(Protocol):
    """A question in the shape that providers send; its maker has redacted what is in it."""

    system: str
    user: str
    max_tokens: int
    form: Form


class Tool(NamedTuple):
    """Something that a model may call: its name, what it does, and its input's JSON schema."""

    name: str
    about: str
    schema: dict[str, Any]


class ToolUse(NamedTuple):
    """A model's call of a tool."""

    id: str
    name: str
    input: Any


class Conversation(Protocol):
    """A model that calls tools, turn by turn; each provider keeps it in its own wire form."""

    async def turn(self, *, timeout: float) -> list[ToolUse]:
        """The tools that the model wants to use now; raises ModelError if it says nothing usable."""

    def answer(self, results: list[tuple[ToolUse, str]]) -> None:
        """What the tools gave, for the next turn."""

    def insist(self, text: str) -> None:
        """What the model is told that used no tool."""


class Provider(Protocol):
    """Somebody who answers prompts."""

    name: str
    """Who that is, as people and caches know it."""

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """The model's answer; raises ModelError if there is none. Whoever calls keeps the time, too."""

    def converse(self, system: str, user: str, tools: list[Tool]) -> Conversation:
        """A conversation in which the model may use tools; nothing is sent before its first turn."""


def usage_of(figures: object, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Usage | None:
    """The usage in a response, if all that is there of it are counts."""
    if not isinstance(figures, dict):
        return None
    counts = [figures.get(name) or 0 for name in (*inputs, *outputs)]
    if any(type(count) is not int or count < 0 for count in counts) or not sum(counts):
        return None
    return Usage(sum(counts[: len(inputs)]), sum(counts[len(inputs) :]))


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
    import tomllib  # few people have a model

    known = tomllib.loads((Path(__file__).with_name("prices.toml")).read_text("utf-8"))
    return {name: Price(*figures) for name, figures in known["models"].items()}
