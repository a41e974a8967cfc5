"""Pydantic AI with the real package and a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from story import CANCELLED, REFUSED_THEN_MENDED, Story, cancel_in_a_tool, ran, shout

pytest.importorskip("pydantic_ai", reason="pip install 'hookd[pydantic-ai]'")

from pydantic_ai import Agent, ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from hookd.bridges.pydantic_ai import HookdCapability
from hookd.host import HookEngine

DONE = TextPart("done")


class Script:
    """What the model says, and what it was asked."""

    def __init__(self, *turns: Any) -> None:
        self.turns = list(turns)
        self.asked: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        self.asked.append(list(messages))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return ModelResponse([turn if isinstance(turn, TextPart) else ToolCallPart("shout", {"text": turn})])

    async def stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        part = self(messages, info).parts[0]
        if isinstance(part, TextPart):
            yield part.content
        else:
            assert isinstance(part, ToolCallPart)
            yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str())}

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, stream_function=self.stream)

    def said(self, request: int) -> str:
        return "\n".join(str(part) for message in self.asked[request] for part in message.parts)


def run(script: Script, story: Story, prompt: str = "go", *, streamed: bool = False) -> tuple[str, Any]:
    async def once() -> tuple[str, Any]:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent(script.model, tools=[shout], capabilities=[HookdCapability(engine)])
            if streamed:
                async with agent.run_stream(prompt) as result:
                    return await result.get_output(), result.all_messages()
            found = await agent.run(prompt)
            return found.output, found.all_messages()

    return asyncio.run(once())


def results(messages: list[ModelMessage]) -> list[tuple[Any, str]]:
    return [
        (part.content, part.outcome)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_hook_blocks_rewrites_and_changes(streamed: bool) -> None:
    story, script = Story(), Script("forbidden", "wrong", DONE)
    output, messages = run(script, story, streamed=streamed)
    assert output == "done"
    assert ran == ["right"]
    assert results(messages) == [
        ("PreToolUse:shout hook error: that is forbidden", "failed"),
        ("right! [hidden]", "success"),
    ]
    assert story.events == REFUSED_THEN_MENDED
    assert "a hook mended the text" in script.said(2)


def test_what_a_hook_tells_the_model_stays_in_the_conversation_once() -> None:
    story, script = Story(), Script("wrong", "hello", DONE)
    run(script, story)
    assert [script.said(request).count("a hook mended the text") for request in range(3)] == [0, 1, 1]


def test_a_hook_keeps_the_agent_going() -> None:
    story, script = Story(), Script(TextPart("finished"), "hello", DONE)
    story.keep_going = 1
    output, _ = run(script, story)
    assert (output, ran) == ("done", ["hello"])
    assert "run the tests first" in script.said(1)
    turns = ["turn_start 0", "turn_end 0", "agent_end", "agent_start"]
    turns += ["turn_start 1", "turn_end 1", "turn_start 2", "turn_end 2", "agent_end"]
    assert story.life == ["session", "agent_start", *turns]


def test_a_refused_prompt_never_reaches_the_model() -> None:
    story, script = Story(), Script(DONE)
    story.refused_prompt = "evil"
    output, _ = run(script, story, "something evil")
    assert script.asked == []
    assert "not that prompt" in output
    assert story.life == ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end not that prompt"]


def test_a_hook_ends_the_turn() -> None:
    story, script = Story(), Script("enough", DONE)
    output, _ = run(script, story)
    assert output == "that is enough"
    assert (len(script.asked), ran) == (1, [])
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end halted"]


def test_a_tool_that_raises() -> None:
    story = Story()
    _, messages = run(Script("mend", DONE), story)
    assert results(messages) == [("mended", "success")]
    story = Story()
    with pytest.raises(RuntimeError, match="it broke"):
        run(Script("break", DONE), story)
    assert story.tools[-1] == ("result", "it broke", True)
    assert story.life[-2:] == ["turn_end 0", "agent_end RuntimeError"]


def test_a_model_that_raises() -> None:
    story = Story()
    with pytest.raises(ConnectionError):
        run(Script("hello", ConnectionError("gone")), story)
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end ConnectionError"]


def test_cancellation_ends_everything_in_order() -> None:
    story = Story()

    async def work(wait: Any) -> None:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent(Script("x").model, capabilities=[HookdCapability(engine)])
            agent.tool_plain(wait, name="shout")
            await agent.run("go")

    asyncio.run(cancel_in_a_tool(work))
    assert story.tools[-1][0] == "result"
    assert story.life == CANCELLED


def test_a_second_prompt_is_in_the_same_session() -> None:
    story = Story()

    async def twice() -> None:
        async with HookEngine(hooks=[story.register]) as engine:
            agent = Agent(Script(DONE, DONE).model, capabilities=[HookdCapability(engine)])
            await agent.run("one")
            await agent.run("two")

    asyncio.run(twice())
    first = ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end"]
    assert story.life == [*first, "agent_start", "turn_start 1", "turn_end 1", "agent_end"]
