"""Claude Code's hook configuration executed: settings, matchers, conditions, runners, one answer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookd.errors import ToolBlockedError, ToolFailedError
    from hookd.host.engine import HookEngine
    from hookd.host.fired import Fired, HandlerRun
    from hookd.host.lifecycle_events import Lifecycle, Turn, Work, lifecycle
    from hookd.host.tool_calls import ToolCall, ToolOutput
    from hookd.host.tool_wrappers import wrap_tool, wrap_tools

_HOMES = {
    "Fired": "hookd.host.fired",
    "HandlerRun": "hookd.host.fired",
    "HookEngine": "hookd.host.engine",
    "Lifecycle": "hookd.host.lifecycle_events",
    "ToolBlockedError": "hookd.errors",
    "ToolCall": "hookd.host.tool_calls",
    "ToolFailedError": "hookd.errors",
    "ToolOutput": "hookd.host.tool_calls",
    "Turn": "hookd.host.lifecycle_events",
    "Work": "hookd.host.lifecycle_events",
    "lifecycle": "hookd.host.lifecycle_events",
    "wrap_tool": "hookd.host.tool_wrappers",
    "wrap_tools": "hookd.host.tool_wrappers",
}
__all__ = [
    "Fired",
    "HandlerRun",
    "HookEngine",
    "Lifecycle",
    "ToolBlockedError",
    "ToolCall",
    "ToolFailedError",
    "ToolOutput",
    "Turn",
    "Work",
    "lifecycle",
    "wrap_tool",
    "wrap_tools",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'hookd.host' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
