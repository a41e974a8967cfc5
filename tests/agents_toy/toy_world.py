"""Toy at work in a project: its events go to hookd by the very commands that its settings file has."""

import json
import os
import shlex
import sqlite3
import subprocess
from typing import Any

from copied_package import CopiedWorld
from worlds import PATIENCE

WATCHED = {"TOY_WATCHED": "yes"}


class ToyWorld(CopiedWorld):
    """A copy of hookd with the adapter in it, registered with Toy for one project."""

    def __init__(self, adapter: str) -> None:
        super().__init__()
        self.add_module("agents/toy.py", adapter)
        self.change("agents/__init__.py", "import claude_code\n", "import claude_code, toy\n")
        self.change("agents/__init__.py", "(claude_code,)", "(claude_code, toy)")
        self.settings = self.project / ".toy" / "hooks.conf"
        self._actions = 0

    def init(self) -> None:
        self.hookd("init", "--agent", "toy")

    def command(self, event: str) -> list[str]:
        lines = dict(line.split(": ", 1) for line in self.settings.read_text().splitlines())
        return shlex.split(lines[event])

    def toy(
        self, event: str, said: dict[str, Any] | None = None, env: dict[str, str] = WATCHED, **more: Any
    ) -> Any:
        """What Toy is told at one of its events; None for silence."""
        if self.warm and self.no_daemon():
            self.hookd("daemon", "start")
        payload = {"talk": "t1", "in": str(self.project), **(said or {}), **more}
        done = subprocess.run(
            self.command(event),
            input=json.dumps(payload).encode(),
            capture_output=True,
            env={**self.env, **env, "TOY_FOLDER": str(self.project)},
            cwd="/",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout) if done.stdout else None

    def action(self, name: str, gave: Any = None, env: dict[str, str] = WATCHED, **given: Any) -> Any:
        """What Toy is told before an action, or after it if something came of it."""
        if gave is None:
            self._actions += 1
        action = {"action": {"name": name, "id": f"a{self._actions}", "with": given}}
        if gave is None:
            return self.toy("action.before", action, env)
        return self.toy("action.after", action, env, gave=gave)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What the store has, once the journal is in it."""
        self.hookd("runs", "list")
        db = sqlite3.connect(self.folders.database)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def take_hookd_away(self) -> None:
        """Leaves nothing that could answer: no daemon, no interpreter for an answer without one."""
        self.run("daemon", "stop")
        os.rename(self.python, f"{self.python}-away")
        self.warm = False

    def close(self) -> None:
        if os.path.lexists(f"{self.python}-away"):
            os.rename(f"{self.python}-away", self.python)
        super().close()
