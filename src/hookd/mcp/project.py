"""The project that the server is for, and its memory, opened when it is first asked for."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hookd.agents import AGENTS
from hookd.errors import UsageError
from hookd.paths import Project, project_at, project_root

if TYPE_CHECKING:
    from hookd.memory.observations import Place
    from hookd.reports.memory import OpenMemory

# How agents tell the programs they start which session it is.
SESSION_VARIABLES = tuple(filter(None, (agent.SESSION_VARIABLE for agent in AGENTS.values())))


class Here:
    """One project; several calls may come at once."""

    def __init__(self, env: Mapping[str, str] = os.environ, project: Project | None = None) -> None:
        """The project that is given, or else the one that this process was started in."""
        self.project = project or _started_in(env)
        self.root = self.project.root
        self.folders = self.project.folders
        # A daemon serves many sessions, and its own variables are of none of them.
        told = env if project is None else {}
        self.session = next((told[name] for name in SESSION_VARIABLES if told.get(name)), "")
        self._opening = threading.Lock()
        self._opened: OpenMemory | None = None

    @property
    def place(self) -> Place:
        from hookd.memory.observations import place_of

        return place_of(self.folders, self.root)

    def opened(self) -> OpenMemory:
        """The memory; a session is long, so the configuration is read each time."""
        # A server that is only asked for its tools opens nothing and need not know how.
        from hookd.capabilities import sources
        from hookd.reports.memory import open_memory

        config = sources(self.root, self.folders).read().config
        with self._opening:
            if self._opened is None or self._opened.config != config:
                self._opened = open_memory(config, self.folders, _tell)
            return self._opened


def _started_in(env: Mapping[str, str]) -> Project:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError(
            "the folder that the server was started in has been deleted",
            hint="start it in your project's folder",
        ) from None
    return project_at(project_root(env=env), env)


def _tell(what: str) -> None:
    """Standard output is the protocol's."""
    print(f"hookd: {what}", file=sys.stderr, flush=True)
