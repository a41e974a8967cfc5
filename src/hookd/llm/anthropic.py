"""The Anthropic Messages API: the answer is the input of a tool that the model has to use."""

import json
from typing import Any

from hookd import config
from hookd.errors import ModelError
from hookd.llm.http import checked, post
from hookd.llm.keys import KeySource
from hookd.llm.provider import Asked, Completion, Form, usage_of

ADDRESS = "https://api.anthropic.com"
VERSION = "2023-06-01"


class Anthropic:
    """Asks one model of the Messages API."""

    def __init__(self, settings: config.Model) -> None:
        self.name = settings.model
        self._url = f"{(settings.base_url or ADDRESS).rstrip('/')}/v1/messages"
        self._keys = KeySource(settings)

    async def turn(
        self, system: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]], *, timeout: float
    ) -> list[dict[str, Any]]:
        """One turn of a conversation with tools: the blocks the model answered with."""
        body = {"max_tokens": 4096, "system": system, "messages": messages, "tools": tools}
        return _blocks(await self._post(body, timeout))

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
        return Completion(_said(found, prompt.form.name), usage)

    async def _post(self, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        key = await self._keys.needed_key()
        headers = {"x-api-key": key, "anthropic-version": VERSION}
        response = await post(self._url, headers, {"model": self.name, **body}, timeout=timeout)
        if response.status in (401, 403):
            self._keys.refused()
        return checked(self._url, response, key)


def tool_of(form: Form) -> dict[str, Any]:
    """The tool that a model uses to answer in a form."""
    return {"name": form.name, "description": form.about, "input_schema": form.schema}


def _blocks(found: dict[str, Any]) -> list[dict[str, Any]]:
    content = found.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _said(found: dict[str, Any], tool: str) -> str:
    if found.get("stop_reason") in ("max_tokens", "refusal"):
        raise ModelError(f"the model stopped before it had answered ({found['stop_reason']})")
    blocks = _blocks(found)
    used = [block for block in blocks if block.get("type") == "tool_use"]
    if not used:
        return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    if len(used) > 1 or used[0].get("name") != tool:
        raise ModelError("the model used another tool than the one for its verdict, or several")
    return json.dumps(used[0].get("input"))
