"""Hook files (`def register(hookd)`) run in the agent's own process, beside the settings' handlers.

They run here as they do under the daemon, one after the other and each stable event after the one before it,
so that a hook need not know where it runs.
"""

import asyncio
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hookd.errors import HookFileError
from hookd.events import codec
from hookd.events.outcome import fold
from hookd.events.stable import AgentEnd, AgentStart, StableEvent, TurnEnd, TurnStart, stable_events
from hookd.events.types import Event, SessionEnd, SessionStart, SubagentStart, SubagentStop, UserPromptSubmit
from hookd.hooks.api import Context, Handler, HookAPI, Subscription, origins
from hookd.hooks.failure_policy import FailurePolicy
from hookd.hooks.hook_loader import describe, register_of
from hookd.hooks.invoke import HookRun, Place, invoke
from hookd.hooks.kit.deadline import Patience
from hookd.hooks.kit.outbox import Outbox
from hookd.hooks.kit.parts import AgentKit, Kit, LoopWait, Wait
from hookd.hooks.kit.ui import UI
from hookd.host.call import encoded
from hookd.host.classify import Ended, Reply, Status, classify
from hookd.host.fired import Answered, Fired, Firing, HandlerRun
from hookd.host.handlers import Python, Registered, Source
from hookd.host.hook_runner import Runner, UIAtHome
from hookd.host.protocol import hook_name
from hookd.host.session import Session

if TYPE_CHECKING:
    from hookd.host.own_hooks import OwnHooks

Register = Callable[[HookAPI], object]
HookSource = str | os.PathLike[str] | Register
"""A hook file, or its `register` function."""
FAILURE_POLICY = FailurePolicy("deny", blocked="blocked", more="", tells_person=True)
"""Nobody else is there to ask, or to tell of a failure, where an agent runs its hooks itself."""


_Subscribed = tuple[Subscription, Handler, Place | None]


class HookFiles:
    """The hook files of one engine, and the stable events that its events amount to."""

    def __init__(self, project: Path, session: Session, seconds: float, ui: UI, *, ci: bool = False) -> None:
        self._project = str(project)
        self._ci = ci
        self._session = session
        self._seconds = seconds
        self._ui = ui
        self._files: set[str] = set()
        self._runners: list[Runner] = []
        self._early: list[_Subscribed] = []
        self.own: OwnHooks | None = None
        """Hooks of hookd's own: they run on the agent's loop, between users' early and late ones."""
        self._late: list[_Subscribed] = []
        self._path: str | None = None
        self._open: dict[str, bool] = {}
        self.agent_asks = False
        """Whether a question in front of a tool call is for the agent's own dialog."""
        self.problems: list[str] = []
        """What of the files does not work in an agent's own process."""
        self.outbox = Outbox()
        """What hooks have for the model's next turn."""

    def add(self, hook: HookSource) -> None:
        """Registers one file's handlers; what is wrong with it is said here, not when an event comes."""
        if isinstance(hook, str | os.PathLike):
            path = Path(hook).expanduser().resolve()
            if str(path) in self._files:
                return  # the same file counts once, whatever it is called
            register, file, name = _register_of(path), str(path), path.stem
        else:
            register, file = hook, _file_of(hook)
            name = (getattr(hook, "__module__", None) or "hook").rpartition(".")[2]
        api = HookAPI(file, name, self._project)
        try:
            result = register(api)
        except Exception as error:
            raise HookFileError(
                f"{file or name}: register failed: {describe(error, file, loading=True)}",
                hint="mend the file; an engine does not start with half of its hooks",
            ) from error
        if inspect.iscoroutine(result):
            result.close()
            raise HookFileError(f"{file or name}: register is async; make it a plain function")
        runner = Runner(name)
        self._files.add(file)
        self._runners.append(runner)
        for subscription, handler in api.handlers:
            if subscription.is_outside:
                self.problems.append(
                    f"{subscription.hook}: {subscription.event} is the daemon's to call; nobody does here"
                )
                continue
            early = subscription.order == "before"
            (self._early if early else self._late).append((subscription, handler, runner))

    def handles(self, event: str) -> bool:
        """Whether a hook wants this event of the protocol sent, or a stable one in it."""
        return any(event in origins(found.event) and not found.passive for found, *_ in self._subscribed())

    async def run(self, firing: Firing) -> None:
        """Runs the handlers of an event and of the stable events in it, in order."""
        typed, _ = codec.decode(encoded(firing.payload), firing.event)
        previous = self._path if isinstance(typed, SessionStart) else None
        if isinstance(typed, SessionStart):
            self._path = typed.transcript_path or self._path
        if isinstance(typed, UserPromptSubmit | SessionEnd) and self._open.get("agent"):
            await self._run(firing, self._ends(typed, "interrupted"))
        named: dict[str, Event | StableEvent] = {firing.event: typed}
        named |= stable_events(typed, turn=self._session.turn, previous_path=previous)
        await self._run(firing, named)

    async def after(self, fired: Fired, payload: dict[str, Any]) -> Fired:
        """What an answer means for the agent's life: kept from stopping it starts anew, refused it ends.

        So each `agent_start` has one `agent_end`, and each turn its own.
        """
        refused = fired.event == "UserPromptSubmit" and (fired.blocked or fired.halted)
        if not (refused or fired.goes_on):
            return fired
        typed, _ = codec.decode(encoded(payload), fired.event)
        named: dict[str, Any] = {}
        if refused:
            named = self._ends(typed, fired.reason or fired.outcome.halt or "refused")
        else:
            named["agent_start"] = AgentStart(origin=typed, prompt="\n\n".join(fired.for_model))
            if fired.event == "Stop":
                named["turn_start"] = TurnStart(origin=typed, turn_index=self._session.turn)
        firing = Firing(fired.event, payload, fired.hook_name)
        await self._run(firing, named)
        context = tuple(text for answered in firing.answers for text in answered.reply.answer.context)
        return msgspec.structs.replace(
            fired,
            handlers=(*fired.handlers, *firing.runs),
            for_model=(*fired.for_model, *context) if fired.goes_on else fired.for_model,
            notes=(*fired.notes, *(f"{run.name}: {run.problem}" for run in firing.runs if run.problem)),
        )

    async def close(self) -> None:
        """Tells the hooks the end of work that nobody has ended, and ends their threads."""
        if self._open.get("agent"):
            origin = SessionEnd(session_id=self._session.id, cwd=self._session.cwd, reason="other")
            payload = self._session.payload("SessionEnd", {"reason": "other"})
            firing = Firing("SessionEnd", payload, hook_name("SessionEnd", payload))
            await self._run(firing, self._ends(origin, "interrupted"))
        for runner in self._runners:
            runner.close()

    async def _run(self, firing: Firing, named: Mapping[str, Event | StableEvent]) -> None:
        """Runs the handlers; an event begins for all of them when the first is about to be run."""
        for name, subject in named.items():
            for each in self._subscribed() if self._is_due(name, subject) else ():
                if each[0].event == name and each[0].wants(subject, self._project):
                    await self._run_one(firing, subject, each)

    async def _run_one(self, firing: Firing, subject: Event | StableEvent, subscribed: _Subscribed) -> None:
        """One call; the handler's context reaches the person and the model through the agent."""
        subscription, handler, place = subscribed
        patience = Patience(min(self._seconds, subscription.deadline or self._seconds))
        with LoopWait(asyncio.get_running_loop()) as wait:
            context = self._context(subject, firing.payload, self._kit(subscription, patience, wait))
            run = await invoke(subscription, handler, subject, context, place)
        if place is None and self.own is not None:
            run = self.own.settled(_origin(subject), run, attended=self._is_attended)
        reply = self._reply(firing.event, run)
        source = Source(scope="session", path=subscription.file)
        entry = Registered(event=firing.event, handler=Python(call=subscription.hook), source=source)
        firing.answers.append(Answered(registered=entry, reply=reply, title=subscription.hook))
        done = HandlerRun(
            name=run.subscription.hook,
            type="hook",
            outcome=reply.status,
            exit_code=None,
            stdout="\n".join(run.lines),
            stderr="",
            duration_ms=round(run.milliseconds, 3),
            source="session",
            hook_name=firing.name,
            problem=reply.problem,
        )
        firing.runs.append(done)

    def _kit(self, subscription: Subscription, patience: Patience, wait: Wait) -> Kit:
        if self.agent_asks:
            return AgentKit(subscription, patience=patience, wait=wait, outbox=self.outbox)
        ui = UIAtHome(self._ui, asyncio.get_running_loop())
        return Kit(subscription, ui=ui, outbox=self.outbox, patience=patience, wait=wait)

    def _ends(self, origin: Event, error: str) -> dict[str, Any]:
        """The ends of a turn and an agent that no event of the protocol tells."""
        turn = self._session.turn
        self._session.turn += 1
        return {
            "turn_end": TurnEnd(origin=origin, turn_index=turn),
            "agent_end": AgentEnd(origin=origin, error=error),
        }

    def _is_due(self, name: str, subject: Event | StableEvent) -> bool:
        """False for the end of what has ended: an agent that is cut off while it stops is told so as well."""
        thing, _, edge = name.partition("_")
        if not isinstance(subject, AgentStart | AgentEnd | TurnStart | TurnEnd):
            return True
        if subject.agent_id is not None or isinstance(subject.origin, SubagentStart | SubagentStop):
            return True
        if name == "agent_start":
            self._open = {"agent": True, "turn": False}
        elif edge == "start":
            self._open[thing] = True
        elif thing in self._open:
            due, self._open[thing] = self._open[thing], False
            return due
        return True

    def _subscribed(self) -> Iterable[_Subscribed]:
        own = self.own.handlers if self.own is not None else ()
        return chain(self._early, ((*each, None) for each in own), self._late)

    @property
    def _is_attended(self) -> bool:
        return self.agent_asks or self._ui.has_ui

    def _context(self, subject: Any, payload: dict[str, Any], kit: Kit) -> Context:
        attended = self._is_attended
        return Context(
            agent="host",
            project=self._project,
            cwd=str(payload.get("cwd", "")),
            session_id=self._session.id,
            session_path=self._session.transcript_path,
            turn_index=self._session.turn,
            attended=attended,
            dialog=attended,
            ci=self._ci,
            context_tokens=self.own.tokens_left(_origin(subject)) if self.own is not None else 0,
            kit=kit,
        )

    def _reply(self, event: str, run: HookRun) -> Reply:
        """An answer, or what a failure counts as."""
        answer = fold(FAILURE_POLICY.outcomes(run))
        if run.fault is None:
            return classify(event, Python(call=run.subscription.hook), Ended(exit_code=0, answer=answer))
        status: Status = "cancelled" if run.stuck else "error"
        return Reply(status=status, answer=answer, said=answer.reason, problem=run.fault)


def _origin(subject: Event | StableEvent) -> Event:
    """The protocol's own event behind what a handler is given."""
    return subject.origin if isinstance(subject, StableEvent) else subject


def _register_of(path: Path) -> Register:
    """The function that a hook file defines."""
    try:
        return register_of(str(path), path.read_bytes())
    except OSError as error:
        raise HookFileError(f"{path}: cannot be read: {error.strerror}") from None
    except Exception as error:
        raise HookFileError(
            f"{path}: {describe(error, str(path), loading=True)}",
            hint="`hookd new hook NAME` writes a file to start from",
        ) from error


def _file_of(register: Register) -> str:
    function = register if hasattr(register, "__code__") else type(register).__call__
    return getattr(getattr(function, "__code__", None), "co_filename", "")
