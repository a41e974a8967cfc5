"""Models behind an address: the Anthropic Messages API, and any endpoint with OpenAI's chat completions."""

import json
from typing import Any

from hookd import config
from hookd.errors import ModelError
from hookd.llm.conversations import (
    MAX_TOKENS,
    ChatConversation,
    MessagesConversation,
    blocks,
    only_message,
    tool_of,
)
from hookd.llm.http import Response, checked, post
from hookd.llm.keys import KeySource
from hookd.llm.provider import Asked, Completion, Tool, usage_of

VERSION = "2023-06-01"
# How endpoints say that they do not know a field.
_NOT_UNDERSTOOD = (400, 422)


class _Endpoint:
    """An address, a model's name and a key."""

    address: str
    path: str

    def __init__(self, settings: config.Model) -> None:
        self.name = settings.model
        self._url = f"{(settings.base_url or self.address).rstrip('/')}{self.path}"
        self._keys = KeySource(settings)
        self._is_own = not settings.base_url

    def _checked(self, response: Response, key: str) -> dict[str, Any]:
        if response.status in (401, 403):
            self._keys.refused()
        return checked(self._url, response, key)


class Anthropic(_Endpoint):
    """Asks one model of the Messages API: the answer is the input of a tool that it has to use."""

    address = "https://api.anthropic.com"
    path = "/v1/messages"

    def converse(self, system: str, user: str, tools: list[Tool]) -> MessagesConversation:
        return MessagesConversation(self._post, system, user, tools)

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """The tool's input as the model wrote it, or what it said instead."""
        body = {
            "max_tokens": prompt.max_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
            "tools": [tool_of(prompt.form)],
            "tool_choice": {"type": "tool", "name": prompt.form.name, "disable_parallel_tool_use": True},
        }
        found = await self._post(body, timeout)
        usage = usage_of(
            found.get("usage"),
            ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            ("output_tokens",),
        )
        return Completion(_tool_input(found, prompt.form.name), usage)

    async def _post(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        key = await self._keys.needed_key()
        headers = {"x-api-key": key, "anthropic-version": VERSION}
        response = await post(self._url, headers, {"model": self.name, **body}, timeout=timeout)
        return self._checked(response, key)


def _tool_input(found: dict[str, Any], tool: str) -> str:
    if found.get("stop_reason") in ("max_tokens", "refusal"):
        raise ModelError(f"the model stopped before it had answered ({found['stop_reason']})")
    said = blocks(found)
    used = [block for block in said if block.get("type") == "tool_use"]
    if not used:
        return "".join(str(block.get("text", "")) for block in said if block.get("type") == "text")
    if len(used) > 1 or used[0].get("name") != tool:
        raise ModelError("the model used another tool than the one for its verdict, or several")
    return json.dumps(used[0].get("input"))


class OpenAI(_Endpoint):
    """Asks one model of a chat endpoint, a local one too: JSON by schema where the endpoint can."""

    address = "https://api.openai.com/v1"
    path = "/chat/completions"
    _plain = False
    """Whether the endpoint only understands what all of them do."""

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:
        """What the model said."""
        found = await self._post(self._body(prompt, False), self._body(prompt, True), timeout)
        usage = usage_of(found.get("usage"), ("prompt_tokens",), ("completion_tokens",))
        return Completion(_message(found), usage)

    def converse(self, system: str, user: str, tools: list[Tool]) -> ChatConversation:
        async def turn(body: dict[str, Any], timeout: float) -> dict[str, Any]:
            plain = body | {"max_tokens": MAX_TOKENS}
            return await self._post(body | {"max_completion_tokens": MAX_TOKENS}, plain, timeout)

        return ChatConversation(turn, system, user, tools)

    async def _post(self, body: dict[str, Any], plain: dict[str, Any], timeout: float) -> dict[str, Any]:
        """What comes back for a body, or for the plain one where the endpoint does not understand it."""
        key = await (self._keys.needed_key() if self._is_own else self._keys.key())
        headers = {"authorization": f"Bearer {key}"} if key else {}
        named = {"model": self.name}
        response = await post(self._url, headers, named | (plain if self._plain else body), timeout=timeout)
        if response.status in _NOT_UNDERSTOOD and not self._plain:
            response = await post(self._url, headers, named | plain, timeout=timeout)
            self._plain = response.status == 200
        return self._checked(response, key)

    def _body(self, prompt: Asked, plain: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
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


def _message(found: dict[str, Any]) -> str:
    content = only_message(found).get("content")
    if not isinstance(content, str):
        raise ModelError("the model said nothing")
    return content
