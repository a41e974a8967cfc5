"""The daemon's life: startup (the socket first, the web later), serve, shutdown."""

import asyncio
import contextlib
import fcntl
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

import hookd
from hookd import __version__
from hookd.capabilities import status_of
from hookd.daemon import log, versions
from hookd.daemon.listener import Connection, Standing
from hookd.daemon.outside_events import OutsideEvents
from hookd.daemon.service import Service
from hookd.daemon.upkeep import Upkeep
from hookd.errors import DaemonError
from hookd.hooks.start_worker import Started
from hookd.paths import RuntimeFiles, ensure_runtime_folder, runtime_files
from hookd.private_files import write_private
from hookd.wire import Answer, Request

# Long enough for a session that starts as another ends, short enough to be gone within a second.
LAST_SESSION_GRACE = 0.3
INGEST_AT_MOST = 2.0
TRIM_DELAY = 30.0
DRAIN_SECONDS = 3.0
# What a person who asks for the status waits so that it is true.
LOOK_SECONDS = 2.0
LAST_PATIENCE = 1.0
IDLE_LOOK_SECONDS = 300.0
QUIET_SECONDS, QUIET_AT_MOST = 0.2, 2.0
# Without a data folder there is no client, so no event may come that would notice it.
DATA_LOOK_SECONDS = 2.0
# The store's upkeep waits for a longer pause, however long that takes to come.
UPKEEP_QUIET_SECONDS, UPKEEP_EVERY_SECONDS = 3.0, 1800.0

# Starts what answering events does not need, and returns what must be closed at the end.
Starter = Callable[["Daemon"], Any]


class Daemon:
    """One project's daemon."""

    def __init__(
        self,
        root: str,
        env: Mapping[str, str],
        extra_hooks: list[str],
        start_the_rest: Starter | None,
        head_start: Started | None,
    ) -> None:
        self.service = Service(root, env, extra_hooks=extra_hooks, head_start=head_start)
        self.service.log = log.to_stderr
        self.service.afterwards.stays = True
        self.service.hooks.watch_settings = self.service.settings_watch.arm
        self.upkeep = Upkeep(self.service)
        self.outside = OutsideEvents(self.service)
        self.service.hooks.loaded = self.outside.follow
        self.files = runtime_files(root, env)
        self.port: int | None = None
        self.token = os.urandom(32).hex()
        self.login_codes: dict[str, float] = {}
        self._start_the_rest = start_the_rest
        self._stop = asyncio.Event()
        self._under_way: set[asyncio.Task[None]] = set()
        self._code = _fingerprint()
        self._last_event = time.monotonic()
        self._ingest_timer: asyncio.TimerHandle | None = None
        self._ingest_by = 0.0
        self._trim_timer: asyncio.TimerHandle | None = None
        self._web: Any = None
        self.no_page = ""
        """Why the page cannot be served, if it cannot."""
        self._retry: asyncio.Future[None] | None = None

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        server = await self._startup(loop)
        try:
            async with asyncio.TaskGroup() as tasks:
                parts = (
                    self._start_late,
                    self._watch_sessions,
                    self._watch_idleness,
                    self._watch_the_data,
                    self._keep_the_store,
                )
                background = [tasks.create_task(part()) for part in parts]
                await self._stop.wait()
                for task in background:
                    task.cancel()
        finally:
            await self._shutdown(server)

    async def _startup(self, loop: asyncio.AbstractEventLoop) -> asyncio.AbstractServer:
        # We hold the lock, so a socket that is there belongs to nobody.
        _remove(self.files.socket)
        write_private(self.files.pid, str(os.getpid()))
        server = await loop.create_unix_server(
            lambda: Connection(self._standing, self._respond, self._under_way), self.files.socket, backlog=512
        )
        self._served = versions.take_over(self.files, __version__, hookd.__file__)
        self._loaded = loop.create_task(self.service.start())
        log.to_stderr(f"hookd {__version__} serves {self.service.root} as process {os.getpid()}")
        return server

    def _standing(self, request: Request) -> Standing:
        """What the daemon does with a request: it leaves once the installed hookd is not the one it is of.

        Where two versions are installed and both send events, that would be at every event; so it stays then.
        """
        if request.agent == "hookd":
            return "serve"
        foreign = request.version not in ("", __version__)
        if _fingerprint() == self._code:
            if not foreign:
                return "serve"
            if versions.replacements(self._served, versions.TURN_SECONDS) >= versions.MOST_TURNS:
                return "decline"
        self._stop.set()
        return "leave"

    async def _respond(self, request: Request) -> Answer:
        if request.agent == "hookd":
            return await self._control(request.event)
        answer = await self.service.answer(request)
        self.after_event()
        return answer

    async def _control(self, what: str) -> Answer:
        """hookd's own commands, over the same socket."""
        match what:
            case "status":
                return Answer(stdout=msgspec.json.encode(await self.current_status()))
            case "stop":
                self._stop.set()
                return Answer()
            case "login":
                code = os.urandom(24).hex()
                self.login_codes[code] = time.monotonic() + 60
                return Answer(stdout=code.encode())
            case "ping":
                return Answer(stdout=str(os.getpid()).encode())
        return Answer(1, stderr=f"no such command: {what}".encode())

    async def current_status(self) -> dict[str, Any]:
        """The same once what changed on disk is loaded, and a store that could not be written tried again."""
        await self.service.hooks.catch_up(LOOK_SECONDS)
        if self.service.recorder.failures:
            if self._retry is None or self._retry.done():
                loop = asyncio.get_running_loop()
                self._retry = loop.run_in_executor(None, self.upkeep.try_again)
            await asyncio.wait({self._retry}, timeout=LOOK_SECONDS)
        if self.service.metrics.problems:
            await asyncio.to_thread(self.service.look_again)
        return self.status()

    def status(self) -> dict[str, Any]:
        """A `DaemonStatus`, and what each capability says of itself under its name."""
        from hookd.daemon import report  # no event waits for it

        service = self.service
        turns = versions.taking_turns(versions.served_lately(self.files))
        standing = {"versions": turns, "web": self.no_page}
        told = status_of(service.project, service.config)
        return {**report.status(service, standing), **told, "port": self.port}

    def after_event(self) -> None:
        """What an answer does not need happens a moment later."""
        self._last_event = time.monotonic()
        if self._ingest_timer is None:
            loop = asyncio.get_running_loop()
            self._ingest_by = self._last_event + INGEST_AT_MOST
            self._ingest_timer = loop.call_later(QUIET_SECONDS, self._ingest_when_quiet)
            if self._trim_timer is not None:
                self._trim_timer.cancel()
            self._trim_timer = loop.call_later(TRIM_DELAY, self.service.hooks.trim)

    def _ingest_when_quiet(self) -> None:
        """Ingesting takes the interpreter from the client that is being answered, so it waits for a pause."""
        loop = asyncio.get_running_loop()
        if time.monotonic() < min(self._last_event + QUIET_SECONDS, self._ingest_by):
            self._ingest_timer = loop.call_later(QUIET_SECONDS, self._ingest_when_quiet)
            return
        self._ingest_timer = None
        loop.run_in_executor(None, self.upkeep.ingest)

    async def _start_late(self) -> None:
        await self._loaded
        # The imports that follow are heavy, and the first events of a session come close together.
        began = time.monotonic()
        while time.monotonic() < min(self._last_event + QUIET_SECONDS, began + QUIET_AT_MOST):
            await asyncio.sleep(QUIET_SECONDS / 2)
        await asyncio.get_running_loop().run_in_executor(None, self.service.hooks.services.warm)
        gc.collect()
        gc.freeze()
        gc.enable()  # off since the process began, so that nothing was looked through again and again
        with contextlib.suppress(OSError):
            # Without it the folder above is watched for it, and the database's files come and go there.
            self.service.folders.trust.mkdir(parents=True, exist_ok=True, mode=0o700)
        if turns := versions.taking_turns(self._served):
            self.service.put_down("versions", turns)
        if self._start_the_rest is not None:
            self._web = await self._start_the_rest(self)

    async def _watch_sessions(self) -> None:
        ended = self.service.last_session_ended
        while True:
            await ended.wait()
            await asyncio.sleep(LAST_SESSION_GRACE)
            await self.service.afterwards.done()
            ended.clear()
            if not len(self.service.sessions):
                self._stop.set()

    async def _watch_idleness(self) -> None:
        await self._loaded
        while True:
            limit = self.service.config.daemon.idle_minutes * 60
            left = self._last_event + limit - time.monotonic()
            if left <= 0:
                self._stop.set()
                return
            await asyncio.sleep(min(left, IDLE_LOOK_SECONDS))

    async def _watch_the_data(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(DATA_LOOK_SECONDS)
            await loop.run_in_executor(None, self.service.recorder.look_for_the_journal)

    async def _keep_the_store(self) -> None:
        await self._loaded
        while True:
            while (pause := self._last_event + UPKEEP_QUIET_SECONDS - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            await asyncio.get_running_loop().run_in_executor(None, self.upkeep.run)
            log.begin_anew_if_long(self.files.log)  # debug mode fills it within a day
            await asyncio.sleep(UPKEEP_EVERY_SECONDS)

    async def _shutdown(self, server: asyncio.AbstractServer) -> None:
        """Takes no more clients, answers those it has, and leaves nothing behind."""
        server.close()
        self.upkeep.stop.tell()
        _remove(self.files.socket)
        if self._web is not None:
            self._web.close()
        self._loaded.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=DRAIN_SECONDS)
        if self._ingest_timer is not None:
            self._ingest_timer.cancel()
        self.outside.close()
        await self.service.settings_watch.close()
        self.service.hooks.close()
        # Whoever comes next brings in what a busy store does not take now.
        self.service.recorder.store.patience = LAST_PATIENCE
        await asyncio.get_running_loop().run_in_executor(None, self.service.recorder.close)
        log.to_stderr("ended")
        _remove(self.files.pid, self.files.port, self.files.token)


def _remove(*paths: str) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _fingerprint() -> object:
    """Changes when the package on disk is replaced or removed."""
    try:
        found = os.stat(hookd.__file__ or "")
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def take_lock(files: RuntimeFiles) -> int:
    """The daemon's lock as a descriptor; raises if another daemon holds it."""
    ensure_runtime_folder(files.folder)
    descriptor = os.open(files.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise DaemonError(
            "a daemon for this project is running already", hint="see `hookd ps`, or `hookd daemon restart`"
        ) from None
    return descriptor


def run(
    root: str,
    *,
    lock: int | None = None,
    env: Mapping[str, str] = os.environ,
    extra_hooks: list[str] | None = None,
    start_the_rest: Starter | None = None,
    head_start: Started | None = None,
) -> int:
    """Runs the daemon until it is told to stop or its work is done."""
    files = runtime_files(root, env)
    ensure_runtime_folder(files.folder)
    if lock is None:
        lock = take_lock(files)
    else:
        os.set_inheritable(lock, False)
        log.begin_anew_if_long(files.log)
    os.umask(0o077)
    # The loop's thread must get the interpreter back quickly while another one ingests.
    sys.setswitchinterval(0.0002)

    async def main() -> None:
        await Daemon(root, env, extra_hooks or [], start_the_rest, head_start).run()

    import uvloop

    uvloop.run(main())
    os.close(lock)
    return 0
