"""Claude Code's hook configuration executed: settings, matchers, conditions, runners, one answer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookd.errors import ToolBlockedError, ToolFailedError
    from hookd.host.engine import HookEngine
    from hookd.host.fired import Fired, HandlerRun
    from hookd.host.lifecycle_events import Lifecycle, Turn, Work, lifecycle
    from hookd.host.tool_calls import ToolCall, ToolOutput
    from hookd.host.tool_wrappers import wrap_tool, wrap_tools

_NAMES = {
    "hookd.errors": ("ToolBlockedError", "ToolFailedError"),
    "hookd.host.engine": ("HookEngine",),
    "hookd.host.fired": ("Fired", "HandlerRun"),
    "hookd.host.lifecycle_events": ("Lifecycle", "Turn", "Work", "lifecycle"),
    "hookd.host.tool_calls": ("ToolCall", "ToolOutput"),
    "hookd.host.tool_wrappers": ("wrap_tool", "wrap_tools"),
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

    return getattr(import_module(next(home for home, names in _NAMES.items() if name in names)), name)
