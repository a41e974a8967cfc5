"""One request to one answer: decode, dispatch, encode, record.

The daemon's socket, its HTTP endpoint and the in-process path all come through here.
"""

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hookd import __version__
from hookd.agents import AGENTS, Adapter
from hookd.builtin import builtin_handlers
from hookd.config import Config
from hookd.daemon.recorder import Recorder
from hookd.daemon.sessions import Session, SessionTable
from hookd.errors import EventError, SettingsError
from hookd.events.outcome import NOTHING, Outcome, fold
from hookd.events.types import EVENTS, Event, SessionStart, ToolEvent
from hookd.hooks import process
from hookd.hooks.api import Context, origins
from hookd.hooks.discovery import Found, Sources
from hookd.hooks.dispatch import Dispatched, Dispatcher, failure_outcome, verdict_of
from hookd.hooks.metrics import Metrics
from hookd.hooks.pool import HookPool, HookRun, WorkerGoneError
from hookd.hooks.process import Started
from hookd.journal.entries import Entry
from hookd.paths import project_key, user_folders
from hookd.wire import GATE_EVENTS, SELF_TEST_EVENT, Answer, Request

# A turn index is worth this much of an agent's time and no more.
STORE_PATIENCE = 0.1


class Service:
    """Answers a project's events."""

    def __init__(
        self,
        root: str,
        env: Mapping[str, str] = os.environ,
        *,
        extra_hooks: Iterable[str] = (),
        head_start: Started | None = None,
    ) -> None:
        self._head_start = head_start
        self._env = env
        self.root = root
        self.key = project_key(root)
        self.folders = user_folders(env)
        self.metrics = Metrics()
        self.sessions = SessionTable()
        self.recorder = Recorder(root, self.folders)
        self.started = time.time()
        self.found = Found(Config(), [], False, (), ())
        self.last_session_ended = asyncio.Event()
        self.log: Callable[[str], None] = lambda _line: None
        self._sources = Sources(root, self.folders, extra_hooks)
        self._dispatcher: Dispatcher | None = None
        self._loading = asyncio.Lock()
        self._broken_hooks: str | None = None

    @property
    def config(self) -> Config:
        return self.found.config

    async def start(self) -> None:
        """Loads configuration and hooks; events that come earlier wait for it."""
        await self._current_dispatcher()

    async def _current_dispatcher(self) -> Dispatcher:
        if self._dispatcher is None or self._sources.changed():
            async with self._loading:
                if self._dispatcher is None or self._sources.changed():
                    self._dispatcher = await self._load()
        return self._dispatcher

    async def _load(self) -> Dispatcher:
        found = self._sources.read()
        users: HookPool | None = None
        self._broken_hooks = None
        if found.sources or found.entry_points:
            users = HookPool(
                self.root,
                found.sources,
                entry_points=found.entry_points,
                load_seconds=found.config.limits.load_seconds,
                head_start=self._head_start,
            )
            self._head_start = None
            try:
                await users.start()
            except WorkerGoneError as error:
                self._broken_hooks = str(error)
                self.note("hooks", str(error))
            self._sources.settle(found.sources, {fault.path for fault in users.faults})
            for fault in users.faults:
                self.note("hook file", f"{fault.path}: {fault.problem}")
        if self._head_start is not None:
            process.end(self._head_start)
            self._head_start = None
        for problem in found.problems:
            self.note("config", problem)
        if self._dispatcher is not None and self._dispatcher.users is not None:
            self._dispatcher.users.close()
        if self._dispatcher is not None:
            self.log(f"reloaded: {len(found.sources)} hook files")
        self.found = found
        self.recorder.keep_runs = found.config.runs.enabled
        return Dispatcher(builtin_handlers(self.root), users, found.config, self.metrics, self.root)

    async def answer(self, request: Request, via: str = "socket") -> Answer:
        """The agent's answer; whatever goes wrong, it is one the agent can read."""
        began = time.perf_counter()
        adapter = AGENTS.get(request.agent)
        if adapter is None:
            self.note("bad input", f"no adapter for the agent {request.agent!r}")
            return Answer()
        dispatcher = await self._current_dispatcher()
        if request.oversize:
            return self._oversize(adapter, request)
        try:
            event, oddities = adapter.decode(request.payload, request.event)
        except EventError as error:
            self.note("bad input", str(error))
            self.metrics.event(request.event, (time.perf_counter() - began) * 1000, error=True)
            return Answer()
        for oddity in oddities:
            self.note("bad input", oddity)
        if adapter.stands_down(event, request.env):
            return Answer()
        session = self.sessions.touch(event, request.agent, await self._known_turn(event))
        dispatched = await self._dispatch(dispatcher, event, self._context(request, event, session))
        answer, dropped = adapter.encode(event, dispatched.outcome)
        for part in dropped:
            self.note("hooks", f"{event.name} cannot carry what a hook answered: {part}")
        spent = (time.perf_counter() - began) * 1000
        if event.name != SELF_TEST_EVENT:
            self._record(request, event, session, dispatched, spent, via)
        if self.sessions.settle(event, session):
            self.last_session_ended.set()
        return answer

    async def _known_turn(self, event: Event) -> int:
        """Where a session stands that another process has served so far; the store is never waited for."""
        begins = isinstance(event, SessionStart) and event.source == "startup"
        if begins or not event.session_id or event.session_id in self.sessions:
            return 0
        look = asyncio.get_running_loop().run_in_executor(None, self.recorder.known_turn, event.session_id)
        try:
            return await asyncio.wait_for(look, STORE_PATIENCE)
        except TimeoutError:
            return 0

    def _context(self, request: Request, event: Event, session: Session) -> Context:
        return Context(
            agent=request.agent,
            project=self.root,
            cwd=event.cwd or request.cwd or self.root,
            session_id=event.session_id,
            session_path=session.path,
            turn_index=session.turn,
            attended=request.env.get("CLAUDE_CODE_SESSION_ATTENDED") != "0",
        )

    async def _dispatch(self, dispatcher: Dispatcher, event: Event, context: Context) -> Dispatched:
        gate = event.name in GATE_EVENTS
        limit = self.config.limits.gate_seconds if gate else self.config.limits.hook_seconds
        try:
            async with asyncio.timeout(limit):
                dispatched = await dispatcher.dispatch(event, context, self.sessions.last_path)
        except TimeoutError:
            what = f"{event.name} was not answered within {limit:g} s"
            self.note("timeout", what)
            return Dispatched(self._on_failure(what) if gate else NOTHING)
        if gate and self._broken_hooks:
            failed = self._on_failure(self._broken_hooks)
            return Dispatched(fold([dispatched.outcome, failed]), dispatched.runs)
        return dispatched

    def _on_failure(self, why: str) -> Outcome:
        return failure_outcome(self.config.gate.on_failure, why)

    def _oversize(self, adapter: Adapter, request: Request) -> Answer:
        what = f"the input for {request.event} is over 16 MiB"
        self.note("bad input", what)
        if request.event not in GATE_EVENTS:
            return Answer()
        return adapter.encode(EVENTS[request.event](), self._on_failure(what))[0]

    def _record(
        self,
        request: Request,
        event: Event,
        session: Session,
        dispatched: Dispatched,
        spent: float,
        via: str,
    ) -> None:
        faults = [run for run in dispatched.runs if run.fault is not None]
        tool = event.tool_name if isinstance(event, ToolEvent) else ""
        verdict = verdict_of(dispatched.outcome) or ""
        now = time.time()
        self.metrics.event(event.name, spent, error=bool(faults))
        self.metrics.activity.append(
            {
                "at": now,
                "event": event.name,
                "tool": tool,
                "verdict": verdict,
                "by": dispatched.outcome.source,
                "ms": round(spent, 3),
                "session": session.id,
            }
        )
        for run in faults:
            self._note_fault(run)
        for run in dispatched.runs:
            for line in run.lines:
                self.log(f"{run.subscription.hook}: {line}")
        for conflict in dispatched.outcome.conflicts:
            self.note("hooks", conflict)
        self.recorder.append(
            Entry(
                id=request.nonce or secrets.token_hex(16),
                at=now,
                agent=request.agent,
                event=event.name,
                session=session.id,
                tool=tool,
                tool_use=(event.tool_use_id or "") if isinstance(event, ToolEvent) else "",
                subagent=event.agent_id or "",
                detail=_detail(event),
                verdict=verdict,
                by=dispatched.outcome.source,
                hooks=len(dispatched.runs),
                ms=round(spent, 3),
                turn=session.turn,
                via=via,
            )
        )

    def _note_fault(self, run: HookRun) -> None:
        self.note("hook", f"{run.subscription.hook} on {run.subscription.event}: {run.fault}")

    def note(self, kind: str, what: str) -> None:
        self.metrics.problems[f"{kind}: {what}"] += 1
        self.recorder.problem(kind, what)
        self.log(f"{kind}: {what}")

    def wanted_events(self) -> set[str]:
        """The protocol's events that some hook listens to."""
        names = self._dispatcher.events if self._dispatcher else set()
        return {origin for name in names for origin in origins(name)}

    def status(self) -> dict[str, Any]:
        """What `/health` and `hookd status` show."""
        users = self._dispatcher.users if self._dispatcher else None
        problems = dict(self.metrics.problems.most_common(50))
        if self.recorder.failure:
            problems[self.recorder.failure] = 1
        degraded = bool(problems or (users and users.quarantined) or self._broken_hooks)
        return {
            "status": "degraded" if degraded else "ok",
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.time() - self.started, 3),
            "project": self.root,
            "sessions": self.sessions.report(),
            "hooks": self.metrics.report_events(),
            "evaluator": {"configured": False},
            "store": {"path": str(self.folders.database), "failure": self.recorder.failure},
            "hook_calls": self.metrics.report_hooks(),
            "subscriptions": [
                {"hook": s.hook, "event": s.event, "tool": s.tool, "order": s.order, "file": s.file}
                for s in (users.subscriptions if users else ())
            ],
            "hook_files": {
                fault.path: {"problem": fault.problem, "last_good_in_force": fault.kept_last_good}
                for fault in (users.faults if users else ())
            },
            "quarantined": users.quarantined if users else {},
            "waiting_for_trust": list(self.found.waiting),
            "wanted_events": sorted(self.wanted_events()),
            "registered": self.registered(),
            "problems": problems,
            "activity": list(self.metrics.activity)[-20:],
        }

    def registered(self) -> list[dict[str, Any]]:
        """Which agents send their events here, as their settings files say now."""
        from hookd.agents.installing import Target  # its imports are not for the first event to wait for

        target = Target(self.root, "local", self.folders.registrations, self._env)
        try:
            return [
                {"agent": agent.NAME, "scope": place.scope, "disabled": place.disabled}
                for agent in AGENTS.values()
                for place in agent.installed(target)
            ]
        except SettingsError as error:
            return [{"agent": "", "scope": "", "disabled": True, "problem": str(error)}]

    def trim(self) -> None:
        """Gives back what a burst of events needed."""
        if self._dispatcher is not None and self._dispatcher.users is not None:
            self._dispatcher.users.trim()

    def close(self) -> None:
        """Ends the hooks' processes and brings the record into the store."""
        if self._dispatcher is not None and self._dispatcher.users is not None:
            self._dispatcher.users.close()
        self.recorder.close()


def _detail(event: Event) -> str:
    """The event's own short word: why it happened, from a closed set, never free text."""
    for name in ("source", "reason", "trigger", "notification_type"):
        value = getattr(event, name, None)
        if isinstance(value, str) and len(value) <= 40 and value.isidentifier():
            return value
    return ""
