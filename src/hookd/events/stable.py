"""A small set of events that stays the same whatever the agent: what most hooks should subscribe to."""

from typing import Any, ClassVar

import msgspec

from hookd.events.tools import Kind
from hookd.events.types import (
    Event,
    PostToolBatch,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionStart,
    Stop,
    StopFailure,
    SubagentStart,
    SubagentStop,
    ToolEvent,
    UserPromptSubmit,
)


class StableEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What every stable event carries; `origin` is the protocol's own event behind it."""

    is_gate: ClassVar[bool] = False
    origin: Event

    @property
    def session_id(self) -> str:
        return self.origin.session_id

    @property
    def cwd(self) -> str:
        return self.origin.cwd

    @property
    def agent_id(self) -> str | None:
        """The subagent this happened in, or None for the main agent."""
        return self.origin.agent_id


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

    @property
    def tool_name(self) -> str:
        return self.origin.tool_name

    @property
    def tool_input(self) -> dict[str, Any]:
        return self.origin.tool_input

    @property
    def tool_use_id(self) -> str | None:
        return self.origin.tool_use_id

    @property
    def agent_tool(self) -> str:
        return self.origin.agent_tool

    @property
    def kind(self) -> Kind:
        return self.origin.kind

    @property
    def command(self) -> str:
        return self.origin.command

    @property
    def path(self) -> str:
        return self.origin.path

    @property
    def paths(self) -> tuple[str, ...]:
        return self.origin.paths

    @property
    def url(self) -> str:
        return self.origin.url

    @property
    def text(self) -> str:
        return self.origin.text


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
        case SessionStart() if event.source in _SESSION_REASONS:
            reason = _SESSION_REASONS[event.source]
            path = event.transcript_path
            return {"session": Session(origin=event, reason=reason, path=path, previous_path=previous_path)}
        case UserPromptSubmit():
            return {
                "agent_start": AgentStart(origin=event, prompt=event.prompt),
                "turn_start": TurnStart(origin=event, turn_index=turn),
            }
        case SubagentStart():
            return {"agent_start": AgentStart(origin=event)}
        case PreToolUse():
            return {"tool_call": ToolCall(origin=event)}
        case PostToolUse():
            return {
                "tool_result": ToolResult(
                    origin=event, content=content_of(event.tool_response), details=event.tool_response
                )
            }
        case PostToolUseFailure():
            return {"tool_result": ToolResult(origin=event, content=event.error, is_error=True)}
        case PostToolBatch() if event.agent_id is None:
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "turn_start": TurnStart(origin=event, turn_index=turn + 1),
            }
        case Stop():
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "agent_end": AgentEnd(origin=event, last_message=event.last_assistant_message),
            }
        case StopFailure():
            return {
                "turn_end": TurnEnd(origin=event, turn_index=turn),
                "agent_end": AgentEnd(origin=event, error=event.error),
            }
        case SubagentStop():
            return {"agent_end": AgentEnd(origin=event, last_message=event.last_assistant_message)}
    return {}


def turn_after(event: Event, turn: int) -> int:
    """The session's turn index once `event` is over."""
    ends_turn = isinstance(event, PostToolBatch | Stop | StopFailure) and event.agent_id is None
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
