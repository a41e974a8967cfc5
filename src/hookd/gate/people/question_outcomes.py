"""The events that tell what became of the gate's questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hookd.events.types import Event, PostToolUseFailure, ToolEvent
from hookd.hooks.api import Context, HookAPI

if TYPE_CHECKING:
    from hookd.gate.people.learned import Teacher


def register(hookd: HookAPI, teacher: Callable[[], Teacher | None]) -> None:
    """Passes them on to the teacher, once there is one."""

    @hookd.on("PostToolUse", name="ran")
    @hookd.on("PostToolUseFailure", name="ran")
    def ran(event: ToolEvent, ctx: Context) -> None:  # noqa: ARG001
        interrupted = isinstance(event, PostToolUseFailure) and event.is_interrupt
        if (found := teacher()) is not None and not interrupted:
            found.ran(event)

    @hookd.on("PermissionDenied", name="refused", passive=True)
    def refused(event: ToolEvent, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.refused(event)

    @hookd.on("Stop", name="ended")
    @hookd.on("SubagentStop", name="ended")
    @hookd.on("UserPromptSubmit", name="ended")
    def ended(event: Event, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.ended(event)

    @hookd.on("SessionEnd", name="closed")
    def closed(event: Event, ctx: Context) -> None:  # noqa: ARG001
        if (found := teacher()) is not None:
            found.ended(event, everything=True)
