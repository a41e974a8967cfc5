"""The runners of one engine, each made when its first handler comes; its imports are paid by nobody else."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from hookd import config
from hookd.host.call import HandlerCall
from hookd.host.classify import Ended
from hookd.host.settings import Settings

Runner = Callable[[HandlerCall], Awaitable[Ended]]


class Runners:
    """Finds the runner of a type, and closes what runners keep open."""

    def __init__(
        self, project: Path, model: config.Model | None, mcp_servers: Mapping[str, Any] | None
    ) -> None:
        self._project = project
        self._model = model
        self._mcp_servers = mcp_servers
        self._made: dict[str, Runner] = {}
        self._closers: list[Callable[[], Awaitable[None]]] = []

    def get(self, kind: str, settings: Settings) -> Runner:
        if kind not in self._made:
            self._made[kind] = self._make(kind, settings)
        return self._made[kind]

    def _make(self, kind: str, settings: Settings) -> Runner:
        match kind:
            case "command":
                from hookd.host.runners import command

                return command.run
            case "python":
                from hookd.host.runners import python

                return python.run
            case "http":
                from hookd.host.runners.http import HttpRunner

                http = HttpRunner(settings)
                self._closers.append(http.close)
                return http.run
            case "prompt" | "agent":
                from hookd.host.runners.model import ModelRunner

                return ModelRunner(self._model).run
            case "mcp_tool":
                from hookd.host.runners.mcp_tool import McpRunner

                mcp = McpRunner(self._project, self._mcp_servers)
                self._closers.append(mcp.close)
                return mcp.run
        raise LookupError(f"there is no runner for {kind} handlers")

    def forget(self) -> None:
        """Makes runners anew that depend on settings: those have changed."""
        self._made.pop("http", None)

    async def close(self) -> None:
        closers, self._closers, self._made = self._closers, [], {}
        for close in closers:
            await close()
