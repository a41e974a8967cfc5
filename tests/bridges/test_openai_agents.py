"""The OpenAI Agents SDK with the real package and a model that follows a script."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from story import CANCELLED, REFUSED_THEN_MENDED, Story, cancel_in_a_tool, ran
from story import shout as shout_plainly

pytest.importorskip("agents", reason="pip install 'hookd[openai-agents]'")

from agents.mcp import MCPServer
from agents.testing import ScriptedModel, assistant_message, function_call
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as MCPTool

from agents import Agent, RunConfig, function_tool
from hookd.bridges.openai_agents import hooked, run
from hookd.errors import HaltedError, PromptBlockedError
from hookd.host import HookEngine

DONE = [assistant_message("done")]
OFFLINE = RunConfig(tracing_disabled=True)
shout = function_tool(shout_plainly, name_override="shout")
strict_shout = function_tool(shout_plainly, name_override="shout", failure_error_function=None)


def says(*turns: Any) -> ScriptedModel:
    return ScriptedModel(
        [
            [function_call("shout", {"text": turn}, call_id=f"call-{number}")]
            if isinstance(turn, str)
            else turn
            for number, turn in enumerate(turns)
        ]
    )


def work(model: ScriptedModel, story: Story, prompt: str = "go", tools: Any = (shout,)) -> Any:
    async def once() -> Any:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent("tester", model=model, tools=list(tools))
            return await run(engine, agent, prompt, run_config=OFFLINE)

    return asyncio.run(once())


def results(model: ScriptedModel) -> list[str]:
    """What the model read of its tools in its last request."""
    last = model.last_call
    assert last is not None
    return [item["output"] for item in last.input if item.get("type") == "function_call_output"]


def test_a_hook_blocks_rewrites_and_changes() -> None:
    story, model = Story(), says("forbidden", "wrong", DONE)
    assert work(model, story).final_output == "done"
    assert ran == ["right"]
    assert results(model) == ["PreToolUse:shout hook error: that is forbidden", "right! [hidden]"]
    assert story.events == REFUSED_THEN_MENDED
    assert "a hook mended the text" in str(model.calls[2].input[-1])


def test_what_a_hook_tells_the_model_stays_in_the_conversation_once() -> None:
    model = says("wrong", "hello", DONE)
    work(model, Story())
    asked = [str(call.input).count("a hook mended the text") for call in model.calls]
    assert asked == [0, 1, 1]


def test_a_hook_keeps_the_agent_going() -> None:
    story, model = Story(), says([assistant_message("finished")], "hello", DONE)
    story.keep_going = 1
    assert work(model, story).final_output == "done"
    assert ran == ["hello"]
    assert "run the tests first" in str(model.calls[1].input[-1])
    turns = ["turn_start 0", "turn_end 0", "agent_end", "agent_start"]
    turns += ["turn_start 1", "turn_end 1", "turn_start 2", "turn_end 2", "agent_end"]
    assert story.life == ["session", "agent_start", *turns]


def test_a_refused_prompt_never_reaches_the_model() -> None:
    story, model = Story(), says(DONE)
    story.refused_prompt = "evil"
    with pytest.raises(PromptBlockedError, match="not that prompt"):
        work(model, story, "something evil")
    assert model.calls == ()
    assert story.life == ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end not that prompt"]


def test_a_hook_ends_the_turn() -> None:
    story, model = Story(), says("enough", DONE)
    with pytest.raises(HaltedError, match="that is enough"):
        work(model, story)
    assert (len(model.calls), ran) == (1, [])
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end halted"]


@pytest.mark.parametrize("tool", [shout, strict_shout])
def test_a_tool_that_raises_is_mended(tool: Any) -> None:
    story, model = Story(), says("mend", DONE)
    work(model, story, tools=[tool])
    assert results(model) == ["mended"]
    assert ("result", "mend me", True) in story.events


def test_a_tool_that_raises_tells_the_model_or_the_caller() -> None:
    story, model = Story(), says("break", DONE)
    work(model, story)
    assert results(model)[0].startswith("An error occurred")  # the SDK tells the model no more by default
    assert story.tools[-1] == ("result", "it broke", True)
    story = Story()
    with pytest.raises(Exception, match="it broke"):
        work(says("break", DONE), story, tools=[strict_shout])
    assert story.tools[-1] == ("result", "it broke", True)
    assert story.life[-2] == "turn_end 0"
    assert story.life[-1].startswith("agent_end ")


def test_a_model_that_raises() -> None:
    story = Story()
    with pytest.raises(ConnectionError):
        work(says("hello", ConnectionError("gone")), story)
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end ConnectionError"]


def test_cancellation_ends_everything_in_order() -> None:
    story = Story()

    async def work(wait: Any) -> None:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent("tester", model=says("x"), tools=[function_tool(wait, name_override="shout")])
            await run(engine, agent, "go", run_config=OFFLINE)

    asyncio.run(cancel_in_a_tool(work))
    assert story.tools[-1][0] == "result"
    assert story.life == CANCELLED


def test_an_agent_that_takes_over_has_the_hooks_as_well() -> None:
    story = Story()

    async def once() -> Any:
        async with HookEngine(hooks=[story.register]) as engine:
            second = Agent("second", model=says("forbidden", DONE), tools=[shout])
            model = ScriptedModel([[function_call("transfer_to_second", {}, call_id="over")]])
            first = Agent("first", model=model, handoffs=[second])
            second.handoffs.append(first)
            return await run(engine, first, "go", run_config=OFFLINE)

    result = asyncio.run(once())
    assert (result.final_output, ran) == ("done", [])
    assert story.tools == [("call", "shout", {"text": "forbidden"})]


class Server(MCPServer):
    """An MCP server in this process."""

    name = "server"

    async def connect(self) -> None: ...

    async def cleanup(self) -> None: ...

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Any]:  # noqa: ARG002
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return [MCPTool(name="shout", input_schema=schema)]

    async def call_tool(self, tool_name: str, arguments: Any, meta: Any = None) -> Any:  # noqa: ARG002
        ran.append(arguments["text"])
        return CallToolResult(content=[TextContent(type="text", text="the secret")])

    async def list_prompts(self) -> Any: ...

    async def get_prompt(self, name: str, arguments: Any = None) -> Any: ...


def test_the_tools_of_an_mcp_server_go_through_the_hooks() -> None:
    story, model = Story(), says("forbidden", "wrong", DONE)

    async def once() -> None:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent("tester", model=model, mcp_servers=[Server()])
            await run(engine, agent, "go", run_config=OFFLINE)

    asyncio.run(once())
    assert ran == ["right"]
    first, second = map(str, results(model))
    assert "that is forbidden" in first
    assert "the [hidden]" in second


def test_hooks_around_the_tools_alone() -> None:
    from agents import Runner

    story, model = Story(), says("forbidden", "wrong", DONE)

    async def streamed() -> Any:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = hooked(engine, Agent("tester", model=model, tools=[shout]))
            result = Runner.run_streamed(agent, "go", run_config=OFFLINE)
            async for _ in result.stream_events():
                pass
            return result.final_output

    assert asyncio.run(streamed()) == "done"
    assert results(model) == ["PreToolUse:shout hook error: that is forbidden", "right! [hidden]"]
