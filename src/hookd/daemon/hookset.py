"""The hooks in force: loaded at the start, loaded anew when a file, the config or the trust changes."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator

import msgspec

from hookd import capabilities
from hookd.config import Config
from hookd.daemon.metrics import ANY_EVENT
from hookd.daemon.recorder import Recorder
from hookd.events.types import Event, ToolEvent
from hookd.hooks import start_worker
from hookd.hooks.api import origins
from hookd.hooks.dispatch import Dispatcher
from hookd.hooks.hook_sources import Found
from hookd.hooks.kit.storage import folder_of
from hookd.hooks.services import GitCall, Services
from hookd.hooks.start_worker import Started
from hookd.hooks.worker_pool import HookPool, WorkerGoneError
from hookd.paths import UserFolders, as_text, project_key

RETRY_SECONDS = 5.0

Note = Callable[[str, str], None]
Said = tuple[str, str]
"""A problem's kind, and what it is."""


class HookSet:
    """A project's hooks and the dispatcher that runs them."""

    def __init__(
        self,
        root: str,
        folders: UserFolders,
        extra_hooks: Iterable[str],
        head_start: Started | None,
        recorder: Recorder,
        note: Note,
        *,
        put_down: Note,
        works: Callable[[set[str]], None],
    ) -> None:
        """`note` tells of what happened, `put_down` of what holds until it is mended: that is not counted.

        `works` is told what works again: hooks that have another file than before, the model, the loading.
        """
        self._root = root
        self._folders = folders
        self._sources = capabilities.sources(root, folders, extra_hooks)
        self._head_start = head_start
        self._recorder = recorder
        self._note = note
        self._put_down = put_down
        self._works = works
        self._standing: list[Said] = []
        self._config_problems: list[str] | None = None
        self.watch_settings: Callable[[ToolEvent, GitCall], object] | None = None
        """For a daemon to set, before anything is loaded: only who stays can look on while a call runs."""
        self._dispatcher: Dispatcher | None = None
        self.users: HookPool | None = None
        self._loading: asyncio.Task[Dispatcher] | None = None
        self.found = Found(Config(), [], False, (), ())
        self.services = self._new_services(self.found)
        self._retry_at = 0.0
        self.loaded: Callable[[Dispatcher], None] = lambda _dispatcher: None
        """Is told of the hooks in force whenever they are others."""
        self.broken: str | None = None
        """Why users' hooks cannot be run at all, or None."""

    def _new_services(self, found: Found) -> Services:
        return Services(
            found.config,
            found.files,
            self._recorder.store,
            folders=self._folders,
            managed=found.managed,
            commands=capabilities.commands(),
            tell=self._note,
            works=self._works,
            catch_up=self._recorder.catch_up,
            record=self._recorder.append,
            watch_settings=self.watch_settings,
        )

    def config_in_force(self) -> Config:
        """The configuration in force, read for this if nothing has been loaded yet."""
        if self._dispatcher is not None:
            return self.found.config
        return capabilities.sources(self._root, self._folders).read().config

    def ready(self) -> Dispatcher | None:
        """The dispatcher, if it is the one for what is on disk now."""
        # Hooks that could not be run at all deserve another try.
        due_again = self.broken is not None and time.monotonic() > self._retry_at
        if self._dispatcher is None or due_again or self._sources.changed():
            return None
        return self._dispatcher

    async def current(self) -> Dispatcher:
        """The dispatcher for what is on disk now. Whoever stops waiting does not stop the loading."""
        ready = self.ready()
        return ready if ready is not None else await asyncio.shield(self._under_way())

    async def catch_up(self, seconds: float) -> None:
        """Has what is on disk now loaded, if that takes no longer; whatever fails there is noted there."""
        if self.ready() is None:
            await asyncio.wait({self._under_way()}, timeout=seconds)

    def _under_way(self) -> asyncio.Task[Dispatcher]:
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(self._loaded)
        return self._loading

    def _loaded(self, task: asyncio.Task[Dispatcher]) -> None:
        self._loading = None
        if not task.cancelled() and task.exception() is not None:
            self._note("hooks", f"loading failed: {type(task.exception()).__name__}")

    async def _load(self) -> Dispatcher:
        found = self._sources.read()
        head_start, self._head_start = self._head_start, None
        users: HookPool | None = None
        broken = None
        wrong: list[Said] = []
        if found.sources or found.entry_points:
            users = HookPool(
                self._root,
                found.sources,
                entry_points=found.entry_points,
                load_seconds=found.config.limits.load_seconds,
                head_start=head_start,
                kept=as_text(str(folder_of(self._folders.data, project_key(self._root)))),
                redact=msgspec.msgpack.encode(found.config.redact),
            )
            try:
                await users.start()
            except WorkerGoneError as error:
                broken = str(error)
                self._retry_at = time.monotonic() + RETRY_SECONDS
                wrong.append(("hook processes", broken))
            else:
                self._sources.settle(found.sources, {fault.path for fault in users.faults})
            wrong += [("hook file", f"{fault.path}: {fault.problem}") for fault in users.faults]
        elif head_start is not None:
            start_worker.end(head_start)
        wrong += [("config", problem) for problem in found.problems]
        self.close()
        changed = _other_hooks(self.users, self.found, found)
        self.users = users
        before = (self.found.config, self.found.files, self.found.managed)
        if self._dispatcher is None or before != (found.config, found.files, found.managed):
            self.services = self._new_services(found)
        self.found, self.broken = found, broken
        handlers = capabilities.handlers(self._root, self.services)
        for folder, written in self.services.asked_for.items():
            wrong += [(folder, problem) for problem in written.problems]
            self._sources.settle_files(written.good)
        for said in wrong:
            if said not in self._standing:
                self._put_down(*said)
        self._standing, self._config_problems = wrong, None
        self._dispatcher = Dispatcher(handlers, users, found.config, self._root)
        self._works({*changed, ANY_EVENT})
        self.loaded(self._dispatcher)
        return self._dispatcher

    def left_out(self, event: Event, turn: int, previous_path: str | None) -> Iterator[tuple[str, str]]:
        """The hooks that were not run for this event, each with the reason; files, if nobody trusts them."""
        if self._dispatcher is not None:
            for each, why in self._dispatcher.left_out(event, turn, previous_path):
                yield each.hook, why
        for waiting in self.found.waiting:
            if waiting.endswith(": hook"):
                yield waiting.removesuffix(": hook"), "it waits for trust"

    def standing(self) -> list[str]:
        """What is wrong with the files in force; it is gone as soon as it is mended."""
        if self._config_problems is None:
            self._config_problems = capabilities.config_problems(self._root, self.found)
        told = {what for _, what in self._standing}
        more = [f"config: {what}" for what in self._config_problems if what not in told]
        return [*(f"{kind}: {what}" for kind, what in self._standing), *more]

    def wanted_events(self) -> set[str]:
        """The protocol's events that some hook listens to."""
        names = self._dispatcher.events if self._dispatcher else set()
        return {origin for name in names for origin in origins(name)}

    def trim(self) -> None:
        """Gives back what a burst of events needed."""
        if self.users is not None:
            self.users.trim()

    def close(self) -> None:
        """Ends the hooks' processes."""
        if self.users is not None:
            self.users.close()


def _other_hooks(users: HookPool | None, before: Found, now: Found) -> set[str]:
    """The hooks that were in force and whose file is another one now, or gone."""
    code = {source.path: source.code for source in now.sources}
    changed = {source.path for source in before.sources if code.get(source.path) != source.code}
    return {each.hook for each in users.subscriptions if each.file in changed} if users else set()
