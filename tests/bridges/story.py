"""One hook file for every bridge: it refuses, rewrites, replaces, and writes down what it sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from hookd import HookAPI, block, context, halt, replace, rewrite

REFUSED_THEN_MENDED: list[Any] = [
    "session",
    "agent_start",
    "turn_start 0",
    ("call", "shout", {"text": "forbidden"}),
    "turn_end 0",
    "turn_start 1",
    ("call", "shout", {"text": "wrong"}),
    ("result", "right! secret", False),
    "turn_end 1",
    "turn_start 2",
    "turn_end 2",
    "agent_end",
]
"""What is seen of an agent that calls `shout` with a forbidden text, then with a wrong one, and is done."""
CANCELLED = ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end CancelledError"]
"""The life of an agent that is cancelled in its first tool."""
LIFE = ("session", "agent_start", "turn_start", "turn_end", "agent_end")


class Story:
    """What the hooks of a test saw, in order, and what they are told to do."""

    def __init__(self, argument: str = "text") -> None:
        self.argument = argument
        """The one that the tools of the test have."""
        self.events: list[Any] = []
        self.keep_going = 0
        """How often the agent is kept from stopping."""
        self.refused_prompt = ""

    def register(self, hookd: HookAPI) -> None:
        for name in LIFE:
            hookd.on(name, self._noting(name), name=name)

        @hookd.on("tool_call")
        async def gate(event: Any, ctx: Any) -> Any:
            self.events.append(("call", event.tool_name, dict(event.tool_input)))
            match event.tool_input.get(self.argument):
                case "forbidden":
                    return block("that is forbidden")
                case "wrong":
                    return [
                        rewrite({**event.tool_input, self.argument: "right"}),
                        context("a hook mended the text"),
                    ]
                case "ask about this":
                    ctx.send("the person was asked")
                    return None if await ctx.ui.confirm("Is that all right?") else block("no")
                case "enough":
                    return halt("that is enough")
            return None

        @hookd.on("tool_result")
        def result(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            self.events.append(("result", event.content, event.is_error))
            if "secret" in event.content:
                return replace(event.content.replace("secret", "[hidden]"))
            if "mend me" in event.content:
                return replace("mended", is_error=False)
            return None

        @hookd.on("agent_start")
        def prompt(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            if self.refused_prompt and self.refused_prompt in event.prompt:
                return block("not that prompt")
            return None

        @hookd.on("agent_end")
        def stop(event: Any, ctx: Any) -> Any:  # noqa: ARG001
            if event.error is None and self.keep_going > 0:
                self.keep_going -= 1
                return block("run the tests first")
            return None

    def _noting(self, name: str) -> Any:
        def note(event: Any, ctx: Any) -> None:  # noqa: ARG001
            match name:
                case "turn_start" | "turn_end":
                    self.events.append(f"{name} {event.turn_index}")
                case "agent_end" if event.error:
                    self.events.append(f"agent_end {event.error}")
                case _:
                    self.events.append(name)

        return note

    @property
    def life(self) -> list[str]:
        """The lifecycle without the tools."""
        return [event for event in self.events if isinstance(event, str)]

    @property
    def tools(self) -> list[Any]:
        return [event for event in self.events if not isinstance(event, str)]


ran: list[str] = []
"""What `shout` was called with."""


def shout(text: str) -> str:
    """Shouts."""
    ran.append(text)
    if text in ("break", "mend"):
        raise RuntimeError("mend me" if text == "mend" else "it broke")
    return f"{text}! secret" if text == "right" else f"{text}!"


async def cancel_in_a_tool(work: Callable[[Any], Coroutine[Any, Any, Any]]) -> None:
    """Runs an agent that has the tool it is given, which waits for ever, and cancels it there."""
    started = asyncio.Event()

    async def wait(text: str) -> str:
        """Waits for ever."""
        started.set()
        await asyncio.Event().wait()
        return text

    task = asyncio.create_task(work(wait))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
