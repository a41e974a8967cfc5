"""One frozen struct per event of the hook protocol.

Every field has a default and open sets are plain strings: an agent that is newer than hookd
must never be an error. What a struct does not know stays in `extra`.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import msgspec

from hookd.events import lenient
from hookd.events.calls import Call
from hookd.events.lazy import lazy, passed_on
from hookd.events.tools import Kind


class Event(
    msgspec.Struct, frozen=True, kw_only=True, dict=True, weakref=True, tag_field="hook_event_name", tag=True
):
    """What every event carries."""

    is_gate: ClassVar[bool] = False
    """Whether a hook stands between the model and a tool here: what fails must not let the call through."""

    session_id: str = ""
    transcript_path: str | None = None
    cwd: str = ""
    prompt_id: str | None = None
    scratchpad_dir: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    permission_mode: str | None = None
    effort: Any = None

    @property
    def name(self) -> str:
        """The event's name on the wire."""
        return type(self).__name__

    @cached_property
    def raw(self) -> bytes:
        """The JSON this event was decoded from, or an encoding of it."""
        return msgspec.json.encode(msgspec.to_builtins(self) | {"hook_event_name": self.name})

    @cached_property
    def wire(self) -> dict[str, Any]:
        """Everything the agent sent, known to hookd or not."""
        try:
            wire: dict[str, Any] = lenient.loads(self.raw)[0]
        except (ValueError, RecursionError):
            # Decoding skips what no struct asks for, so this may be the first to find it nested too deeply.
            names = zip(self.__struct_encode_fields__, self.__struct_fields__, strict=True)
            wire = {encoded: getattr(self, field) for encoded, field in names}
            wire["hook_event_name"] = self.name
        return wire

    @cached_property
    def extra(self) -> Mapping[str, Any]:
        """The fields that this version of hookd has no name for."""
        known = {*self.__struct_encode_fields__, "hook_event_name"}
        return {key: value for key, value in self.wire.items() if key not in known}


class UnknownEvent(Event, frozen=True, kw_only=True, tag=False):
    """An event that is newer than this version of hookd."""

    event_name: str = msgspec.field(default="", name="hook_event_name")

    @property
    def name(self) -> str:
        return self.event_name


class ToolEvent(Event, frozen=True, kw_only=True):
    """What the events around one tool call share.

    `tool_kind` and `agent_tool` are the adapter's: the kind where the table of tools cannot know it, and the
    agent's own name of the tool where that is another one.
    """

    tool_name: str = ""
    tool_input: dict[str, Any] = {}
    tool_use_id: str | None = None
    mcp_server: Any = None
    tool_kind: str = ""
    agent_tool: str = ""

    @lazy
    def call(self) -> Call:
        """The call taken apart."""
        return Call(self.tool_name, self.tool_input, self.tool_kind)

    kind = passed_on[Kind]("call")
    """What the tool does: shell, read, write, edit, delete, search, fetch, mcp, agent or other."""
    command = passed_on[str]("call")
    """The shell command, or an empty string for other tools."""
    path = passed_on[str]("call")
    """The file that the tool works on, or an empty string."""
    paths = passed_on[tuple[str, ...]]("call")
    """All files that it works on."""
    url = passed_on[str]("call")
    """The address that it fetches, or an empty string."""
    text = passed_on[str]("call")
    """What it writes: a file's content, or what an edit puts in."""


class SessionStart(Event, frozen=True, kw_only=True):
    source: str = ""
    model: str | None = None
    session_title: str | None = None
    seconds_since_last_response: float | None = None
    context_tokens: float | None = None
    prompt_cache_likely_expired: bool | None = None
    estimated_cache_write_usd: float | None = None


class Setup(Event, frozen=True, kw_only=True):
    trigger: str = ""


class InstructionsLoaded(Event, frozen=True, kw_only=True):
    file_path: str = ""
    memory_type: str = ""
    load_reason: str = ""
    globs: list[str] | None = None
    trigger_file_path: str | None = None
    parent_file_path: str | None = None


class UserPromptSubmit(Event, frozen=True, kw_only=True):
    prompt: str = ""
    session_title: str | None = None
    source: str | None = None


class UserPromptExpansion(Event, frozen=True, kw_only=True):
    expansion_type: str = ""
    command_name: str = ""
    command_args: str = ""
    command_source: str | None = None
    prompt: str = ""


class MessageDisplay(Event, frozen=True, kw_only=True):
    turn_id: str = ""
    message_id: str = ""
    index: int = 0
    final: bool = False
    delta: str = ""


class PreToolUse(ToolEvent, frozen=True, kw_only=True):
    is_gate = True


class PermissionRequest(ToolEvent, frozen=True, kw_only=True):
    is_gate = True
    permission_suggestions: list[Any] | None = None


class PermissionDenied(ToolEvent, frozen=True, kw_only=True):
    reason: str = ""


class PostToolUse(ToolEvent, frozen=True, kw_only=True):
    tool_response: Any = None
    duration_ms: float | None = None


class PostToolUseFailure(ToolEvent, frozen=True, kw_only=True):
    error: str = ""
    is_interrupt: bool | None = None
    duration_ms: float | None = None


class PostToolBatch(Event, frozen=True, kw_only=True):
    tool_calls: list[dict[str, Any]] = []


class Notification(Event, frozen=True, kw_only=True):
    message: str = ""
    title: str | None = None
    notification_type: str = ""


class SubagentStart(Event, frozen=True, kw_only=True):
    pass


class StopEvent(Event, frozen=True, kw_only=True):
    """What the two events at the end of an agent's work share."""

    stop_hook_active: bool | None = None
    last_assistant_message: str | None = None
    background_tasks: list[Any] | None = None
    session_crons: list[Any] | None = None


class SubagentStop(StopEvent, frozen=True, kw_only=True):
    agent_transcript_path: str | None = None


class TaskEvent(Event, frozen=True, kw_only=True):
    """What the two events of a task list share."""

    task_id: str = ""
    task_subject: str = ""
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None


class TaskCreated(TaskEvent, frozen=True, kw_only=True):
    pass


class TaskCompleted(TaskEvent, frozen=True, kw_only=True):
    pass


class Stop(StopEvent, frozen=True, kw_only=True):
    pass


class StopFailure(Event, frozen=True, kw_only=True):
    error: str = ""
    error_details: str | None = None
    last_assistant_message: str | None = None


class TeammateIdle(Event, frozen=True, kw_only=True):
    teammate_name: str = ""
    team_name: str | None = None


class ConfigChange(Event, frozen=True, kw_only=True):
    source: str = ""
    file_path: str | None = None


class CwdChanged(Event, frozen=True, kw_only=True):
    old_cwd: str = ""
    new_cwd: str = ""


class DirectoryAdded(Event, frozen=True, kw_only=True):
    directory: str = ""
    source: str = ""


class FileChanged(Event, frozen=True, kw_only=True):
    file_path: str = ""
    event: str = ""


class WorktreeCreate(Event, frozen=True, kw_only=True):
    # On the wire this is `name`, which here is already the event's own.
    worktree_name: str = msgspec.field(default="", name="name")


class WorktreeRemove(Event, frozen=True, kw_only=True):
    worktree_path: str = ""


class PreCompact(Event, frozen=True, kw_only=True):
    trigger: str = ""
    custom_instructions: str | None = None


class PostCompact(Event, frozen=True, kw_only=True):
    trigger: str = ""
    compact_summary: str = ""


class ModelSwitch(Event, frozen=True, kw_only=True):
    """What the two events of a model switch share."""

    from_model: str = ""
    to_model: str = ""
    requested_model: str | None = None
    source: str = ""
    context_tokens: float | None = None
    prompt_cache_warm: bool | None = None
    cache_ttl: str | None = None
    estimated_cache_write_usd: float | None = None
    pricing: str | None = None


class PreModelSwitch(ModelSwitch, frozen=True, kw_only=True):
    pass


class PostModelSwitch(ModelSwitch, frozen=True, kw_only=True):
    pass


class Elicitation(Event, frozen=True, kw_only=True):
    mcp_server_name: str = ""
    message: str = ""
    mode: str | None = None
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: dict[str, Any] | None = None


class ElicitationResult(Event, frozen=True, kw_only=True):
    mcp_server_name: str = ""
    action: str = ""
    mode: str | None = None
    elicitation_id: str | None = None
    content: dict[str, Any] | None = None


class SessionEnd(Event, frozen=True, kw_only=True):
    reason: str = ""


EVENTS: dict[str, type[Event]] = {
    name: kind
    for name, kind in tuple(globals().items())
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not UnknownEvent
    if not kind.__subclasses__()
}
"""Every event above by its name: the structs that no other one is built on."""

GATE_EVENTS = frozenset(name for name, kind in EVENTS.items() if kind.is_gate)
"""The events whose failure must not let a tool run unseen."""
