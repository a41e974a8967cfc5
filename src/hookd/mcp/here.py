"""The project that the server was started in, and its memory, opened when it is first asked for."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from hookd.agents import AGENTS
from hookd.errors import UsageError
from hookd.paths import UserFolders, project_key, project_root, user_folders

if TYPE_CHECKING:
    from hookd.config import Config
    from hookd.memory.observations import Place
    from hookd.memory.recall.opening import Memory
    from hookd.redact.redactor import Redactor

# How agents tell the programs they start which session it is.
SESSION_VARIABLES = tuple(filter(None, (agent.SESSION_VARIABLE for agent in AGENTS.values())))


class Opened(NamedTuple):
    """Memory under the configuration that is in force."""

    config: Config
    memory: Memory
    redactor: Redactor


class Here:
    """One project; several calls may come at once."""

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        try:
            os.getcwd()
        except FileNotFoundError:
            raise UsageError(
                "the folder that the server was started in has been deleted",
                hint="start it in your project's folder",
            ) from None
        self.root = project_root(env=env)
        self.folders: UserFolders = user_folders(env)
        self.session = next((env[name] for name in SESSION_VARIABLES if env.get(name)), "")
        self._opening = threading.Lock()
        self._opened: Opened | None = None

    @property
    def place(self) -> Place:
        from hookd.memory.observations import Place

        return Place(project_key(self.root), self.root)

    def opened(self) -> Opened:
        """The memory; a session is long, so the configuration is read each time."""
        # A server that is only asked for its tools opens nothing and need not know how.
        from hookd.capabilities import sources
        from hookd.journal.ingest import open_store
        from hookd.memory.recall.opening import Memory
        from hookd.memory.settings import Memory as Settings
        from hookd.redact.redactor import Redactor

        settings = sources(self.root, self.folders).read().config
        with self._opening:
            if self._opened is None or self._opened.config != settings:
                redactor = Redactor(settings.redact)
                store = open_store(self.folders.database)
                memory = Memory(store, settings.of(Settings), redactor, _tell)
                self._opened = Opened(settings, memory, redactor)
            return self._opened


def _tell(what: str) -> None:
    """Standard output is the protocol's."""
    print(f"hookd: {what}", file=sys.stderr, flush=True)
