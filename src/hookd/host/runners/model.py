"""`prompt` and `agent` handlers: a language model is asked, and what it is asked about is redacted first."""

from pathlib import Path

import msgspec

from hookd import config
from hookd.agents.claude_handlers import AgentTask, Prompt
from hookd.errors import ModelError
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended
from hookd.host.protocol import STOPS
from hookd.llm.check import Check, Result, read_result
from hookd.llm.provider import Provider
from hookd.llm.providers import provider_for
from hookd.redact.redactor import Redactor


class ModelRunner:
    """Asks the configured model, or the one a handler names at the same provider."""

    def __init__(self, settings: config.Model | None) -> None:
        self._settings = settings or config.Model()
        self._redactor = Redactor()
        self._providers: dict[str, Provider] = {}

    async def run(self, call: HandlerCall) -> Ended:
        """The model's yes or no; no answer is a failure that stops nothing."""
        handler = call.registered.handler
        assert isinstance(handler, Prompt | AgentTask)
        try:
            provider = self._provider(handler.model)
            check = Check(handler.prompt, call.payload, self._redactor, stopping=call.event in STOPS)
            if isinstance(handler, AgentTask):
                result = await self._look(provider, check, call)
            else:
                completion = await provider.complete(check, timeout=call.seconds)
                result = read_result(completion.text)
        except ModelError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return Ended(stderr=f"{error}{hint}", failed=f"{error}{hint}")
        return Ended(ok=result.ok, reason=result.reason, impossible=result.impossible, stdout=result.reason)

    def _provider(self, model: str | None) -> Provider:
        name = model or self._settings.model
        if name not in self._providers:
            self._providers[name] = provider_for(msgspec.structs.replace(self._settings, model=name))
        return self._providers[name]

    async def _look(self, provider: Provider, check: Check, call: HandlerCall) -> Result:
        from hookd.llm.file_tools import look

        transcript = call.payload.get("transcript_path")
        extra = (Path(transcript),) if isinstance(transcript, str) and transcript else ()
        return await look(provider, check, call.project, self._redactor, timeout=call.seconds, extra=extra)
