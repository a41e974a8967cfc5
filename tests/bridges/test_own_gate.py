"""hookd's own gate and output filter inside other people's agents and plain functions, without a daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookd.errors import UsageError
from hookd.events.outcome import Decision
from hookd.hooks.kit.ui import HeadlessUI
from hookd.host import HookEngine, ToolBlockedError, wrap_tools
from secrets_made_up import GITHUB_TOKEN

ran: list[str] = []
DISASTER, EVERYDAY = "rm -rf /", "echo hello"
RULE, HIDDEN = "filesystem.delete-root", "[REDACTED:github-token]"


def shell(command: str) -> str:
    """Runs a shell command."""
    ran.append(command)
    return f"the token is {GITHUB_TOKEN}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    ran.clear()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOOKD_HOME", str(tmp_path / "hookd"))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not list(tmp_path.rglob("*.sock")), "a daemon was started"


def engine(**more: Any) -> HookEngine:
    return HookEngine.load(".", settings=[], capabilities=("gate", "output"), **more)


def test_plain_functions() -> None:
    (run,) = wrap_tools(engine(), [shell])
    with pytest.raises(ToolBlockedError, match=RULE):
        run(DISASTER)
    assert run(EVERYDAY) == f"the token is {HIDDEN}"
    assert ran == [EVERYDAY]


def test_openai_agents() -> None:
    pytest.importorskip("agents", reason="pip install 'hookd[openai-agents]'")
    from agents.testing import ScriptedModel, assistant_message, function_call

    from agents import Agent, RunConfig, function_tool
    from hookd.bridges.openai_agents import run

    model = ScriptedModel(
        [
            [function_call("shell", {"command": DISASTER}, call_id="1")],
            [function_call("shell", {"command": EVERYDAY}, call_id="2")],
            [assistant_message("done")],
        ]
    )

    async def once() -> Any:
        async with engine() as hooks:
            agent = Agent("tester", model=model, tools=[function_tool(shell)])
            return await run(hooks, agent, "go", run_config=RunConfig(tracing_disabled=True))

    assert asyncio.run(once()).final_output == "done"
    last = model.last_call
    assert last is not None
    refused, answered = [each["output"] for each in last.input if each.get("type") == "function_call_output"]
    assert RULE in refused
    assert answered == f"the token is {HIDDEN}"
    assert ran == [EVERYDAY]


def test_langchain() -> None:
    pytest.importorskip("langchain.agents", reason="pip install 'hookd[langchain]'")
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import tool

    from hookd.bridges.langchain import HookdMiddleware

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_more: Any) -> Any:  # noqa: ARG002
            return self

    def calls(command: str, name: str) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": "shell", "args": {"command": command}, "id": name}])

    model = Model(messages=iter([calls(DISASTER, "1"), calls(EVERYDAY, "2"), AIMessage("done")]))

    async def once() -> Any:
        async with engine() as hooks:
            middleware = HookdMiddleware(hooks)
            agent = middleware.watch(create_agent(model, [tool(shell)], middleware=[middleware]))
            return await agent.ainvoke({"messages": [("user", "go")]})

    messages = asyncio.run(once())["messages"]
    refused, answered = [each for each in messages if isinstance(each, ToolMessage)]
    assert RULE in refused.content
    assert answered.content == f"the token is {HIDDEN}"
    assert ran == [EVERYDAY]


def test_pydantic_ai() -> None:
    pytest.importorskip("pydantic_ai", reason="pip install 'hookd[pydantic-ai]'")
    from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from hookd.bridges.pydantic_ai import HookdCapability

    turns = [ToolCallPart("shell", {"command": text}) for text in (DISASTER, EVERYDAY)]
    script: list[Any] = [*turns, TextPart("done")]
    asked: list[ModelMessage] = []

    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        asked[:] = messages
        return ModelResponse([script.pop(0)])

    async def once() -> Any:
        async with engine() as hooks:
            agent = Agent(FunctionModel(model), tools=[shell], capabilities=[HookdCapability(hooks)])
            return await agent.run("go")

    assert asyncio.run(once()).output == "done"
    said = "\n".join(str(part) for message in asked for part in message.parts)
    assert RULE in said and HIDDEN in said and GITHUB_TOKEN not in said
    assert ran == [EVERYDAY]


class Yes(HeadlessUI):
    """A person who agrees to everything."""

    has_ui = True

    async def confirm(self, title: str, message: str = "") -> bool:  # noqa: ARG002
        return True


def test_a_question_without_a_person_is_a_no_and_with_one_is_the_persons() -> None:
    fired = engine().fire_sync("PreToolUse", tool_name="Bash", tool_input={"command": "git reset --hard"})
    assert fired.blocked and fired.decision is Decision.DENY
    assert "nobody is here to ask" in fired.reason and "allow-once" not in fired.reason
    asked = engine(ui=Yes())
    fired = asked.fire_sync("PreToolUse", tool_name="Bash", tool_input={"command": "git reset --hard"})
    assert fired.decision is Decision.ASK and not fired.blocked
    (run,) = wrap_tools(asked, [shell])
    assert HIDDEN in run("git reset --hard")


def test_the_persons_rules_and_configuration_hold_and_are_read_again(home: Path) -> None:
    folder = home / "hookd" / "config" / "rules"
    folder.mkdir(parents=True)
    rule = 'id = "b"\nverdict = "deny"\nreason = "No."\nwhen = [{ program = ["acme"] }]\n'
    hooks = engine()
    call = {"tool_name": "Bash", "tool_input": {"command": "acme"}}
    assert not hooks.fire_sync("PreToolUse", **call).blocked
    (folder / "mine.toml").write_text(f'pack = "a"\n[[rule]]\n{rule}')
    assert "a.b" in hooks.fire_sync("PreToolUse", **call).reason
    (folder / "mine.toml").write_text("pack =")
    assert hooks.fire_sync("PreToolUse", **call).blocked  # its last good version
    assert any("mine.toml" in problem for problem in hooks.problems)
    (home / "hookd" / "config" / "config.toml").write_text('[hooks]\ndisabled = ["gate"]\n')
    assert not hooks.fire_sync("PreToolUse", **call).blocked


def test_a_result_that_a_hook_puts_in_place_passes_the_filter_too() -> None:
    def register(hookd: Any) -> None:
        from hookd import replace

        hookd.on("tool_result", lambda _event, _ctx: replace(f"mine is {GITHUB_TOKEN}"))

    (run,) = wrap_tools(engine(hooks=[register]), [shell])
    assert run(EVERYDAY) == f"mine is {HIDDEN}"


@pytest.mark.parametrize("names", [("gates",), "gate"])
def test_a_capability_that_is_not_there_is_said(names: Any) -> None:
    with pytest.raises(UsageError, match="there is no capability"):
        HookEngine.load(".", capabilities=names)
