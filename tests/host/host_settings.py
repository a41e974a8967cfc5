"""Settings as tests write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookd.host import Fired

Fire = Callable[..., Fired]
BASH: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls -l"}, "tool_use_id": "t1"}


def command(line: str, **options: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **options}


def settings(event: str, *handlers: dict[str, Any], matcher: str | None = None) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": list(handlers)}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}
