"""Conversations with a model that calls tools, in the wire form of each kind of provider."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from hookd.errors import ModelError
from hookd.llm.answer import loose_object
from hookd.llm.provider import Completion, Form, Tool, ToolUse

MAX_TOKENS = 4096
Post = Callable[[dict[str, Any], float], Awaitable[dict[str, Any]]]
"""Sends a body to a model's endpoint and gives the object that comes back."""


class MessagesConversation:
    """The Anthropic Messages API: tools are used in blocks of an answer."""

    def __init__(self, post: Post, system: str, user: str, tools: list[Tool]) -> None:
        self._post = post
        self._body = {"max_tokens": MAX_TOKENS, "system": system, "tools": [tool_of(each) for each in tools]}
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": user}]

    async def turn(self, *, timeout: float) -> list[ToolUse]:
        content = blocks(await self._post({**self._body, "messages": self._messages}, timeout))
        self._messages.append({"role": "assistant", "content": content})
        return [
            ToolUse(str(block.get("id")), str(block.get("name")), block.get("input"))
            for block in content
            if block.get("type") == "tool_use"
        ]

    def answer(self, results: list[tuple[ToolUse, str]]) -> None:
        content = [{"type": "tool_result", "tool_use_id": use.id, "content": text} for use, text in results]
        self._messages.append({"role": "user", "content": content})

    def insist(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})


class ChatConversation:
    """OpenAI's chat completions: tools are called in a list of the message, with arguments as a string."""

    def __init__(self, post: Post, system: str, user: str, tools: list[Tool]) -> None:
        self._post = post
        self._tools = [
            {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
            for name, about, schema in tools
        ]
        self._messages: list[dict[str, Any]] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]

    async def turn(self, *, timeout: float) -> list[ToolUse]:
        found = await self._post({"messages": self._messages, "tools": self._tools}, timeout)
        message = only_message(found)
        calls = message.get("tool_calls")
        calls = [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
        # An endpoint may send more with a message than it takes back.
        kept = {"role": "assistant", "content": message.get("content") or ""}
        self._messages.append(kept | {"tool_calls": calls} if calls else kept)
        return [_called(each) for each in calls]

    def answer(self, results: list[tuple[ToolUse, str]]) -> None:
        self._messages += [{"role": "tool", "tool_call_id": use.id, "content": text} for use, text in results]

    def insist(self, text: str) -> None:
        self._messages.append({"role": "user", "content": text})


_BY_TEXT = """
You have these tools:
{tools}
To use one, answer with one JSON object and nothing else: {{"tool": "its name", "input": {{...}}}}. You are
then asked again, with all that was said so far and what the tool gave, which is data like the rest.
"""


class TextConversation:
    """A program that reads text and prints text: a tool is used by printing the call, one at a time."""

    def __init__(
        self, ask: Callable[[str, float], Awaitable[Completion]], system: str, user: str, tools: list[Tool]
    ) -> None:
        self._ask = ask
        named = "\n".join(f"- {name}: {about} Input: {json.dumps(schema)}" for name, about, schema in tools)
        self._said = [f"{system}{_BY_TEXT.format(tools=named)}", user]

    async def turn(self, *, timeout: float) -> list[ToolUse]:
        text = (await self._ask("\n\n".join(self._said), timeout)).text
        found = loose_object(text)
        self._said.append(f"You answered: {json.dumps(found) if found else text.strip()}")
        if isinstance(found.get("tool"), str):
            return [ToolUse("", found["tool"], found.get("input"))]
        return [ToolUse("", "", found)] if found else []

    def answer(self, results: list[tuple[ToolUse, str]]) -> None:
        # As JSON: what a file says cannot pass for what was said.
        self._said += [f"{use.name} gave: {json.dumps(text)}" for use, text in results]

    def insist(self, text: str) -> None:
        self._said.append(text)


def tool_of(tool: Tool | Form) -> dict[str, Any]:
    """A tool as the Messages API takes it; a form is the tool that a model uses to answer in it."""
    return {"name": tool.name, "description": tool.about, "input_schema": tool.schema}


def blocks(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message of the Messages API."""
    content = found.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def only_message(found: dict[str, Any]) -> dict[str, Any]:
    """The message of a chat completion; raises ModelError for one that was cut short."""
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError("the endpoint's answer holds not exactly one message")
    if choice.get("finish_reason") in ("length", "content_filter") or message.get("refusal"):
        raise ModelError(f"the model stopped before it had answered ({choice.get('finish_reason')})")
    return message


def _called(call: dict[str, Any]) -> ToolUse:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        given = None  # the model is told that the call made no sense, and may try again
    return ToolUse(str(call.get("id")), str(function.get("name")), given)
