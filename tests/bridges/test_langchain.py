"""LangChain's agents and a graph of one's own, with the real packages and a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from story import CANCELLED, REFUSED_THEN_MENDED, Story, cancel_in_a_tool, ran
from story import shout as shout_plainly

langchain = pytest.importorskip("langchain.agents", reason="pip install 'hookd[langchain]'")

from langchain.agents import create_agent  # noqa: E402
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage  # noqa: E402
from langchain_core.outputs import ChatResult  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode, tools_condition  # noqa: E402

from hookd.bridges.langchain import HookdMiddleware  # noqa: E402
from hookd.errors import UsageError  # noqa: E402
from hookd.host import HookEngine  # noqa: E402


class Model(GenericFakeChatModel):
    """Says what a test wrote down, and keeps what it was asked."""

    asked: list[list[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it

    def bind_tools(self, tools: Any, **_more: Any) -> Model:  # noqa: ARG002
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        self.asked.append(messages)
        return super()._generate(messages, *args, **more)


def says(*turns: Any) -> Model:
    """A model that calls `shout` with each text in turn, and ends with an answer or an error."""

    def messages() -> Iterator[Any]:
        for number, turn in enumerate(turns):
            if isinstance(turn, Exception):
                raise turn
            if isinstance(turn, AIMessage):
                yield turn
            else:
                calls = [{"name": "shout", "args": {"text": turn}, "id": f"call-{number}"}]
                yield AIMessage("", tool_calls=calls)

    return Model(messages=messages(), asked=[])


DONE = AIMessage("done")
shout = tool("shout")(shout_plainly)


def run(model: Model, story: Story, *, mode: str = "async", prompt: str = "go") -> list[BaseMessage]:
    """One run of an agent with the story's hooks."""
    engine = HookEngine(hooks=[story.register])
    hooks = HookdMiddleware(engine)
    agent = hooks.watch(create_agent(model, [shout], middleware=[hooks]))
    given = {"messages": [{"role": "user", "content": prompt}]}
    if mode == "sync":
        found = agent.invoke(given)
    else:

        async def once() -> Any:
            try:
                return await agent.ainvoke(given)
            finally:
                await engine.close()

        found = asyncio.run(once())
    messages: list[BaseMessage] = found["messages"]
    return messages


def results(messages: list[BaseMessage]) -> list[tuple[str, str]]:
    return [(str(m.content), m.status) for m in messages if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_hook_blocks_rewrites_and_changes(mode: str) -> None:
    story, model = Story(), says("forbidden", "wrong", DONE)
    messages = run(model, story, mode=mode)
    assert ran == ["right"]
    assert results(messages) == [
        ("PreToolUse:shout hook error: that is forbidden", "error"),
        ("right! [hidden]", "success"),
    ]
    assert story.events == REFUSED_THEN_MENDED
    assert "a hook mended the text" in str(model.asked[2][-1].content)


def test_what_a_hook_tells_the_model_stays_in_the_conversation_once() -> None:
    model = says("wrong", "hello", DONE)
    run(model, Story())
    asked = [str(messages).count("a hook mended the text") for messages in model.asked]
    assert asked == [0, 1, 1]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_hook_keeps_the_agent_going(mode: str) -> None:
    story, model = Story(), says(AIMessage("finished"), "hello", DONE)
    story.keep_going = 1
    messages = run(model, story, mode=mode)
    assert messages[-1].content == "done"
    assert ran == ["hello"]
    assert "run the tests first" in str(model.asked[1][-1].content)
    turns = ["turn_start 0", "turn_end 0", "agent_end", "agent_start"]
    turns += ["turn_start 1", "turn_end 1", "turn_start 2", "turn_end 2", "agent_end"]
    assert story.life == ["session", "agent_start", *turns]


def test_a_refused_prompt_never_reaches_the_model() -> None:
    story, model = Story(), says(DONE)
    story.refused_prompt = "evil"
    messages = run(model, story, prompt="something evil")
    assert model.asked == []
    assert "not that prompt" in str(messages[-1].content)
    assert story.life == ["session", "agent_start", "turn_start 0", "turn_end 0", "agent_end not that prompt"]


def test_a_hook_ends_the_turn() -> None:
    story, model = Story(), says("enough", DONE)
    run(model, story)
    assert len(model.asked) == 1
    assert ran == []
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end halted"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_tool_that_raises(mode: str) -> None:
    story = Story()
    messages = run(says("mend", DONE), story, mode=mode)
    assert results(messages) == [("mended", "success")]
    assert ("result", "mend me", True) in story.events
    story = Story()
    with pytest.raises(RuntimeError, match="it broke"):
        run(says("break", DONE), story, mode=mode)
    assert story.tools[-1] == ("result", "it broke", True)
    assert story.life[-2:] == ["turn_end 0", "agent_end RuntimeError"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_model_that_raises(mode: str) -> None:
    story = Story()
    with pytest.raises(ConnectionError):
        run(says("hello", ConnectionError("gone")), story, mode=mode)
    assert story.life[-3:] == ["turn_start 1", "turn_end 1", "agent_end ConnectionError"]


def test_cancellation_ends_everything_in_order() -> None:
    story = Story()

    async def work(wait: Any) -> None:
        engine = HookEngine(hooks=[story.register])
        hooks = HookdMiddleware(engine)
        agent = hooks.watch(create_agent(says("x"), [tool("shout")(wait)], middleware=[hooks]))
        try:
            await agent.ainvoke({"messages": [("user", "go")]})
        finally:
            await engine.close()

    asyncio.run(cancel_in_a_tool(work))
    assert story.tools[-1] == ("result", "CancelledError", True)
    assert story.life == CANCELLED


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_graph_of_ones_own(mode: str) -> None:
    story, model = Story(), says("forbidden", "wrong", DONE)
    engine = HookEngine(hooks=[story.register])
    hooks = HookdMiddleware(engine)
    graph: Any = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    node = ToolNode([shout], wrap_tool_call=hooks.wrap_tool_call, awrap_tool_call=hooks.awrap_tool_call)
    graph.add_node("tools", node)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    watched = hooks.watch(graph.compile())
    given = {"messages": [("user", "go")]}
    found = watched.invoke(given) if mode == "sync" else asyncio.run(watched.ainvoke(given))
    assert [content for content, _ in results(found["messages"])] == [
        "PreToolUse:shout hook error: that is forbidden",
        "right! [hidden]",
    ]
    turns = [f"turn_{edge} {index}" for index in range(3) for edge in ("start", "end")]
    assert story.life == ["session", "agent_start", *turns, "agent_end"]


def test_runs_that_share_a_middleware_are_told_that_it_is_for_one_session() -> None:
    hooks = HookdMiddleware(HookEngine())
    with pytest.raises(UsageError, match="for one session"):
        hooks.before_model({"messages": []}, None)
