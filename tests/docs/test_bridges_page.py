"""The examples on the page about other agents run as they stand there, with the real packages."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hookd import HookAPI, block
from hookd.host import HookEngine

PAGE = Path(__file__).parents[2] / "docs" / "bridges.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
GUARD = """
from hookd import block

def register(hookd):
    @hookd.on("tool_call")
    async def guard(event, ctx):
        if "push --force" in str(event.tool_input):
            return block("use --force-with-lease")
"""
seen: list[str] = []


def register(hookd: HookAPI) -> None:
    for name in ("session", "agent_start", "turn_start", "turn_end", "agent_end"):
        hookd.on(name, lambda _event, _ctx, name=name: seen.append(name), name=name)
    hookd.on("tool_call", lambda event, _ctx: block("no") if "--force" in str(event.tool_input) else None)


def bash(command: str) -> str:
    """Runs a command."""
    raise AssertionError(command)


def block_with(text: str) -> str:
    """The one example that says this."""
    (found,) = [code for code in BLOCKS if text in code]
    return str(found)


def run(code: str, **names: Any) -> dict[str, Any]:
    """What an example has assigned when it is through."""
    seen.clear()
    scope: dict[str, Any] = dict(names)
    exec(f"async def example():\n{textwrap.indent(code, '    ')}\n    return locals()", scope)

    async def once() -> dict[str, Any]:
        found: dict[str, Any] = await scope["example"]()
        if "engine" in names:
            await names["engine"].close()
        return found

    return asyncio.run(once())


@pytest.fixture
def engine() -> HookEngine:
    return HookEngine(hooks=[register])


LIFE = ["session", "agent_start", "turn_start", "turn_end", "turn_start", "turn_end", "agent_end"]


def test_hook_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".hookd/hooks").mkdir(parents=True)
    (tmp_path / ".hookd/hooks/guard.py").write_text(GUARD)
    assert run(block_with("guard.py"))["fired"].reason == "use --force-with-lease"


def test_tools(engine: HookEngine) -> None:
    assert run(block_with("wrap_tools("), engine=engine, read=bash, bash=bash)["result"].endswith("no")


def test_lifecycle(engine: HookEngine) -> None:
    replies = [SimpleNamespace(calls=["x"], text=""), SimpleNamespace(calls=[], text="done")]

    async def ask_model(_messages: Any) -> Any:
        return replies.pop(0)

    async def run_tool(call: Any) -> Any:
        return call

    run(block_with("lifecycle("), engine=engine, ask_model=ask_model, run_tool=run_tool, messages=[])
    assert seen == LIFE


def test_claude_agent_sdk(engine: HookEngine) -> None:
    pytest.importorskip("claude_agent_sdk", reason="pip install 'hookd[claude-agent-sdk]'")
    options = run(block_with("ClaudeAgentOptions("), engine=engine)["options"]
    assert options.hooks["PreToolUse"][0].on_failure == "block"


def test_openai_agents(engine: HookEngine) -> None:
    agents = pytest.importorskip("agents", reason="pip install 'hookd[openai-agents]'")
    from agents.testing import ScriptedModel, assistant_message, function_call

    agents.set_tracing_disabled(True)
    call = function_call("bash", {"command": "git push --force"}, call_id="1")
    model = ScriptedModel([[call], [assistant_message("done")]])
    agent = agents.Agent("tester", model=model, tools=[agents.function_tool(bash)])
    assert run(block_with("run(engine"), engine=engine, agent=agent)["result"].final_output == "done"
    assert seen == LIFE


def _langchain_model() -> Any:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    class Model(GenericFakeChatModel):
        def bind_tools(self, _tools: Any, **_more: Any) -> Any:
            return self

    calls = [{"name": "bash", "args": {"command": "git push --force"}, "id": "1"}]
    return Model(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))


def test_langchain(engine: HookEngine) -> None:
    pytest.importorskip("langchain", reason="pip install 'hookd[langchain]'")
    found = run(block_with("create_agent("), engine=engine, model=_langchain_model(), tools=[bash])
    assert found["result"]["messages"][-1].content == "done"
    assert seen == LIFE


def test_langgraph(engine: HookEngine) -> None:
    pytest.importorskip("langgraph", reason="pip install 'hookd[langchain]'")
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import tools_condition

    model = _langchain_model()
    graph: Any = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    agent = run(block_with("ToolNode("), engine=engine, graph=graph, tools=[bash])["agent"]
    agent.invoke({"messages": [("user", "go")]})
    assert seen == LIFE


def test_pydantic_ai(engine: HookEngine) -> None:
    pytest.importorskip("pydantic_ai", reason="pip install 'hookd[pydantic-ai]'")
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    parts: list[Any] = [ToolCallPart("bash", {"command": "git push --force"}), TextPart("done")]
    answer: Callable[..., ModelResponse] = lambda _messages, _info: ModelResponse([parts.pop(0)])  # noqa: E731
    found = run(block_with("HookdCapability("), engine=engine, model=FunctionModel(answer), tools=[bash])
    assert found["result"].output == "done"
    assert seen == LIFE


def test_every_example_is_run() -> None:
    assert len(BLOCKS) == 8
