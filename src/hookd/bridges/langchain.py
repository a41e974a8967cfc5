"""LangChain agents and LangGraph graphs with hooks: the extra `hookd[langchain]`.

    hooks = HookdMiddleware(engine)
    agent = hooks.watch(create_agent(model, tools, middleware=[hooks]))

In a graph of your own give `ToolNode` the methods `wrap_tool_call` and `awrap_tool_call`, and run
`hooks.watch(graph.compile())`.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain.agents.middleware.types import AgentState, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.runnables import Runnable
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from hookd.bridges.common import begin, reminder, text_of
from hookd.errors import UsageError
from hookd.host.engine import HookEngine
from hookd.host.lifecycle_events import Work
from hookd.host.tool_calls import ToolCall, ToolOutput

Agent = TypeVar("Agent", bound=Runnable[Any, Any])
Update = dict[str, Any] | None
Result: TypeAlias = "ToolMessage | Command[Any]"


class HookdMiddleware(AgentMiddleware[Any, Any]):
    """The engine's hooks around an agent's work, its model and its tools; one for each session.

    Put it first among several: then it sees what really happens.
    """

    def __init__(self, engine: HookEngine) -> None:
        super().__init__()
        self.tools: list[Any] = []
        self.engine = engine
        self.work: Work | None = None
        self.in_agent = False
        """Whether this run is an agent's with this middleware, and no other graph's."""
        self._watched = False
        self._begun = False

    def watch(self, agent: Agent) -> Agent:
        """The same agent, whose failures and cancellations end its work for the hooks as well.

        Of a graph without this middleware it also tells the beginning, the turns and the end.
        """
        self._watched = True
        watched: Any = agent.with_config(callbacks=[_Watcher(self)])
        found: Agent = watched
        return found

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return self.engine.run_sync(self._begin(state))

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return await self._begin(state)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return self.engine.run_sync(self._turn())

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return await self._turn()

    @hook_config(can_jump_to=["model", "end"])
    def after_model(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return self.engine.run_sync(self._answered(state))

    @hook_config(can_jump_to=["model", "end"])
    async def aafter_model(self, state: AgentState[Any], runtime: Any) -> Update:  # noqa: ARG002
        return await self._answered(state)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        try:
            return handler(request)
        except BaseException as error:
            self.engine.run_sync(self._model_failed(error))
            raise

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        try:
            return await handler(request)
        except BaseException as error:
            await self._model_failed(error)
            raise

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]
    ) -> Result:
        call, run = self._call(request), self.engine.run_sync
        if (refusal := run(call.before())) is not None:
            return _message(request, ToolOutput(refusal, is_error=True))
        try:
            result = handler(_with_input(request, call))
        except GraphBubbleUp:
            raise  # the graph waits for a person; the call has not ended
        except BaseException as error:  # noqa: BLE001 - interrupted or not, the hooks hear of it
            return _recovered(request, run(call.failed(error)), error)
        return _result(request, result, run(_after(call, result)))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        call = self._call(request)
        if (refusal := await call.before()) is not None:
            return _message(request, ToolOutput(refusal, is_error=True))
        try:
            result = await handler(_with_input(request, call))
        except GraphBubbleUp:
            raise
        except BaseException as error:  # noqa: BLE001 - see above
            return _recovered(request, await call.failed(error), error)
        return _result(request, result, await _after(call, result))

    async def begin(self, prompt: str, *, watched: bool = False) -> None:
        """A run begins with this prompt."""
        if self.work is not None:
            await self.work.fail("interrupted")
        self.in_agent, self._begun = False, watched
        self.work = await begin(self.engine, prompt)

    async def _begin(self, state: Any) -> Update:
        if not self._begun:
            await self.begin(_text_of_last(state))
        self.in_agent, self._begun = True, False
        work = self._current()
        if work.refusal is not None:
            return {"messages": [AIMessage(work.refusal)], "jump_to": "end"}
        return None

    async def _turn(self) -> Update:
        work = self._current()
        await work.asks_model()
        if self.engine.session.halted is not None:
            await work.fail("halted")
            return {"jump_to": "end"}
        texts = work.take_for_model()
        return {"messages": [HumanMessage(reminder(texts))]} if texts else None

    def _current(self) -> Work:
        if self.work is None:
            raise UsageError(
                "a HookdMiddleware is for one session, and two runs use this one at the same time",
                hint="give each run an engine and a middleware of its own; batch() shares them",
            )
        return self.work

    async def _answered(self, state: Any) -> Update:
        last: BaseMessage = state["messages"][-1]
        if self.work is None or not isinstance(last, AIMessage) or last.tool_calls:
            return None
        fired = await self.work.stop(text_of(last.content))
        return {"jump_to": "model"} if fired.goes_on else None

    async def _model_failed(self, error: BaseException) -> None:
        if self.work is not None and not self._watched and not isinstance(error, GraphBubbleUp):
            await self.work.fail(error)

    def _call(self, request: ToolCallRequest) -> ToolCall:
        call = request.tool_call
        return ToolCall(self.engine, call["name"], dict(call["args"]), call["id"])


class _Watcher(BaseCallbackHandler):
    """Sees a whole run, also how it ends; LangChain calls it in threads where it has to."""

    def __init__(self, hooks: HookdMiddleware) -> None:
        self._hooks = hooks
        self._root: UUID | None = None

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **_more: Any) -> None:  # noqa: ARG002
        if self._root is None:
            self._root = run_id
            self._run(self._hooks.begin(_text_of_last(inputs), watched=True))

    def on_chat_model_start(self, *_args: Any, **_more: Any) -> None:
        if self._root is not None and not self._hooks.in_agent and self._hooks.work is not None:
            self._run(self._hooks.work.asks_model())

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_more: Any) -> None:
        if run_id == self._root:
            self._root = None
            self._run(self._ended(outputs))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_more: Any) -> None:
        work = self._hooks.work
        if run_id == self._root:
            self._root = None
            if work is not None:
                self._run(work.fail(error))

    async def _ended(self, outputs: Any) -> None:
        work = self._hooks.work
        if work is None or not work.is_open:
            return
        fired = await work.stop(_text_of_last(outputs))
        if fired.goes_on:
            await work.fail("left")

    def _run(self, work: Any) -> None:
        self._hooks.engine.run_sync(work)


def _text_of_last(state: Any) -> str:
    """The text of the last message in an agent's input or state, in any of the forms that messages have."""
    messages = state.get("messages", state) if isinstance(state, dict) else getattr(state, "messages", state)
    if isinstance(messages, list) and messages:
        return text_of(convert_to_messages(messages[-1:])[0].content)
    return text_of(messages) if messages else ""


def _with_input(request: ToolCallRequest, call: ToolCall) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": call.input})


async def _after(call: ToolCall, result: Result) -> ToolOutput:
    if not isinstance(result, ToolMessage):
        return await call.after(None)  # it changes the graph's state; there is no text to show
    if result.status == "error":
        return await call.failed(text_of(result.content))
    return await call.after(result.content)


def _result(request: ToolCallRequest, result: Result, output: ToolOutput) -> Result:
    if not output.changed:
        return result
    if isinstance(result, ToolMessage):
        update = {"content": output.text, "status": "error" if output.is_error else "success"}
        return result.model_copy(update=update)
    return _message(request, output)


def _recovered(request: ToolCallRequest, output: ToolOutput, error: BaseException) -> ToolMessage:
    if not isinstance(error, Exception) or not output.changed:
        raise error
    return _message(request, output)


def _message(request: ToolCallRequest, output: ToolOutput) -> ToolMessage:
    call = request.tool_call
    status = "error" if output.is_error else "success"
    return ToolMessage(output.text, tool_call_id=call["id"], name=call["name"], status=status)
