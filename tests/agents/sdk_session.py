"""A session of the agent's SDK whose permission callback answers as told; started with a clean environment.

Reads `{"prompt", "answer", "entrypoint"}` from standard input and prints what the callback was asked. The
entry point tells the agent whether a person is behind the callback: an editor's says so, a script's does not.
"""

import asyncio
import json
import sys
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)


async def main(prompt: str, answer: str, entrypoint: str) -> None:
    asked: list[str] = []

    async def decide(
        _tool: str, given: dict[str, Any], _context: ToolPermissionContext
    ) -> PermissionResultAllow | PermissionResultDeny:
        asked.append(given.get("command", ""))
        if answer == "allow":
            return PermissionResultAllow()
        return PermissionResultDeny(message="the person said no")

    options = ClaudeAgentOptions(
        can_use_tool=decide,
        setting_sources=["user", "project", "local"],
        env={"CLAUDE_CODE_ENTRYPOINT": entrypoint},
        permission_mode="default",
    )
    async with ClaudeSDKClient(options) as client:
        await client.query(prompt)
        async for _message in client.receive_response():
            pass
    print(json.dumps(asked))


if __name__ == "__main__":
    asyncio.run(main(**json.load(sys.stdin)))
