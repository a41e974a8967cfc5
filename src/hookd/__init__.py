"""Lifecycle hooks for coding agents.

The public names are resolved when they are first used, so that importing hookd costs next to nothing.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hookd.events.outcome import (
        Outcome,
        allow,
        ask,
        block,
        context,
        defer,
        halt,
        notify,
        replace,
        respond,
        rewrite,
    )
    from hookd.hooks.api import Context, HookAPI, send
    from hookd.hooks.kit.terminal import TerminalUI
    from hookd.hooks.kit.ui import UI, HeadlessUI

__all__ = [
    "UI",
    "Context",
    "HeadlessUI",
    "HookAPI",
    "Outcome",
    "TerminalUI",
    "__version__",
    "allow",
    "ask",
    "block",
    "context",
    "defer",
    "halt",
    "notify",
    "replace",
    "respond",
    "rewrite",
    "send",
]

_HOMES = {
    "Context": "hookd.hooks.api",
    "HeadlessUI": "hookd.hooks.kit.ui",
    "HookAPI": "hookd.hooks.api",
    "TerminalUI": "hookd.hooks.kit.terminal",
    "UI": "hookd.hooks.kit.ui",
    "send": "hookd.hooks.api",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'hookd' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "hookd.events.outcome")), name)
