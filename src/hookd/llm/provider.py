"""What a provider of answers is, and what goes to it and comes back."""

from typing import Any, NamedTuple, Protocol

from hookd.errors import ModelError


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


class Asked(Protocol):
    """A question in the shape that providers send; its maker has redacted what is in it."""

    @property
    def system(self) -> str: ...
    @property
    def user(self) -> str: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def form(self) -> Form: ...


class Provider(Protocol):
    """Somebody who answers prompts."""

    name: str
    """Who that is, as people and caches know it."""

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """The model's answer; raises ModelError if there is none. Whoever calls keeps the time, too."""


def usage_of(figures: object, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Usage | None:
    """The usage in a response, if all that is there of it are counts."""
    if not isinstance(figures, dict):
        return None
    counts = [figures.get(name) or 0 for name in (*inputs, *outputs)]
    if any(type(count) is not int or count < 0 for count in counts) or not sum(counts):
        return None
    return Usage(sum(counts[: len(inputs)]), sum(counts[len(inputs) :]))
