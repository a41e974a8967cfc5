"""One request to one answer: decode, dispatch, encode, record.

The daemon's socket, its HTTP endpoint and the in-process path all come through here.
"""

import asyncio
import os
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from functools import partial

import msgspec

from hookd.agents import AGENTS, Adapter
from hookd.capabilities import CAPABILITIES
from hookd.config import Config
from hookd.daemon import log
from hookd.daemon.bus import Answered, Bus, PendingDecision, ProblemNoted, SessionBegan, SessionEnded
from hookd.daemon.hookset import HookSet, Said
from hookd.daemon.journal_entry import entry_of
from hookd.daemon.metrics import ANY_EVENT, Metrics, subjects
from hookd.daemon.outbox import ProjectOutbox
from hookd.daemon.recorder import KnownSession, Recorder
from hookd.daemon.sessions import ActiveSession, SessionTable
from hookd.daemon.settings_watch import SettingsWatch
from hookd.daemon.upkeep import Afterwards
from hookd.errors import EventError
from hookd.events.outcome import NOTHING, Decision, Fact, Importance, Outcome, fold
from hookd.events.types import EVENTS, GATE_EVENTS, Event, SessionEnd, SessionStart, ToolEvent
from hookd.hooks.api import Context, Subscription
from hookd.hooks.context_budget import Arbiter, passed
from hookd.hooks.dispatch import Dispatched, verdict_of
from hookd.hooks.failure_policy import failure_outcome
from hookd.hooks.invoke import HookRun
from hookd.hooks.kit.outbox import Sent
from hookd.hooks.start_worker import Started
from hookd.journal.entries import MESSAGE_FACT
from hookd.paths import as_text, project_at, project_key, user_folders
from hookd.redact.journal_content import is_large
from hookd.redact.redactor import Redactor
from hookd.wire import SELF_TEST_EVENT, Answer, Request, is_ci

# A turn index is worth this much of an agent's time and no more.
STORE_PATIENCE = 0.1
# Hooks are stopped one by one when their time is up; this is for what else might hang.
SLACK_SECONDS = 2.0


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
        self.root = root
        self.env = env
        self.key = project_key(root)
        self.folders = user_folders(env)
        self.metrics = Metrics()
        self.bus = Bus()
        self.sessions = SessionTable()
        self.arbiter = Arbiter()
        self.project = project_at(root, env)
        self.recorder = Recorder(
            root, self.folders, lambda: self.hooks.config_in_force(), self.publish_problem, lambda: self.debug
        )
        self.outbox = ProjectOutbox(self.folders.data, self.key)
        self.hooks = HookSet(
            root,
            self.folders,
            extra_hooks,
            head_start,
            self.recorder,
            self.note,
            put_down=self.put_down,
            works=self.metrics.works,
        )
        self.afterwards = Afterwards(self)
        self.settings_watch = SettingsWatch(self)
        self.started = time.time()
        self.last_session_ended = asyncio.Event()
        self.log: Callable[[str], None] = lambda _line: None

    @property
    def config(self) -> Config:
        return self.hooks.found.config

    @property
    def redactor(self) -> Redactor:
        """What everything that is stored, logged or shown has gone through."""
        return self.hooks.services.redactor

    @property
    def debug(self) -> log.Write | None:
        """Takes a line on what was decided, redacted or skipped, if somebody wants to know."""
        return log.debug_sink(self.config, self.log, self.redactor.text)

    async def start(self) -> None:
        """Loads configuration and hooks; events that come earlier wait for it."""
        await self.hooks.current()

    async def answer(self, request: Request, via: str = "socket") -> Answer:
        """The agent's answer; whatever goes wrong, it is one the agent can read."""
        adapter = AGENTS.get(request.agent)
        if adapter is None:
            return self._unknown_agent(request)
        wrong: list[Said] = []
        try:
            return await self._answer(adapter, request, via, wrong)
        except EventError as error:
            self.note("bad input", str(error))
            self.metrics.event(adapter.canonical(request.event), 0.0, error=True)
            await self.hooks.current()
            return self._failed(adapter, request, str(error))
        except Exception as error:  # noqa: BLE001 - a bug must not cost the agent its answer
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}"
            self.note("bug", what)
            return self._failed(adapter, request, f"hookd has a bug: {what}")
        finally:
            # After the event itself is on record: what is on record later than this shows that it is over.
            for kind, what in wrong:
                self.note(kind, what)

    async def _answer(self, adapter: Adapter, request: Request, via: str, wrong: list[Said]) -> Answer:
        """The same; what is wrong with the event or goes wrong on the way is added to `wrong`."""
        began = time.perf_counter()
        if request.oversize:
            what = f"the input for {adapter.canonical(request.event)} is over 16 MiB"
            self.note("bad input", what)
            await self.hooks.current()
            return self._failed(adapter, request, what)
        event, oddities = adapter.decode(request.payload, request.event)
        for oddity in oddities:
            named = oddity.startswith(event.name)
            wrong.append(("bad input", oddity if named else f"{event.name}: {oddity}"))
        if adapter.stands_down(event, request.env):
            self.metrics.stood_down += 1
            if (debug := self.debug) is not None:
                debug(f"skipped: {event.name}: another agent runs these settings beside its own")
            return Answer()
        known = await self._known_session(event)
        session = self.sessions.touch(event, request.agent, known.turn)
        if self.bus.subscribers and session.events == 1 and session.id in self.sessions:
            self.bus.publish(SessionBegan(time.time(), session.id, session.agent))
        self.arbiter.begin(event, known.told)
        if self.settings_watch.armed:
            await self.settings_watch.observe(event)
        context = self._context(adapter, request, event, session)
        dispatched = await self._dispatch(event, context, wrong)
        dispatched = self._with_messages(request, event, dispatched, wrong)
        dispatched = self._arbitrated(event, dispatched)
        outcome = self._screened(event, dispatched.outcome)
        answer, dropped = adapter.encode(event, _quiet(event, outcome) if context.ci else outcome)
        wrong += [("hooks", f"{event.name} cannot carry what a hook answered: {part}") for part in dropped]
        self._queue_messages(event, dispatched, wrong)
        if event.name != SELF_TEST_EVENT:
            spent = (time.perf_counter() - began) * 1000
            await self._record(request, event, session, dispatched, spent, via, wrong)
        if isinstance(event, SessionEnd):
            self.afterwards.session_ended(session.id)
            if self.bus.subscribers:
                self.bus.publish(SessionEnded(time.time(), session.id, event.reason))
        if self.sessions.settle(event, session):
            self.last_session_ended.set()
        return answer

    def _unknown_agent(self, request: Request) -> Answer:
        what = f"no adapter for the agent {request.agent!r}"
        self.note("bad input", what)
        if request.event in GATE_EVENTS and self.config.on_failure != "allow":
            return Answer(2, stderr=f"hookd cannot judge this call: {what}".encode())
        return Answer()

    def _failed(self, adapter: Adapter, request: Request, why: str) -> Answer:
        """The answer to an event that could not be judged."""
        kind = EVENTS.get(adapter.canonical(request.event))
        if kind is None or not kind.is_gate:
            return Answer()
        return adapter.encode(kind(), failure_outcome(self.config.on_failure, why))[0]

    async def _known_session(self, event: Event) -> KnownSession:
        """Where a session stands that another process has served so far; the store is never waited for."""
        begins = isinstance(event, SessionStart) and event.source == "startup"
        if begins or not event.session_id or event.session_id in self.sessions:
            return KnownSession()
        loop = asyncio.get_running_loop()
        look = loop.run_in_executor(None, self.recorder.known_session, event.session_id)
        try:
            return await asyncio.wait_for(look, STORE_PATIENCE)
        except TimeoutError:
            return KnownSession()

    def _arbitrated(self, event: Event, dispatched: Dispatched) -> Dispatched:
        """The answer with what of the hooks' contexts the model gets."""
        if not dispatched.outcome.context:
            return dispatched
        speakers = [*dispatched.delivered, *dispatched.runs]
        injections = self.arbiter.admit(event, speakers, self.config.context)
        outcome = dispatched.outcome
        if any(each.held for each in injections):
            outcome = msgspec.structs.replace(outcome, context=passed(injections))
        return dispatched._replace(outcome=outcome, injections=injections)

    def _context(self, adapter: Adapter, request: Request, event: Event, session: ActiveSession) -> Context:
        settings = self.config.context
        attended = adapter.attended(request.env) and not is_ci(request.env)
        return Context(
            agent=request.agent,
            project=as_text(self.root),
            cwd=event.cwd or as_text(request.cwd) or as_text(self.root),
            session_id=event.session_id,
            session_path=session.path,
            turn_index=session.turn,
            attended=attended,
            ci=is_ci(request.env),
            dialog=attended and adapter.HAS_DIALOG,
            context_tokens=self.arbiter.left(event, settings) if settings.enabled else 0,
        )

    async def _dispatch(self, event: Event, context: Context, wrong: list[Said]) -> Dispatched:
        gate = event.is_gate
        limit = self.config.limits.gate_seconds if gate else self.config.limits.hook_seconds
        ready = self.hooks.ready()
        # The dispatcher stops each of hookd's own hooks by itself; where there are no others, nothing hangs.
        alone = ready is not None and ready.users is None
        try:
            async with nullcontext() if alone else asyncio.timeout(limit + SLACK_SECONDS):
                dispatcher = ready or await self.hooks.current()
                dispatched = await dispatcher.dispatch(event, context, self.sessions.previous_path)
        except TimeoutError:
            what = f"{event.name} was not answered within {limit:g} s"
            wrong.append(("timeout", what))
            return Dispatched(failure_outcome(self.config.on_failure, what) if gate else NOTHING)
        if gate and self.hooks.broken:
            failed = failure_outcome(self.config.on_failure, self.hooks.broken)
            return Dispatched(fold([dispatched.outcome, failed]), dispatched.runs)
        return dispatched

    def _with_messages(
        self, request: Request, event: Event, dispatched: Dispatched, wrong: list[Said]
    ) -> Dispatched:
        """The answer with what hooks have sent for this turn; where the turn ends they wait."""
        outcome = dispatched.outcome
        if not self.outbox.delivers(event) or outcome.decision is Decision.DENY or outcome.halt is not None:
            return dispatched
        try:
            due = self.outbox.take(event.session_id, request.nonce)
        except OSError as error:
            wrong.append(("messages", f"what hooks have sent cannot be read: {error.strerror}"))
            return dispatched
        if not due:
            return dispatched
        told = [
            Outcome(
                context=(message.text,),
                importance=Importance.PERSON,
                source=message.hook,
                facts=(Fact(kind=MESSAGE_FACT, data={"by": message.hook}),),
            )
            for message in due
        ]
        delivered = [HookRun(Subscription(hook=each.source, event=event.name), 0, [each]) for each in told]
        return dispatched._replace(outcome=fold([*told, outcome]), delivered=delivered)

    def _queue_messages(self, event: Event, dispatched: Dispatched, wrong: list[Said]) -> None:
        """Keeps what hooks sent during this event for the session's next turn."""
        sent = [message for run in dispatched.runs for message in run.sent]
        if not sent:
            return
        hook = sent[0].hook
        if not event.session_id:
            wrong.append(("messages", f"{hook} has sent a message, and the agent names no session for it"))
            return
        clean = [Sent(self.redactor.text(message.text), message.hook) for message in sent]
        try:
            lost = self.outbox.put(event.session_id, clean)
        except OSError as error:
            wrong.append(("messages", f"what {hook} has sent cannot be kept: {error.strerror}"))
        else:
            if lost:
                wrong.append(("messages", f"{lost} old messages to the agent gave way to those of {hook}"))

    def _screened(self, event: Event, outcome: Outcome) -> Outcome:
        """The answer as capabilities let it pass that have a last look at it."""
        for capability in CAPABILITIES:
            if capability.screen is not None:
                outcome = capability.screen(self.hooks.services, event, outcome)
        return outcome

    async def _record(
        self,
        request: Request,
        event: Event,
        session: ActiveSession,
        dispatched: Dispatched,
        spent: float,
        via: str,
        wrong: list[Said],
    ) -> None:
        faults = [run for run in dispatched.runs if run.fault is not None]
        tool = event.tool_name if isinstance(event, ToolEvent) else ""
        verdict = verdict_of(dispatched.outcome) or ""
        now = time.time()
        self.metrics.event(event.name, spent, error=bool(faults))
        by = dispatched.outcome.source
        self.bus.answered(Answered(now, event.name, tool, verdict, by, round(spent, 3), session.id))
        if verdict == "ask" and self.bus.subscribers:
            reason = self.redactor.text(dispatched.outcome.reason)
            self.bus.publish(PendingDecision(now, tool, by, reason, session.id))
        wrong += [("hook", f"{r.subscription.hook} on {r.subscription.event}: {r.fault}") for r in faults]
        for run in dispatched.runs:
            if run.lines:  # together: a key may have been logged line by line
                for line in self.redactor.text("\n".join(run.lines)).split("\n"):
                    self.log(f"{run.subscription.hook}: {line}")
        wrong += [("hooks", conflict) for conflict in dispatched.outcome.conflicts]
        if self.metrics.problems:
            self._forget_mended(event, dispatched, wrong)
        make = partial(entry_of, request, event, session, dispatched, spent=spent, via=via)
        services = self.hooks.services
        clean = (services.redactor, services.responses, services.outputs_redactor)
        entry = await asyncio.to_thread(make, *clean) if is_large(event) else make(*clean)
        self.recorder.append(entry)
        if (debug := self.debug) is not None:
            from hookd.daemon import debug_lines  # few people want to know

            left_out = self.hooks.left_out(event, session.turn, self.sessions.previous_path)
            for line in debug_lines.of_event(entry, dispatched, left_out):
                debug(line)

    def _forget_mended(self, event: Event, dispatched: Dispatched, wrong: list[Said]) -> None:
        """Forgets the problems with what has worked this time."""
        worked = {event.name, ANY_EVENT}
        worked.update(run.subscription.hook for run in dispatched.runs if run.fault is None)
        if dispatched.delivered:
            worked.add("messages")
        self.metrics.works(worked.difference(*(subjects(kind, what) for kind, what in wrong)))

    def note(self, kind: str, what: str) -> None:
        """Tells the person: in `status`, on the record, in the log."""
        self.metrics.problem(f"{kind}: {self.redactor.text(what)}")
        self.put_down(kind, what)

    def look_again(self) -> None:
        """Forgets what capabilities told of if their own checks find nothing now."""
        kinds = {each.partition(": ")[0] for each in self.metrics.problems}
        for capability in CAPABILITIES:
            checks = capability.checks if capability.name in kinds else ()
            if checks and all(check(self.project).ok for check in checks):
                self.metrics.forget(capability.name)

    def put_down(self, kind: str, what: str) -> None:
        """Puts a problem on the record and in the log."""
        what = self.redactor.text(what)
        self.recorder.problem(kind, what)
        self.log(f"{kind}: {what}")

    def publish_problem(self, kind: str, what: str) -> None:
        """Tells the bus; safe in any thread."""
        if self.bus.subscribers:
            self.bus.publish(ProblemNoted(time.time(), kind, what))

    def close(self) -> None:
        """Ends the hooks' processes and brings the record into the store."""
        self.hooks.close()
        self.recorder.close()


def _quiet(event: Event, outcome: Outcome) -> Outcome:
    """The answer for CI, where nobody reads notices; a session that begins unguarded is told so in a line."""
    kept = outcome.messages[:1] if isinstance(event, SessionStart) else ()
    return msgspec.structs.replace(outcome, messages=tuple(" ".join(text.split()) for text in kept))
