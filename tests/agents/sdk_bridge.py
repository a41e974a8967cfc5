"""A session of the agent's SDK with the bridge's hooks; started with a clean environment.

Reads `{"sources", "keep_going", "interrupt_at"}` from standard input, and prints what the hooks saw and how
it ended.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, PermissionResultDeny, ResultMessage

sys.path.insert(0, str(Path(__file__).parents[1] / "bridges"))

from story import Story

from hookd.bridges.claude_agent_sdk import hooks_for
from hookd.host import HookEngine


async def main(sources: list[str] | None, keep_going: int, interrupt_at: str) -> None:
    story = Story(argument="command")
    story.keep_going = keep_going
    ended = ""
    asked: list[str] = []

    async def decide(_tool: str, given: dict[str, Any], _context: Any) -> PermissionResultDeny:
        asked.append(given["command"])
        return PermissionResultDeny(message="the person said no")

    async with HookEngine.load(hooks=[story.register]) as engine:
        options = ClaudeAgentOptions(
            hooks=hooks_for(engine, setting_sources=sources),
            setting_sources=sources,  # type: ignore[arg-type]
            allowed_tools=["Bash"],
            can_use_tool=decide,
        )
        async with ClaudeSDKClient(options) as client:

            @engine.on("PreToolUse")
            async def interrupt(event):  # type: ignore[no-untyped-def]
                if interrupt_at and event.command == interrupt_at:
                    await client.interrupt()

            await client.query("go")
            async for message in client.receive_response():
                if isinstance(message, ResultMessage):
                    ended = message.subtype
    print(json.dumps({"events": story.events, "ended": ended, "asked": asked}))


if __name__ == "__main__":
    asyncio.run(main(**json.load(sys.stdin)))
