"""`mcp_tool` handlers: a tool of an MCP server, called through the official SDK."""

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from hookd.agents.claude_handlers import McpTool
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended
from hookd.installation import how_to_add

_FIELD = re.compile(r"\$\{([A-Za-z0-9_.]+)\}")


class McpRunner:
    """Connects to a server when its tool is first called, and keeps the connection in a task of its own."""

    def __init__(self, project: Path, servers: Mapping[str, Any] | None) -> None:
        self._servers = configured_servers(project) if servers is None else servers
        self._connections: dict[str, _Connection] = {}

    async def run(self, call: HandlerCall) -> Ended:
        """The text of the tool's result is read like a command's output."""
        handler = call.registered.handler
        assert isinstance(handler, McpTool)
        if handler.server not in self._servers:
            return _failed(f"MCP server '{handler.server}' not connected")
        connection = self._connections.get(handler.server)
        if connection is None or connection.ended:
            connection = _Connection(self._servers[handler.server], call.project)
            self._connections[handler.server] = connection
        try:
            result = await connection.call(handler.tool, filled(handler.input, call.payload))
        except ImportError:
            return _failed(f"the MCP library is not installed: {how_to_add('mcp')}")
        except ConnectionError as error:
            return _failed(f"MCP server {handler.server}: {error}")
        blocks = getattr(result, "content", None) or []
        text = "\n".join(block.text for block in blocks if isinstance(getattr(block, "text", None), str))
        if getattr(result, "is_error", False) or getattr(result, "isError", False):
            return Ended(exit_code=1, stdout=text, stderr=text, failed=f"{handler.title} failed: {text}")
        return Ended(exit_code=0, stdout=text, text_counts=False)

    async def close(self) -> None:
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()


class _Connection:
    """One server. The SDK's contexts have to be left by the task that entered them, so one task has them."""

    def __init__(self, server: Any, project: Path) -> None:
        self._server = server
        self._project = project
        self._calls: asyncio.Queue[tuple[str, dict[str, Any], asyncio.Future[Any]] | None] = asyncio.Queue()
        self._task = asyncio.get_running_loop().create_task(self._serve())
        self._trouble: BaseException | None = None

    @property
    def ended(self) -> bool:
        return self._task.done()

    async def call(self, tool: str, given: dict[str, Any]) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.put_nowait((tool, given, answer))
        done, _ = await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if answer in done:
            return answer.result()
        if isinstance(self._trouble, ImportError):
            raise self._trouble
        raise ConnectionError(f"it cannot be reached: {self._trouble}")

    async def close(self) -> None:
        self._calls.put_nowait(None)
        done, _ = await asyncio.wait({self._task}, timeout=2)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=2)

    async def _serve(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                session = await self._connect(stack)
                while (job := await self._calls.get()) is not None:
                    tool, given, answer = job
                    try:
                        result = await session.call_tool(tool, given)
                    except Exception as error:  # noqa: BLE001 - the caller gets it, the connection may live on
                        if not answer.done():
                            answer.set_exception(ConnectionError(f"{type(error).__name__}: {error}"))
                    else:
                        if not answer.done():
                            answer.set_result(result)
        except Exception as error:  # noqa: BLE001 - told to the next caller
            self._trouble = _inner(error)

    async def _connect(self, stack: AsyncExitStack) -> Any:
        from mcp.client.stdio import stdio_client

        from mcp import ClientSession, StdioServerParameters

        server = self._server
        if not isinstance(server, dict):
            # Whoever hosts an agent may have its own way of connecting: an async context with two streams.
            read, write = await stack.enter_async_context(server())
        elif "command" in server:
            parameters = StdioServerParameters(
                command=server["command"],
                args=list(server.get("args", [])),
                env=server.get("env"),
                cwd=str(self._project),
            )
            read, write = await stack.enter_async_context(stdio_client(parameters))
        else:
            from mcp.client.streamable_http import streamable_http_client

            streams = await stack.enter_async_context(streamable_http_client(server["url"]))
            read, write = streams[0], streams[1]
        session = await stack.enter_async_context(ClientSession(read, write))
        await session.initialize()
        return session


def configured_servers(project: Path) -> dict[str, Any]:
    """The servers of the project's `.mcp.json`."""
    try:
        found = json.loads((project / ".mcp.json").read_bytes()).get("mcpServers")
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def filled(value: Any, payload: Mapping[str, Any]) -> Any:
    """The tool's input with `${path.to.field}` replaced by what the event has there."""
    if isinstance(value, dict):
        return {key: filled(item, payload) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, payload) for item in value]
    if isinstance(value, str):
        return _FIELD.sub(lambda found: _at(payload, found[1]), value)
    return value


def _at(payload: Mapping[str, Any], path: str) -> str:
    found: Any = payload
    for part in path.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if found is None:
        return ""
    if isinstance(found, str):
        return found
    return json.dumps(found, default=str, separators=(",", ":"), ensure_ascii=False)


def _inner(error: BaseException) -> BaseException:
    """The first real reason in a group of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _failed(what: str) -> Ended:
    return Ended(exit_code=1, stderr=what, failed=what)
