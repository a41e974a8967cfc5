"""Pydantic AI agents with hooks: the extra `hookd[pydantic-ai]`.

agent = Agent(model, tools=[...], capabilities=[HookdCapability(engine)])
"""

from dataclasses import replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import WrapRunHandler, WrapToolExecuteHandler
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, SkipModelRequest, ToolFailed
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import RunContext, ToolDefinition

from hookd.bridges.common import begin, reminder, text_of
from hookd.host.engine import HookEngine
from hookd.host.lifecycle_events import Work
from hookd.host.tool_calls import ToolCall


class HookdCapability(AbstractCapability[Any]):
    """The engine's hooks around an agent's runs, its model and its tools; one for each session.

    Put it first among several: then it sees what really happens. A hook that keeps the agent from stopping
    has the model asked again, which counts against the agent's output retries.
    """

    def __init__(self, engine: HookEngine) -> None:
        self.engine = engine
        self.work: Work | None = None

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> AgentRunResult[Any]:
        work = self.work = await begin(self.engine, text_of(ctx.prompt or ""))
        try:
            result = await handler()
            if work.is_open:  # an answer that was no text, or a run that ended without its model
                await work.stop(str(result.output))
        except BaseException as error:
            await work.fail(error)
            raise
        await work.fail("left")
        return result

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        work = self.work
        if work is None:
            return request_context
        await work.asks_model()
        if work.refusal is not None:
            raise SkipModelRequest(ModelResponse(parts=[TextPart(work.refusal)]))
        if (halted := self.engine.session.halted) is not None:
            await work.fail("halted")
            raise SkipModelRequest(ModelResponse(parts=[TextPart(halted or "a hook ended the turn")]))
        if not (texts := work.take_for_model()):
            return request_context
        message = ModelRequest(parts=[UserPromptPart(reminder(texts))])
        ctx.messages.append(message)  # it stays in the conversation
        return replace(request_context, messages=[*request_context.messages, message])

    async def after_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        response: ModelResponse,
    ) -> ModelResponse:
        work = self.work
        if work is None or not work.is_open or response.tool_calls:
            return response
        fired = await work.stop(response.text)
        if not fired.goes_on:
            return response
        raise ModelRetry("\n\n".join(work.take_for_model()))

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        passing = ToolCall(self.engine, call.tool_name, dict(args), call.tool_call_id)
        if (refusal := await passing.before()) is not None:
            raise ToolFailed(refusal)
        try:
            result = await handler(passing.input)
        except (CallDeferred, ApprovalRequired):
            raise  # it runs elsewhere, or later
        except BaseException as error:
            output = await passing.failed(error)
            if not isinstance(error, Exception) or not output.changed:
                raise
            if output.is_error:
                raise ToolFailed(output.text) from error
            return output.value
        output = await passing.after(result)
        if output.is_error:
            raise ToolFailed(output.text)
        return output.value
