"""Any endpoint with OpenAI's chat completions, local models too: JSON by schema where the endpoint can."""

from typing import Any

from hookd import config
from hookd.errors import ModelError
from hookd.llm.http import checked, post
from hookd.llm.keys import KeySource
from hookd.llm.provider import Asked, Completion, usage_of

ADDRESS = "https://api.openai.com/v1"
# How endpoints say that they do not know a field.
_NOT_UNDERSTOOD = (400, 422)


class OpenAI:
    """Asks one model of a chat endpoint."""

    def __init__(self, settings: config.Model) -> None:
        self.name = settings.model
        self._url = f"{(settings.base_url or ADDRESS).rstrip('/')}/chat/completions"
        self._keys = KeySource(settings)
        self._is_own = not settings.base_url
        self._plain = False
        """Whether the endpoint only understands what all of them do."""

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """What the model said."""
        key = await (self._keys.needed_key() if self._is_own else self._keys.key())
        headers = {"authorization": f"Bearer {key}"} if key else {}
        response = await post(self._url, headers, self._body(prompt, self._plain), timeout=timeout)
        if response.status in _NOT_UNDERSTOOD and not self._plain:
            response = await post(self._url, headers, self._body(prompt, True), timeout=timeout)
            self._plain = response.status == 200
        if response.status in (401, 403):
            self._keys.refused()
        found = checked(self._url, response, key)
        usage = usage_of(found.get("usage"), ("prompt_tokens",), ("completion_tokens",))
        return Completion(_said(found), usage)

    def _body(self, prompt: Asked, plain: bool) -> dict[str, Any]:
        body = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
        }
        if plain:
            return body | {"max_tokens": prompt.max_tokens}
        schema = {"name": prompt.form.name, "strict": True, "schema": prompt.form.schema}
        by_schema = {"type": "json_schema", "json_schema": schema}
        return body | {"max_completion_tokens": prompt.max_tokens, "response_format": by_schema}


def _said(found: dict[str, Any]) -> str:
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError("the endpoint's answer holds not exactly one message")
    if choice.get("finish_reason") in ("length", "content_filter") or message.get("refusal"):
        raise ModelError(f"the model stopped before it had answered ({choice.get('finish_reason')})")
    content = message.get("content")
    if not isinstance(content, str):
        raise ModelError("the model said nothing")
    return content
