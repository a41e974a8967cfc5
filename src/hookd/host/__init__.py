"""Claude Code's hook configuration executed: settings, matchers, conditions, runners, one answer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookd.host.engine import HookEngine
    from hookd.host.fired import Fired, HandlerRun

__all__ = ["Fired", "HandlerRun", "HookEngine"]

_HOMES = {"HookEngine": "engine", "Fired": "fired", "HandlerRun": "fired"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'hookd.host' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"hookd.host.{_HOMES[name]}"), name)
