"""The agents' settings while git may take them away, and hookd's entries put back if it did.

`git stash`, `git restore` and `git clean` are everyday commands, and may take the file that has hookd's
entries along. Nothing tells of it: the hooks that could are in that file. So while such a call of an agent
runs, the daemon looks at the file itself. What a person does to it is left alone: only a file that is gone,
or is as git has it, is mended, only while hookd is registered there, and only until the call has ended.
"""

import asyncio
import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hookd.agents import AGENTS
from hookd.errors import SettingsError
from hookd.events.types import (
    Event,
    PostToolUse,
    PostToolUseFailure,
    SessionEnd,
    Stop,
    ToolEvent,
    UserPromptSubmit,
)
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.services import GitCall

if TYPE_CHECKING:
    from hookd.daemon.service import Service

LOOK_SECONDS = 0.25
# An agent lets a command run for ten minutes at most; its end is not told if the hooks are gone.
LONGEST_CALL_SECONDS = 610.0
# What waits for room is a git command that begins at once; longer than this nobody goes unguarded for it.
ROOM_SECONDS = 5.0


class _Watched(NamedTuple):
    """A settings file as it was before the call."""

    agent: str
    path: str
    before: str


class _Call(NamedTuple):
    session: str
    until: float
    in_background: bool
    cleans: bool
    files: tuple[_Watched, ...]


class _PutBack(NamedTuple):
    """What was put back into a file, and what git had left of it."""

    text: str
    left: str | None


class SettingsWatch:
    """The calls of agents that may take settings away, while they run; without any nothing is done."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._calls: dict[str, _Call] = {}
        self._seen: dict[str, object] = {}
        self._ended: dict[str, object] = {}
        """Calls that run on in the background, with git's state when they were told to have ended."""
        self._put_back: dict[str, _PutBack] = {}
        self._room: dict[str, float] = {}
        """Files that made room for git, and until when."""
        self._looking: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def armed(self) -> bool:
        return bool(self._calls)

    def arm(self, event: ToolEvent, git: GitCall) -> None:
        """Watches from now on until the call has ended."""
        if files := self._registered():
            background = git.stays or bool(event.tool_input.get("run_in_background"))
            until = time.monotonic() + LONGEST_CALL_SECONDS
            call = _Call(event.session_id, until, background, git.cleans, files)
            self._calls[event.tool_use_id or ""] = call
            if git.brings_back:
                self._make_room(files)
            self._seen = {file.path: self._sign(file) for file in files}
            if self._looking is None:
                self._looking = asyncio.get_running_loop().create_task(self._look_on())

    def _make_room(self, files: tuple[_Watched, ...]) -> None:
        """Takes away what was put back and nobody has touched since: git does not write over it."""
        from hookd.agents import settings_file

        for file in files:
            put = self._put_back.get(file.path)
            if put is None or put.text != file.before:
                continue
            try:
                settings_file.edit(Path(file.path), partial(_without, put))
            except SettingsError:
                continue  # then git says that it is in the way
            self._room[file.path] = time.monotonic() + ROOM_SECONDS

    def _registered(self) -> tuple[_Watched, ...]:
        from hookd.agents import settings_file  # few calls are about that
        from hookd.agents.registrations import Registrations

        found = []
        for each in Registrations(self._service.folders.registrations).all():
            if each.project_root not in (self._service.root, None) or each.agent not in AGENTS:
                continue
            try:
                text = settings_file.read(Path(each.path))
            except SettingsError:
                continue  # it cannot be read, so nobody could tell what was in it
            if text is not None:
                found.append(_Watched(each.agent, each.path, text))
        return tuple(found)

    async def _look_on(self) -> None:
        try:
            while self._calls:
                await asyncio.sleep(LOOK_SECONDS)
                await self._look(changed_only=True)
                now = time.monotonic()
                self._calls = {name: call for name, call in self._calls.items() if call.until > now}
                self._ended = {name: sign for name, sign in self._ended.items() if name in self._calls}
        finally:
            self._looking = None

    async def observe(self, event: Event) -> None:
        """Ends the watch over calls that this event tells the end of, after a last look."""
        if isinstance(event, PostToolUse | PostToolUseFailure):
            ended = [name for name in self._calls if name == (event.tool_use_id or "")]
        elif isinstance(event, Stop | UserPromptSubmit | SessionEnd):
            ended = [name for name, call in self._calls.items() if call.session == event.session_id]
        else:
            return
        over = isinstance(event, SessionEnd)
        for name in ended:
            if self._calls[name].in_background:
                self._ended.setdefault(name, self._trace())
        ended = [name for name in ended if over or not self._calls[name].in_background]
        if ended:
            self._room.clear()
            await self._look()
            for name in ended:
                self._calls.pop(name, None)

    async def close(self) -> None:
        """A last look before the daemon ends."""
        if self._calls:
            self._room.clear()
            await self._look()
            self._calls.clear()
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self, *, changed_only: bool = False) -> None:
        async with self._one_at_a_time:
            for name, call in list(self._calls.items()):
                if name in self._ended and not call.cleans and self._ended[name] == self._trace():
                    continue  # git has done nothing since, so it was a person
                for file in call.files:
                    sign = self._sign(file)
                    waits = file.path in self._room
                    if waits and self._room[file.path] > time.monotonic():
                        continue
                    self._room.pop(file.path, None)
                    if changed_only and not waits and self._seen.get(file.path) == sign:
                        continue
                    self._seen[file.path] = sign
                    if await asyncio.to_thread(self._mended, file):
                        self._seen[file.path] = self._sign(file)
                        self._tell(call.session, file.path)

    def _sign(self, file: _Watched) -> object:
        """Changes when the file does, or git's index, which is the last thing that git writes."""
        return tuple(map(_sign, (file.path, f"{self._service.root}/.git/index")))

    def _trace(self) -> object:
        """Changes when git has stashed, restored or checked out."""
        folder = f"{self._service.root}/.git"
        return tuple(map(_sign, (f"{folder}/index", f"{folder}/refs/stash", f"{folder}/logs/HEAD")))

    def _mended(self, file: _Watched) -> bool:
        """Whether git had taken hookd's entries away, and they are back now."""
        from hookd.agents import settings_file
        from hookd.agents.registrations import Registrations
        from hookd.gitstate import GitState

        agent = AGENTS[file.agent]
        if Registrations(self._service.folders.registrations).find(file.agent, file.path) is None:
            return False  # a person has taken hookd out

        def mend(now: str | None) -> str | None:
            if now is not None and agent.stays_registered(file.before, now):
                return now
            taken = now is None or GitState(os.path.dirname(file.path)).has(file.path) is True
            if not taken:
                return now
            text = agent.restored(file.before, now)
            # What git brought may switch hooks off by other means than having no entries.
            text = text if agent.stays_registered(file.before, text) else file.before
            self._put_back[file.path] = _PutBack(text, now)
            return text

        try:
            return settings_file.edit(Path(file.path), mend).changed
        except SettingsError as error:
            self._service.put_down("settings", f"hookd's entries cannot be put back: {error}")
            return False

    def _tell(self, session: str, path: str) -> None:
        what = f"a git command of the agent took hookd's entries out of {path}; they are back as they were"
        self._service.put_down("put back", what)
        if session:
            advice = "Leave that file out of stashes and clean-ups: it guards this session."
            try:
                self._service.outbox.put(session, [Sent(f"hookd: {what}. {advice}", "hookd")])
            except OSError as error:
                self._service.note("messages", f"the agent cannot be told: {error.strerror}")


def _without(put: _PutBack, now: str | None) -> str | None:
    """The file as git had left it, if it is still what was put back."""
    return put.left if now == put.text else now


def _sign(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
