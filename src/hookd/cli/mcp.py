"""`hookd mcp`: memory for agents that speak the Model Context Protocol."""

from importlib.util import find_spec

import click

from hookd.errors import HookdError
from hookd.installation import how_to_add
from hookd.paths import Project


def require_sdk() -> None:
    """The SDK is an extra; a person who registers or starts the server needs it."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        raise HookdError("the MCP library is not installed beside hookd", hint=how_to_add("mcp"))


@click.command()
@click.option("--http", is_flag=True, help="Tell how to reach the daemon's over HTTP instead.")
@click.option("--headers", is_flag=True, help="Print the headers for it, as JSON, for an agent's settings.")
def mcp(http: bool, headers: bool) -> None:
    """Serve this project's memory to an agent, over standard input and output.

    `hookd init --mcp` registers it. It ends when its input is closed.

    Where `mcp.http` is on, the daemon serves the same over HTTP; --http and --headers start it if need be.
    """
    require_sdk()
    from hookd.mcp.project import Here  # the folder is looked at before the second that the SDK takes

    here = Here()
    if http or headers:
        _tell_of_http(here.project, only_headers=headers)
        return
    from hookd.mcp.server import serve

    serve(here)


def _tell_of_http(here: Project, *, only_headers: bool) -> None:
    from hookd.capabilities import sources
    from hookd.cli.common import print_json
    from hookd.cli.daemon import port_of_page
    from hookd.daemon.mcp_token import made_mcp_token

    if not sources(here.root, here.folders).read().config.mcp.http:
        raise HookdError(
            "MCP over HTTP is off",
            hint=f"write `http = true` below `[mcp]` in {here.folders.config / 'config.toml'}",
        )
    port = port_of_page(here)
    header = f"Bearer {made_mcp_token(here.files)}"
    if only_headers:
        print_json({"Authorization": header})
        return
    address = f"http://127.0.0.1:{port}/mcp"
    click.echo(address)
    click.echo(f"Authorization: {header}")
    click.echo("For Claude Code:")
    click.echo(f'claude mcp add --transport http hookd {address} --header "Authorization: {header}"')
