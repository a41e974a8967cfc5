"""Memory in a world, and the official SDK's client at a real `hookd mcp` in it."""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest

pytest.importorskip("mcp", reason="the MCP library is not installed: pip install 'hookd[mcp]'")

from hookd.journal.ingest import open_store
from hookd.mcp.project import Here
from hookd.mcp.tools import ToolAnswer, answer
from hookd.memory.observations import Observation, Place
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.statements import migrations
from hookd.paths import project_key
from hookd.store.engine import Store
from mcp import Client, StdioServerParameters, stdio_client
from worlds import PATIENCE, World

Result = TypeVar("Result")
HOOKD = str(Path(sys.executable).parent / "hookd")


def place_of(root: Path) -> Place:
    return Place(project_key(str(root)), str(root))


@contextmanager
def store_of(world: World) -> Iterator[Store]:
    store = open_store(world.folders.database)
    store.adopt(list(migrations()))
    yield store
    store.close()


def put(world: World, *rows: Observation, root: Path | None = None) -> list[str]:
    with store_of(world) as store:
        return store.submit(lambda db: Observations(db, place_of(root or world.project)).add(rows)).result()


class Asked:
    """What the client got, in the words of the tests."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **given: Any) -> str:
        result = await self.client.call_tool(tool, given)
        assert not result.is_error, result.content
        return str(result.content[0].text)  # type: ignore[union-attr]

    async def error(self, tool: str, **given: Any) -> dict[str, str]:
        result = await self.client.call_tool(tool, given)
        assert result.is_error, result.content
        error: dict[str, str] = result.structured_content["error"]
        assert error["message"] in result.content[0].text  # type: ignore[union-attr]
        return error


def drive(
    world: World, script: Callable[[Asked], Awaitable[Result]], env: dict[str, str] | None = None
) -> Result:
    """Runs a script of calls against one server."""

    async def run() -> Result:
        parameters = StdioServerParameters(
            command=str(Path(world.python).with_name("hookd")),
            args=["mcp"],
            env={**world.env, **(env or {})},
            cwd=world.project,
        )
        with anyio.fail_after(2 * PATIENCE):
            async with Client(stdio_client(parameters)) as client:
                return await script(Asked(client))

    return anyio.run(run)


def here_of(world: World, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The project as a server in it would see it, in this process."""
    monkeypatch.chdir(world.project)
    return Here(world.env)


def said(here: Here, tool: str, **given: Any) -> str:
    found = answer(here, tool, given)
    assert not found.code, found
    return found.text


def refused(here: Here, tool: str, **given: Any) -> ToolAnswer:
    found = answer(here, tool, given)
    assert found.code, found
    return found
