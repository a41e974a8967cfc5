"""A small set of events that stays the same whatever the agent: what most hooks should subscribe to."""

from typing import Any, ClassVar

import msgspec

from hookd.events import types
from hookd.events.lazy import passed_on
from hookd.events.tools import Kind
from hookd.events.types import Event, ToolEvent


class StableEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What every stable event carries; `origin` is the protocol's own event behind it."""

    is_gate: ClassVar[bool] = False
    origin: Event

    session_id = passed_on[str]("origin")
    cwd = passed_on[str]("origin")
    agent_id = passed_on[str | None]("origin")
    """The subagent this happened in, or None for the main agent."""


class Session(StableEvent, frozen=True, kw_only=True):
    """A session began (`start`), was resumed or forked (`switch`), or was emptied (`clear`)."""

    reason: str
    path: str | None
    previous_path: str | None = None


class AgentStart(StableEvent, frozen=True, kw_only=True):
    """The agent, or a subagent, begins to work on a prompt."""

    prompt: str = ""


class AgentEnd(StableEvent, frozen=True, kw_only=True):
    """The agent, or a subagent, is done."""

    last_message: str | None = None
    error: str | None = None


class TurnStart(StableEvent, frozen=True, kw_only=True):
    """The model is about to be asked; `turn_index` counts from 0 in each session."""

    turn_index: int


class TurnEnd(StableEvent, frozen=True, kw_only=True):
    """The model has answered and its tools have run."""

    turn_index: int


class _Tool(StableEvent, frozen=True, kw_only=True):
    origin: ToolEvent

    tool_name = passed_on[str]("origin")
    tool_input = passed_on[dict[str, Any]]("origin")
    tool_use_id = passed_on[str | None]("origin")
    agent_tool = passed_on[str]("origin")
    kind = passed_on[Kind]("origin")
    command = passed_on[str]("origin")
    path = passed_on[str]("origin")
    paths = passed_on[tuple[str, ...]]("origin")
    url = passed_on[str]("origin")
    text = passed_on[str]("origin")


class ToolCall(_Tool, frozen=True, kw_only=True):
    """A tool is about to run: return `block(reason)` to stop it."""

    is_gate = True


class ToolResult(_Tool, frozen=True, kw_only=True):
    """A tool has run: return `replace(...)` to change what the model sees of it."""

    content: str
    """The result as text: what a person would read of it, or all of it as JSON; empty if there is none."""
    details: Any = None
    is_error: bool = False


STABLE_EVENTS: dict[str, type[StableEvent]] = {
    "session": Session,
    "agent_start": AgentStart,
    "agent_end": AgentEnd,
    "turn_start": TurnStart,
    "turn_end": TurnEnd,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
}

# Which of the protocol's events a stable one sits on: an installer must register these.
ORIGINS: dict[str, frozenset[str]] = {
    "session": frozenset({"SessionStart"}),
    "agent_start": frozenset({"UserPromptSubmit", "SubagentStart"}),
    "agent_end": frozenset({"Stop", "StopFailure", "SubagentStop"}),
    "turn_start": frozenset({"UserPromptSubmit", "PostToolBatch"}),
    "turn_end": frozenset({"PostToolBatch", "Stop", "StopFailure"}),
    "tool_call": frozenset({"PreToolUse"}),
    "tool_result": frozenset({"PostToolUse", "PostToolUseFailure"}),
}

_SESSION_REASONS = {"startup": "start", "resume": "switch", "fork": "switch", "clear": "clear"}


def stable_events(event: Event, *, turn: int = 0, previous_path: str | None = None) -> dict[str, StableEvent]:
    """The stable events that `event` amounts to, by name and in order.

    `turn` is the index of the session's current turn before this event.
    """
    match event:
        case types.SessionStart() if event.source in _SESSION_REASONS:
            reason = _SESSION_REASONS[event.source]
            path = event.transcript_path
            return {"session": Session(origin=event, reason=reason, path=path, previous_path=previous_path)}
        case types.UserPromptSubmit():
            return {
                "agent_start": AgentStart(origin=event, prompt=event.prompt),
                "turn_start": TurnStart(origin=event, turn_index=turn),
            }
        case types.SubagentStart():
            return {"agent_start": AgentStart(origin=event)}
        case types.PreToolUse():
            return {"tool_call": ToolCall(origin=event)}
        case types.PostToolUse():
            return {
                "tool_result": ToolResult(
                    origin=event, content=content_of(event.tool_response), details=event.tool_response
                )
            }
        case types.PostToolUseFailure():
            return {"tool_result": ToolResult(origin=event, content=event.error, is_error=True)}
        case types.PostToolBatch() if event.agent_id is None:
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "turn_start": TurnStart(origin=event, turn_index=turn + 1),
            }
        case types.Stop():
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "agent_end": AgentEnd(origin=event, last_message=event.last_assistant_message),
            }
        case types.StopFailure():
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "agent_end": AgentEnd(origin=event, error=event.error),
            }
        case types.SubagentStop():
            return {"agent_end": AgentEnd(origin=event, last_message=event.last_assistant_message)}
    return {}


def turn_after(event: Event, turn: int) -> int:
    """The session's turn index once `event` is over."""
    ends_turn = (
        isinstance(event, types.PostToolBatch | types.Stop | types.StopFailure) and event.agent_id is None
    )
    return turn + 1 if ends_turn else turn


def content_of(response: Any) -> str:
    """A tool's output as a hook reads it: its text, or JSON where there would be none of it."""
    blocks = response.get("content") if isinstance(response, dict) else response
    if isinstance(blocks, list) and not all(_is_block(item) for item in blocks):
        return _json(response)
    text = _text_of(response)
    return _json(response) if text is None and response not in (None, {}) else text or ""


def _is_block(item: Any) -> bool:
    """Whether this is a text, or one of the blocks that a message consists of, such as an image."""
    return isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("type"), str))


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # half a character
        import json

        return json.dumps(value)


def text_of(response: Any) -> str:
    """The part of a tool's structured output that a person would read."""
    return _text_of(response) or ""


def _text_of(response: Any) -> str | None:
    """The same; None for an output of no form that is known to have such a part."""
    match response:
        case str():
            return response
        case {"stdout": str(stdout)}:
            stderr = response.get("stderr")
            return f"{stdout}\n{stderr}" if isinstance(stderr, str) and stderr else stdout
        case {"content": str(content)} | {"result": str(content)}:
            return content
        case {"content": list(blocks)} | list(blocks):
            texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
            return "\n".join(text for text in texts if isinstance(text, str))
        case {"file": {"content": str(content)}} | {"type": "text", "text": str(content)}:
            return content
    return None
