"""What a provider of answers is, and which one the configuration asks for."""

from typing import Any, NamedTuple, Protocol

from hookd import config
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
    """A question in the shape that providers send; whoever makes one has redacted what is in it."""

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


def provider_for(settings: config.Model) -> Provider:
    """The configured provider; raises ModelError if a key it needs is not set."""
    if settings.provider in ("anthropic", "openai") and not settings.model:
        raise ModelError(f"no model is named for {settings.provider}", hint="set model.model in the config")
    match settings.provider:
        case "anthropic":
            from hookd.llm.anthropic import Anthropic

            return Anthropic(settings)
        case "openai":
            from hookd.llm.openai import OpenAI

            return OpenAI(settings)
        case "command":
            from hookd.llm.command import Command

            return Command(settings)
    raise ModelError("no model is configured", hint="set model.provider in the config")


def usage_of(figures: object, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Usage | None:
    """The usage in a response, if all that is there of it are counts."""
    if not isinstance(figures, dict):
        return None
    counts = [figures.get(name) or 0 for name in (*inputs, *outputs)]
    if any(type(count) is not int or count < 0 for count in counts) or not sum(counts):
        return None
    return Usage(sum(counts[: len(inputs)]), sum(counts[len(inputs) :]))
