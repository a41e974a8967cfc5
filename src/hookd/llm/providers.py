"""Which provider the configuration asks for; only that one is imported."""

from hookd import config
from hookd.errors import ModelError
from hookd.llm.provider import Provider


def provider_for(settings: config.Model) -> Provider:
    """The configured provider; raises ModelError if a key it needs is not set."""
    if settings.provider in ("anthropic", "openai") and not settings.model:
        raise ModelError(f"no model is named for {settings.provider}", hint="set model.model in the config")
    match settings.provider:
        case "anthropic":
            from hookd.llm.endpoints import Anthropic

            return Anthropic(settings)
        case "openai":
            from hookd.llm.endpoints import OpenAI

            return OpenAI(settings)
        case "command":
            from hookd.llm.programs import CommandProvider

            return CommandProvider(settings)
    raise ModelError("no model is configured", hint="set model.provider in the config")
