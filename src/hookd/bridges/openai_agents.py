"""OpenAI Agents SDK with hooks: the extra `hookd[openai-agents]`.

    result = await run(engine, agent, "mend the tests")

Tools that are functions of this process go through the hooks, also those of MCP servers and of agents that
take over. What OpenAI runs on its side does not, nor what an agent used as a tool does inside.
"""

import dataclasses
import inspect
import json
from typing import Any

from agents.items import TResponseInputItem
from agents.run_config import CallModelData, ModelInputData, ToolErrorFormatterArgs
from agents.tool_context import ToolContext

from agents import Agent, FunctionTool, Handoff, RunConfig, RunContextWrapper, Runner, RunResult, Tool
from hookd.bridges.common import begin, reminder, text_of
from hookd.errors import HaltedError, PromptBlockedError
from hookd.host.engine import HookEngine
from hookd.host.lifecycle_events import Work
from hookd.host.tool_calls import ToolCall


async def run(
    engine: HookEngine,
    agent: Agent[Any],
    input: str | list[TResponseInputItem],  # noqa: A002 - the runner's own name for it
    *,
    run_config: RunConfig | None = None,
    **options: Any,
) -> RunResult:
    """`Runner.run` with the engine's hooks around the work, the model and the tools.

    Raises `PromptBlockedError` for a prompt that a hook refuses, `HaltedError` where a hook ends the work.
    If a hook keeps the agent from stopping, the runner runs again; the result is the last one's.
    """
    work = await begin(engine, _prompt_of(input))
    if work.refusal is not None:
        raise PromptBlockedError(work.refusal)
    bridge = _Bridge(work, run_config or RunConfig())
    try:
        result = await Runner.run(bridge.agent(agent), input, run_config=bridge.run_config, **options)
        while (await work.stop(text_of(result.final_output))).goes_on:
            again, more = bridge.continued(result, "\n\n".join(work.take_for_model()), options)
            last = bridge.agent(result.last_agent)
            result = await Runner.run(last, again, run_config=bridge.run_config, **options | more)
    except BaseException as error:
        await work.fail("halted" if isinstance(error, HaltedError) else error)
        raise
    return result


def hooked(engine: HookEngine, agent: Agent[Any]) -> Agent[Any]:
    """The agent with its tools behind the hooks, to run it in another way: streamed, say.

    Prompts and turns are then told by the program that runs it, see `hookd.host.lifecycle`.
    """
    return _Bridge(Work(engine, ""), RunConfig()).agent(agent)


class _Bridge:
    """One run: its agents with hooks, and its turns."""

    def __init__(self, work: Work, run_config: RunConfig) -> None:
        self._work = work
        self._engine = work.engine
        self._filter = run_config.call_model_input_filter
        self._format = run_config.tool_error_formatter
        self._agents: dict[int, Agent[Any]] = {}
        self._failed: dict[str, Exception] = {}
        self._told: list[tuple[int, TResponseInputItem]] = []
        self.run_config = dataclasses.replace(
            run_config, call_model_input_filter=self._asks_model, tool_error_formatter=self._formatted
        )

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """The same agent with hooks around its tools, and around those of agents that it hands over to."""
        if any(agent is made for made in self._agents.values()):
            return agent
        if id(agent) not in self._agents:
            kind: Any = type(agent)

            async def get_all_tools(asked: Agent[Any], run_context: RunContextWrapper[Any]) -> list[Tool]:
                """What the runner asks an agent for, the tools of MCP servers included."""
                return [self.tool(tool) for tool in await kind.get_all_tools(asked, run_context)]

            hooked_kind = type(f"Hooked{kind.__name__}", (kind,), {"get_all_tools": get_all_tools})
            values = {
                field.name: getattr(agent, field.name) for field in dataclasses.fields(agent) if field.init
            }
            made: Agent[Any] = hooked_kind(**values | {"handoffs": []})
            self._agents[id(agent)] = made
            made.handoffs = [self._handoff(handoff) for handoff in agent.handoffs]
        return self._agents[id(agent)]

    def continued(
        self, result: RunResult, words: str, options: dict[str, Any]
    ) -> tuple[list[TResponseInputItem], dict[str, Any]]:
        """The input for another run, in which the model reads why it cannot stop, and its other options."""
        told: TResponseInputItem = {"role": "user", "content": words}
        if options.get("previous_response_id"):
            return [told], {"previous_response_id": result.last_response_id}
        if options.get("session") or options.get("conversation_id"):
            return [told], {}  # there the conversation is known
        return [*result.to_input_list(), told], {}

    def tool(self, tool: Tool) -> Tool:
        if not isinstance(tool, FunctionTool):
            return tool

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            call = ToolCall(self._engine, tool.name, _parsed(arguments), context.tool_call_id)
            given = call.input
            if (refusal := await call.before()) is not None:
                return refusal
            try:
                text = arguments if call.input is given else json.dumps(call.input)
                result = await tool.on_invoke_tool(context, text)
            except BaseException as error:
                output = await call.failed(error)
                if not isinstance(error, Exception) or not output.changed:
                    raise
                return output.value
            # Most tools make a text of what they raise; the formatter has seen which ones did.
            raised = self._failed.pop(call.id, None)
            output = await (call.after(result) if raised is None else call.failed(raised))
            return output.value if output.changed else result

        return dataclasses.replace(tool, on_invoke_tool=invoke)

    def _handoff(self, handoff: Agent[Any] | Handoff[Any, Any]) -> Agent[Any] | Handoff[Any, Any]:
        if isinstance(handoff, Agent):
            return self.agent(handoff)

        async def invoke(context: RunContextWrapper[Any], arguments: str) -> Agent[Any]:
            return self.agent(await handoff.on_invoke_handoff(context, arguments))

        return dataclasses.replace(handoff, on_invoke_handoff=invoke)

    async def _asks_model(self, data: CallModelData[Any]) -> ModelInputData:
        """A turn begins: the one place that every request to the model comes through."""
        await self._work.asks_model()
        if (halted := self._engine.session.halted) is not None:
            raise HaltedError(halted or None)
        model_data = data.model_data
        if self._filter is not None:
            found = self._filter(data)
            model_data = await found if inspect.isawaitable(found) else found
        items = list(model_data.input)
        for place, item in self._told:
            items.insert(place, item)
        if texts := self._work.take_for_model():
            told: TResponseInputItem = {"role": "user", "content": reminder(texts)}
            self._told.append((len(items), told))
            items.append(told)
        return ModelInputData(input=items, instructions=model_data.instructions)

    async def _formatted(self, args: ToolErrorFormatterArgs[Any]) -> str | None:
        if args.kind == "tool_exception" and args.error is not None:
            self._failed[args.call_id] = args.error
        if self._format is None:
            return None
        found = self._format(args)
        return await found if inspect.isawaitable(found) else found


def _prompt_of(items: str | list[TResponseInputItem]) -> str:
    if isinstance(items, str):
        return items
    said = [item for item in items if isinstance(item, dict) and item.get("role") == "user"]
    return text_of(dict(said[-1]).get("content", "")) if said else ""


def _parsed(arguments: str) -> dict[str, Any]:
    try:
        found = json.loads(arguments) if arguments else {}
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"arguments": arguments}
