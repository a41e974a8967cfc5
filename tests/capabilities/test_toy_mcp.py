"""The MCP tool of a capability that is one module."""

from copied_package import CopiedWorld
from mcp_world import Asked, drive


def test_its_tool_is_offered_and_answers(world: CopiedWorld) -> None:
    done = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "x"}}
    world.send("PostToolUse", **done)
    world.hookd("status")  # which brings the journal in

    async def script(asked: Asked) -> tuple[str, dict[str, str]]:
        return await asked("play", times=2), await asked.error("play", times="often")

    answer, error = drive(world, script)
    assert answer == "Bash Bash"
    assert error["code"] == "bad-request"
