"""The handlers of a session, from settings, plugins, front matter and functions, and which run now."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hookd.host import brought_hooks
from hookd.host.handlers import Registered
from hookd.host.matcher import chosen
from hookd.host.protocol import OLDER
from hookd.host.settings import Settings, SettingsFile, user_folder

Reader = Callable[[], Settings]
Stamp = tuple[int, int, int] | None
MANAGED_FIRST = frozenset({"PreToolUse", "UserPromptSubmit"})
"""Where an administrator's refusal is the end of it, and a rewrite is what everybody else gets to see."""


class Registry:
    """Knows all handlers; settings files that change are read again."""

    def __init__(
        self,
        read: Reader,
        project: Path,
        env: Mapping[str, str],
        plugins: Sequence[Path],
        *,
        trusted: bool,
        compat: bool = False,
    ) -> None:
        self._read = read
        self._project = project
        self._env = env
        self._plugins = plugins
        self._trusted = trusted
        self._compat = compat
        self._own: list[Registered] = []
        self._brought: list[tuple[Registered, str | None]] = []
        self._brought_problems: list[str] = []
        self._done_once: set[tuple[Any, ...]] = set()
        self._left_out: frozenset[str] = frozenset()
        self._good: dict[str, SettingsFile] = {}
        self.kept: tuple[str, ...] = ()
        """About each file of which an older version is in force, because the present one is void."""
        self.reload()

    def reload(self, stamps: dict[str, Stamp] | None = None) -> None:
        """Reads the settings, as they are now; the last good version of a file stands in for a void one."""
        found = self._read()
        self.settings, self.kept = found.keeping(self._good)
        good = [self._good.get(file.path) if file.void else file for file in found.files if file.path]
        self._good = {file.path: file for file in good if file is not None}
        if stamps is None:
            stamps = {path: _stamp(path) for path in self.settings.places}
        self._stamps = stamps
        self._settings_problems = [problem for file in self.settings.files for problem in file.problems]
        self._registered = self._configured() if self._trusted else []
        older = {} if self._compat else dict.fromkeys(e.event for e in self._registered if e.event in OLDER)
        self._settings_problems += [
            f"hooks.{event} never runs: it is known with compat only" for event in older
        ]
        self._registered = [entry for entry in self._registered if entry.event not in older]
        self._arrange()

    def refresh(self) -> bool:
        """Reads the settings again if one of their files is another than before, and says whether it was."""
        # Taken before the files are read: what is saved in between is seen at the next event.
        stamps = {path: _stamp(path) for path in self._stamps}
        if stamps == self._stamps:
            return False
        self.reload(stamps)
        return True

    @property
    def problems(self) -> list[str]:
        return [*self._settings_problems, *self._brought_problems]

    def add(self, entry: Registered) -> None:
        """One more handler, for as long as the session lasts."""
        self._own.append(entry)
        self._arrange()

    def handles(self, event: str) -> bool:
        """Whether anybody would run for this event, if matchers and conditions let it through."""
        return event in self._by_event or any(entry.event == event for entry, _ in self._brought)

    def leave_out(self, scopes: Iterable[str]) -> None:
        """Somebody else runs the handlers of these scopes."""
        self._left_out |= frozenset(scopes)
        self._arrange()

    def bring(self, path: Path, scope: str, agent_id: str | None) -> None:
        """The handlers of a skill's or an agent's front matter.

        A project's own agents need its folder to be trusted, which no unattended run counts as.
        """
        if self.settings.only_managed or not self._trusted:
            return
        inside = path.is_relative_to(self._project)
        if (
            scope == "agent"
            and inside
            and path.exists()
            and not brought_hooks.folder_is_trusted(self._project, self._env)
        ):
            self._brought_problems.append(f"{path}: its hooks are ignored until {self._project} is trusted")
            return
        entries, problems = brought_hooks.hooks_of(path, scope, as_subagent=agent_id is not None)
        self._brought_problems += problems
        known = {(entry.identity, whose) for entry, whose in self._brought}
        self._brought += [(entry, agent_id) for entry in entries if (entry.identity, agent_id) not in known]

    def leave(self, agent_id: str | None) -> None:
        """An agent has ended, and its handlers with it."""
        self._brought = [
            (entry, whose)
            for entry, whose in self._brought
            if entry.source.scope != "agent" or whose != agent_id
        ]

    def done_once(self, entry: Registered) -> None:
        """A handler that was to run once has done so."""
        self._done_once.add(entry.identity)

    def of(self, event: str) -> list[Registered]:
        """All handlers of an event, in the order of their registration."""
        return [*self._by_event.get(event, []), *(e for e, _ in self._brought if e.event == event)]

    def phases(self, event: str) -> tuple[str, ...]:
        """Whether an administrator's handlers come first, and everybody else's after them."""
        entries = self._by_event.get(event, []) if event in MANAGED_FIRST else []
        return ("managed", "others") if any(e.source.scope == "managed" for e in entries) else ("all",)

    def chosen(self, event: str, payload: Mapping[str, Any], phase: str = "all") -> list[Registered]:
        """The handlers that run for this input."""
        entries = self._by_event.get(event, [])
        if phase != "all":
            entries = [e for e in entries if (e.source.scope == "managed") is (phase == "managed")]
        if self._brought and phase != "managed":
            whose = payload.get("agent_id")
            entries = entries + [
                entry
                for entry, agent_id in self._brought
                if entry.event == event
                and (agent_id is None or agent_id == whose)
                # A skill's hooks are gone by the time its session ends.
                and not (event == "SessionEnd" and entry.source.scope == "skill")
            ]
        if not entries:
            return []
        found = chosen(entries, event, payload, str(self._project), self._env.get("HOME", "/"))
        if not self._done_once:
            return found
        return [entry for entry in found if entry.identity not in self._done_once]

    def _configured(self) -> list[Registered]:
        found = self.settings.registered()
        if not self.settings.plugins_allowed:
            return found
        data = user_folder(self._env) / "plugins" / "data"
        folders = [("", folder) for folder in self._plugins]
        folders += brought_hooks.installed_plugins(self.settings, self._env)
        for full_name, folder in folders:
            options = brought_hooks.plugin_options(self.settings, full_name or f"{folder.name}@inline")
            registered, problems = brought_hooks.plugin_hooks(folder, data, options, full_name)
            self._settings_problems += problems
            found = found + registered
        return found

    def _arrange(self) -> None:
        self._by_event: dict[str, list[Registered]] = {}
        for entry in (*self._registered, *self._own):
            if entry.source.scope not in self._left_out:
                self._by_event.setdefault(entry.event, []).append(entry)


def _stamp(path: str) -> Stamp:
    """What tells one version of a file from another."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
