"""The server: the official SDK between standard input and output and `hookd.mcp.tools`.

It lives as long as its input. It holds no connection to the store between calls and never talks to the
daemon, so nothing waits for it and nothing is left of it.
"""

import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from hookd import __version__
from hookd.mcp.project import Here
from hookd.mcp.tools import INSTRUCTIONS, TOOLS, answer, schema

# More at once would only wait for each other in the store.
AT_ONCE = 4
# Half of a pair, as JavaScript programs write it when they cut a text; no JSON reader of the SDK's takes it.
_ESCAPE = re.compile(
    r"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def listed() -> list[types.Tool]:
    """The tools as clients are told of them."""
    return [
        types.Tool(
            name=tool.name,
            description=tool.about,
            input_schema=schema(tool),
            annotations=types.ToolAnnotations(
                read_only_hint=not tool.changes,
                destructive_hint=tool.destroys,
                open_world_hint=False,
            ),
        )
        for tool in TOOLS.values()
    ]


def made(here: Here) -> Server[Any]:
    """A server for one project."""
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed())

    async def call_tool(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # Not given up when the client loses patience: what is being forgotten is forgotten whole.
        found = await anyio.to_thread.run_sync(answer, here, params.name, params.arguments, limiter=limiter)
        text = f"{found.text}\n{found.hint}" if found.hint else found.text
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content={"error": found.error} if found.error else None,
            is_error=found.error is not None,
        )

    return Server(
        "hookd",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def mended(line: str) -> str:
    """The line with a replacement character for each half of a pair."""
    if "\\ud" not in line and "\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["half"] else found[0], line)


def problem(line: str) -> str | None:
    """Why the line is no message; None if it may be one."""
    try:
        json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"the line is not JSON: {error}"[:300]
    return None


class _Lines:
    """Standard input by lines; who sends something else is told so, as JSON-RPC has it."""

    def __init__(self) -> None:
        self._source = anyio.wrap_file(sys.stdin.buffer)
        self.output: Any = None

    async def __aiter__(self) -> AsyncIterator[str]:
        async for data in self._source:
            line = mended(data.decode("utf-8", "replace"))
            if not line.strip():
                continue
            if (what := problem(line)) is None:
                yield line
            elif self.output is not None:
                error = types.ErrorData(code=types.PARSE_ERROR, message=what)
                await self.output.send(
                    SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))
                )


async def _serve(here: Here) -> None:
    server = made(here)
    lines: Any = _Lines()
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        lines.output = outgoing
        await server.run(incoming, outgoing, server.create_initialization_options())


def serve(here: Here) -> None:
    """Serves until the input is closed."""
    # A thread waits for the next line and would not hear of an interrupt; agents send one before they wait.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_serve, here)
