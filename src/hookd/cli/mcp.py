"""`hookd mcp`: memory for agents that speak the Model Context Protocol."""

from importlib.util import find_spec

import click

from hookd.errors import HookdError

HOW_TO_INSTALL = "pip install 'hookd[mcp]', or uv tool install 'hookd[mcp]', or pipx inject hookd mcp"


def require_sdk() -> None:
    """The SDK is an extra; a person who registers or starts the server needs it."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise HookdError("the MCP library is not installed beside hookd", hint=HOW_TO_INSTALL)


@click.command()
def mcp() -> None:
    """Serve this project's memory to an agent, over standard input and output.

    `hookd init --mcp` registers it. It ends when its input is closed.
    """
    require_sdk()
    from hookd.mcp.project import Here  # the folder is looked at before the second that the SDK takes

    here = Here()
    from hookd.mcp.server import serve

    serve(here)
